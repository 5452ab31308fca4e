import { runOptions } from '../support/run-options.ts';
import { asProcess, say } from '../support/script.ts';
import { withBundle } from '../support/with-bundle.ts';
import { type Killed, killAmidEvents } from './kill-amid-events.ts';

const USAGE = `Kills the bot at random while events of the service arrive, and counts the notifications of each.

  npm run event-kills                                  500 kills, about twelve minutes
  npm run event-kills -- --kills <count> --people <count> --seed <number>
`;

const WEIGHTS = { deposit: 10, unknown: 5, order: 1, smartMode: 1, withdrawal: 1 };

async function run(): Promise<number> {
  const options = runOptions(USAGE, { kills: 500, people: 30 });
  if (typeof options === 'number') return options;
  say(`seed ${options.seed}`);
  const killed = await withBundle('test/event-kills/bot.ts', (bundled) =>
    killAmidEvents({
      ...options,
      ...bundled,
      weights: WEIGHTS,
      perSecond: 8,
      patienceMs: 300_000,
      afterwardsMs: 15_000,
    }),
  );
  report(killed);
  const { unnotified, twice, more, repeated, fell } = killed;
  return unnotified > 0 || repeated > 0 || twice + more > killed.kills || fell !== undefined ? 1 : 0;
}

function report({ kills, seconds, restSeconds, steps, kinds, fell, ...all }: Killed): void {
  for (const [step, count] of Object.entries(steps)) say(`killed at ${step}: ${count}`);
  for (const { kind, events, once, twice, more, unnotified } of [{ kind: 'all', ...all }, ...kinds])
    say(
      `${kind}: ${events} events, notified once ${once}, twice ${twice}, more often ${more}, never ${unnotified}`,
    );
  if (fell) say(fell);
  say(
    `kills ${kills} in ${Math.round(seconds)} s, events ${all.events}, unnotified ${all.unnotified}, notified twice ${all.twice}, more often ${all.more}, again without a kill between ${all.repeated}, all notified ${restSeconds.toFixed(1)} s after the last start`,
  );
}

asProcess(run);
