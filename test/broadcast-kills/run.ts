import { runOptions } from '../support/run-options.ts';
import { asProcess, say } from '../support/script.ts';
import { withBundle } from '../support/with-bundle.ts';
import { killAmidBroadcast } from './kill-amid-broadcast.ts';

const USAGE = `Sends a broadcast to a hundred thousand simulated people while the bot is killed at random, and counts the copies per recipient.

  npm run broadcast-kills                              100,000 people, 20 kills: about an hour and a quarter
  npm run broadcast-kills -- --people <count> --kills <count> --seed <number>
`;

async function run(): Promise<number> {
  const options = runOptions(USAGE, { people: 100_000, kills: 20 });
  if (typeof options === 'number') return options;
  say(`seed ${options.seed}`);
  const killed = await withBundle('src/main.ts', (bundled) => killAmidBroadcast({ ...options, ...bundled }));
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
    `progress edited ${killed.edits} times; memory at most ${memory.most} MB, at the end ${memory.last} MB`,
  );
  if (killed.fell) say(killed.fell);
  const isRight = killed.missed === 0 && killed.more === 0 && killed.twice <= 4 * killed.kills;
  return isRight && ended.state === 'done' && killed.fell === undefined ? 0 : 1;
}

asProcess(run);
