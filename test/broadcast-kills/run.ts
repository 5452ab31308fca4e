import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../support/bundles.ts';
import { asProcess, say } from '../support/script.ts';
import { killAmidBroadcast } from './kill-amid-broadcast.ts';

const USAGE = `Sends a broadcast to a hundred thousand simulated people while the bot is killed at random, and counts the copies per recipient.

  npm run broadcast-kills                              100,000 people, 20 kills: about an hour and a quarter
  npm run broadcast-kills -- --people <count> --kills <count> --seed <number>
`;

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      people: { type: 'string', default: '100000' },
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  const [people, kills, seed] = [values.people, values.kills, values.seed].map(Number);
  if (
    values.help ||
    !people ||
    kills === undefined ||
    seed === undefined ||
    ![people, kills, seed].every(Number.isInteger)
  ) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  const logs = join(await mkdtemp(join(tmpdir(), 'rental-bot-broadcast-kills-')), 'bot.log');
  say(`seed ${seed}; the bot's log is ${logs}`);
  const { paths, remove } = await bundle({ main: 'src/main.ts' });
  try {
    const killed = await killAmidBroadcast({
      ...{ people, kills, seed, file: paths.main, progress: say },
      onOutput: (line) => void appendFile(logs, line),
    });
    const { ended, taps, refused, memory } = killed;
    say(
      `${ended.state} after ${Math.round(killed.seconds)} s, kills ${killed.kills}, taken up again ${ended.takeovers} times`,
    );
    say(
      `of ${ended.total}: sent ${ended.sent}, blocked ${ended.blocked}, deactivated ${ended.deactivated}, failed ${ended.failed}, not known ${ended.unknown}`,
    );
    say(
      `counted at Telegram: reached ${killed.reached}, missed ${killed.missed}, twice ${killed.twice}, more often ${killed.more}`,
    );
    say(
      `most in a second ${killed.mostInASecond}, answered 429: overall ${refused.overall}, in a chat ${refused.chat}`,
    );
    say(
      `taps answered: median ${taps.before.toFixed(1)} ms before, ${taps.during.toFixed(1)} ms during (${taps.count} taps)`,
    );
    say(
      `progress edited ${killed.edits} times; memory at most ${memory.most.toFixed(0)} MB, at the end ${memory.last.toFixed(0)} MB`,
    );
    if (killed.fell) say(killed.fell);
    const isRight = killed.missed === 0 && killed.more === 0 && killed.twice <= 4 * killed.kills;
    return isRight && ended.state === 'done' && killed.fell === undefined ? 0 : 1;
  } finally {
    await remove();
  }
}

asProcess(run);
