import { setTimeout as delay } from 'node:timers/promises';
import { type Started, startApp, startCompared } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import { ADDRESS, type Side } from './identities.ts';
import type { Peer } from './install-peers.ts';
import type { ChatMessage, Person } from './person.ts';
import type { Sizes } from './sizes.ts';
import { spreadOf } from './slices.ts';
import type { Call } from './stand-in-server.ts';
import { AMOUNT, BOUGHT, BUY, CONFIRM, MENU, OPENED } from './walks.ts';

/** Response times of the stand-ins in milliseconds, as over a network. */
export interface Delays {
  telegramMs: number;
  rentalMs: number;
}

/** Times since the user's action, in milliseconds. */
export interface PerceivedStep {
  step: string;
  /** First message that was sent or edited. */
  visible: number;
  /** Answer of the callback query. Missing for typed messages. */
  answered?: number;
  /** Message that ends the step. */
  done: number;
  /** Number of messages that were sent or edited. */
  views: number;
}

export type Perceived = Awaited<ReturnType<typeof measurePerceived>>;

/** First user of this part. */
const FIRST = 80_000;

/**
 * Measures what users of the app and of the peers wait for, one user at a time, with remote stand-ins. Medians over the
 * users.
 */
export async function measurePerceived(
  bench: Bench,
  world: RedisWorld,
  sizes: Sizes,
  { delays, peers }: { delays: Delays; peers: readonly Peer[] },
) {
  const { standIns } = bench;
  const { alone: people, thinkMs } = sizes;
  const started: Started[] = [];
  try {
    started.push(await startApp(bench, { redisUrl: world.url }));
    for (const side of peers) started.push(await startCompared(bench, side, { redisUrl: world.url }));
    const sides: readonly Side[] = ['app', ...peers];
    const group = { first: FIRST, people, walks: people, perSecond: people };
    await prepare(bench, { ...group, walk: 'link' });
    for (const side of sides) await prepare(bench, { ...group, side, walk: 'purchase' });
    await standIns.ask('delay', delays);
    const taken = new Map<Side, PerceivedStep[]>(sides.map((side) => [side, []]));
    for (let at = FIRST; at < FIRST + people; at++) {
      for (const [side, steps] of taken) {
        await delay(thinkMs);
        steps.push(...(await standIns.ask('perceive', { side, at, thinkMs })));
      }
    }
    const steps = [...taken].map(([side, all]) => ({ side, steps: medians(all) }));
    return { delays, thinkMs, people, sides: steps };
  } finally {
    await standIns.ask('delay', { telegramMs: 0, rentalMs: 0 });
    for (const one of started) await one.kill();
  }
}

function medians(taken: readonly PerceivedStep[]): PerceivedStep[] {
  const names = [...new Set(taken.map(({ step }) => step))];
  return names.map((step) => {
    const all = taken.filter((one) => one.step === step);
    const median = (values: number[]) => spreadOf(values).median;
    const answers = all.flatMap(({ answered }) => answered ?? []);
    return {
      step,
      visible: median(all.map(({ visible }) => visible)),
      ...(answers.length > 0 && { answered: median(answers) }),
      done: median(all.map(({ done }) => done)),
      views: median(all.map(({ views }) => views)),
    };
  });
}

/**
 * Walks through a purchase and records what becomes visible when. `listen` calls its argument for every request to the
 * stand-ins. The user thinks for `thinkMs` before each step.
 */
export async function perceive(
  person: Person,
  { thinkMs, listen }: { thinkMs: number; listen(hear: ((call: Call) => void) | undefined): void },
): Promise<PerceivedStep[]> {
  const { chat } = person;
  const steps: PerceivedStep[] = [];

  async function take(
    step: string,
    isLast: (html: string) => boolean,
    act: () => Promise<unknown>,
  ): Promise<void> {
    await delay(thinkMs);
    const began = performance.now();
    const since = () => performance.now() - began;
    const shown: number[] = [];
    let answered: number | undefined;
    listen(({ path }) => {
      if (path.endsWith('/answerCallbackQuery')) answered ??= since();
    });
    const done = new Promise<number>((resolve) => {
      chat.watch = ({ html }: ChatMessage) => {
        shown.push(since());
        if (isLast(html)) resolve(since());
      };
    });
    await act();
    const ended = await done;
    // Later edits and answers belong to this step too.
    await delay(thinkMs);
    steps.push({
      step,
      visible: shown[0] ?? Number.NaN,
      ...(answered !== undefined && { answered }),
      done: ended,
      views: shown.length,
    });
    chat.watch = undefined;
    listen(undefined);
  }

  const shows = (part: string) => (html: string) => html.includes(part);
  await take('/start', shows(MENU), () => person.say('/start', MENU));
  await take(BUY, shows(OPENED), () => person.tap(BUY, OPENED));
  await take('the address', shows('65,000 energy'), () => person.say(ADDRESS, '65,000 energy'));
  await take(AMOUNT, shows('131,000 energy'), () => person.tap(AMOUNT, '131,000 energy'));
  await take(CONFIRM, shows(BOUGHT), () => person.tap(CONFIRM, BOUGHT));
  return steps;
}
