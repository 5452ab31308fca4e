import { setMaxListeners } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../support/random.ts';
import { startRedis } from '../support/redis-process.ts';
import { runOptions } from '../support/run-options.ts';
import { asProcess, say } from '../support/script.ts';
import { createBots, type SetUp } from './bots.ts';
import { followChat } from './chat.ts';
import { createHealth } from './health.ts';
import { FIRST_PERSON } from './people.ts';
import { type Acts, createPerson, createShopping } from './person.ts';
import { lastLine, progressLine, tableOf } from './report.ts';
import { createRounds } from './rounds.ts';
import { startSandbox } from './sandbox-process.ts';
import { createStorm, createWeather } from './storm.ts';

const USAGE = `Kills the bot, Redis and connections at random while users buy, and checks what the bot tells them.

  npm run chaos                                  for 10 minutes, with 20 users
  npm run chaos -- --minutes <count> --people <count> --seed <number>
                        for another duration or number of users, or with the random seed of a previous run
`;

const SET_UPS: SetUp[] = [
  { name: 'polling', push: false, replicas: 1 },
  { name: 'webhooks', push: true, replicas: 1 },
  { name: 'webhooks × 2', push: true, replicas: 2 },
];
/** Approximate time for the quiet period and the change of the set-up, in milliseconds. */
const BETWEEN_STORMS_MS = 20_000;
const SHORTEST_STORM_MS = 10_000;
const PROGRESS_MS = 10_000;

async function chaos({
  minutes,
  people: count,
  seed,
}: Record<'minutes' | 'people' | 'seed', number>): Promise<number> {
  const began = Date.now();
  const logs = await mkdtemp(join(tmpdir(), 'rental-bot-chaos-'));
  say(`seed ${seed}; the bots' logs and the findings are in ${logs}`);
  const health = createHealth();
  const sandbox = await startSandbox(count);
  const redis = await startRedis();
  const bots = createBots({ origin: sandbox.origin, redisUrl: redis.url, logs, health, logLevel: 'debug' });
  const storm = createStorm({ random: createRandom(seed), bots, redis, sandbox, health });
  const weather = createWeather({ random: createRandom(seed + 1), sandbox, health });
  const acts: Acts = { taps: [], begun: 0, givenUp: 0 };
  const ids = Array.from({ length: count }, (_, at) => FIRST_PERSON + at);
  const chats = await Promise.all(ids.map((id) => followChat(sandbox.origin, id)));
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  let present = never;
  const people = chats.map((chat) =>
    createPerson({ chat, acts, random: createRandom(seed + chat.id), signal: () => present }),
  );
  const shoppings = people.map((person) => createShopping({ person, seed, acts }));
  const shop = async (signal: AbortSignal) => {
    present = signal;
    await Promise.all(shoppings.map((go) => go(signal)));
    present = never;
  };
  const rounds = createRounds({ sandbox, bots, storm, weather, health, chats, acts, logs, shop });

  let setUp = SET_UPS[0];
  const figures = () => ({
    counts: { ...storm.counts, ...weather.counts, fell: bots.fell() },
    acts,
    verdict: rounds.verdict(),
    findings: rounds.findings(),
  });
  const progress = setInterval(() => {
    say(`${Math.round((Date.now() - began) / 1000)} s, ${setUp?.name}: ${progressLine(figures())}`);
  }, PROGRESS_MS);

  try {
    const storms = SET_UPS.length * Math.ceil(minutes / 4);
    const stormMs = Math.max(SHORTEST_STORM_MS, (minutes * 60_000) / storms - BETWEEN_STORMS_MS);
    for (let round = 0; round < storms; round++) {
      setUp = SET_UPS[round % SET_UPS.length];
      if (setUp === undefined) break;
      await rounds.start(setUp);
      if (round === 0) await Promise.all(people.map((person) => person.link()));
      if (round === 1) {
        const half = people.filter((_, at) => at % 2 === 0);
        await Promise.all(half.map((person) => person.turnOnReports()));
      }
      await rounds.run(stormMs);
    }
  } finally {
    clearInterval(progress);
    for (const chat of chats) chat.leave();
    await bots.stop();
    await redis.stop();
    sandbox.stop();
  }
  const findings = rounds.findings();
  for (const { kind, chat, what } of findings) say(`${kind}, chat ${chat}: ${what}`);
  if (findings.length > 0)
    say(`what happened around them: ${join(logs, 'findings.txt')}; the bots' logs: ${logs}`);
  say(tableOf(figures()));
  say(lastLine(figures()));
  return findings.length > 0 ? 1 : 0;
}

async function run(): Promise<number> {
  const options = runOptions(USAGE, { minutes: 10, people: 20 });
  return typeof options === 'number' ? options : chaos(options);
}

asProcess(run);
