import { mb } from '../bench/process-cpu.ts';
import { runOptions } from '../support/run-options.ts';
import { asProcess, say } from '../support/script.ts';
import { withBundle } from '../support/with-bundle.ts';
import { type Assaulted, assault, faultsOf } from './assault.ts';

const USAGE = `Sends forged deliveries of every kind and checks what they change.

  npm run forge                                        a million, 20,000 over connections, and twice 1,500
                                                       incomplete ones
  npm run forge -- --count <count> --half-sent <count> --seed <number>
`;

async function run(): Promise<number> {
  const options = runOptions(USAGE, { count: 1_000_000, 'half-sent': 1_500 });
  if (typeof options === 'number') return options;
  const { 'half-sent': halfSent } = options;
  say(`seed ${options.seed}`);
  const overConnections = Math.min(20_000, options.count);
  const assaulted = await withBundle('test/forge/bot.ts', (bundled) =>
    assault({ ...options, ...bundled, overConnections, halfSent, accounts: 20 }),
  );
  report(assaulted);
  const faults = faultsOf(assaulted);
  for (const fault of faults) say(fault);
  return faults.length > 0 ? 1 : 0;
}

function report(assaulted: Assaulted): void {
  const { answers, bulkSeconds, connectedSeconds, halves, records } = assaulted;
  const statuses: Record<string, Record<number, number>> = {};
  for (const { statuses: some } of answers)
    for (const [name, counts] of Object.entries(some))
      for (const [status, times] of Object.entries(counts)) {
        const of = statuses[name] ?? {};
        of[Number(status)] = (of[Number(status)] ?? 0) + times;
        statuses[name] = of;
      }
  for (const [name, counts] of Object.entries(statuses))
    say(
      `${name}: ${Object.entries(counts)
        .map(([status, times]) => `${times} × ${status}`)
        .join(', ')}`,
    );
  const [bulk, connected] = [answers.slice(0, -1), answers.slice(-1)];
  for (const [where, some] of [
    ['past the connection', bulk],
    ['over connections', connected],
  ] as const) {
    const kinds = new Map<string, number>();
    for (const one of some)
      for (const [kind, { times }] of Object.entries(one.kinds))
        kinds.set(kind, (kinds.get(kind) ?? 0) + times);
    for (const [kind, times] of kinds) say(`${where}, ${times} times: ${JSON.stringify(kind)}`);
  }
  for (const { who, cut, lastMs, idle, most, taken, late, worst } of halves)
    say(
      `half-sent bodies ${who}: ${cut} cut, the last after ${(lastMs / 1000).toFixed(1)} s, memory ${mb(idle)} MB before and ${mb(most)} MB at most; genuine deliveries meanwhile: ${taken} taken, ${late} of them not at once, the slowest within ${Math.round(worst)} ms`,
    );
  const count = answers.reduce((sum, one) => sum + one.count, 0);
  say(
    `forged ${count} in ${Math.round(bulkSeconds)} + ${Math.round(connectedSeconds)} s, chats changed ${assaulted.changed ? 'yes' : 'no'}, records ${records}, of them unhandled ${assaulted.unhandled}, memory at most ${mb(assaulted.mostForged)} MB, users not notified afterwards ${assaulted.unreported}`,
  );
}

asProcess(run);
