import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../support/random.ts';
import { startRedis } from '../support/redis-process.ts';
import { STEPS, type Step, startSandbox } from './sandbox.ts';
import { pickServiceEvent, prepareServiceEvents, type ServiceEvent } from './service-events.ts';
import { createVictim } from './victim.ts';

export interface Killing {
  kills: number;
  seed: number;
  /** Path of the bundle of `bot.ts`. */
  file: string;
  people: number;
  /** Relative frequency of each kind of event. */
  weights: Record<string, number>;
  perSecond: number;
  /** Maximum wait for the last notification, then the wait for duplicates, in milliseconds. */
  patienceMs: number;
  afterwardsMs: number;
  progress?: (line: string) => void;
  onOutput?: (line: string) => void;
}

/**
 * Half of the kills come at a random moment, even during the start. The others come at a step or shortly after it.
 */
const LONGEST_LIFE_MS = 2_000;
const MAX_LATER_MS = 12;
const MAX_PASSED = 3;
const EVENT_STEPS = (Object.keys(STEPS) as Step[]).filter((step) => step !== 'a copy is made');
/** Orders and Smart Mode subscriptions per user, made beforehand for later events. */
const OF_EACH = { orders: 2, watched: 3 };

export type Killed = Awaited<ReturnType<typeof killAmidEvents>>;

/** Kills the bot repeatedly while events arrive. Finally counts the notifications of each event in its chat. */
export async function killAmidEvents(about: Killing) {
  const { kills, seed, people, weights, perSecond, progress } = about;
  const random = createRandom(seed);
  const redis = await startRedis();
  const sandbox = await startSandbox(people);
  const victim = await createVictim({ ...about, sandbox: sandbox.origin, redisUrl: redis.url });
  const created: ServiceEvent[] = [];
  const steps: Record<string, number> = {};
  let closing = false;

  async function createEvents(
    eventCreators: Awaited<ReturnType<typeof prepareServiceEvents>>,
  ): Promise<void> {
    const chooses = createRandom(seed + 1);
    while (!closing) {
      const chat = chooses.pick(sandbox.ids);
      const event = chat && (await pickServiceEvent(eventCreators, chooses, weights)?.(chat));
      if (event) created.push(event);
      await delay(chooses.below(2_000 / perSecond));
    }
  }

  /** Resolves with true once the bot has passed the step `times` times, or with false after a timeout. */
  function passed(step: Step, when: 'before' | 'after', times: number): Promise<boolean> {
    return new Promise((resolve) => {
      let left = times;
      const timer = setTimeout(() => end(false), 1.5 * LONGEST_LIFE_MS);
      const end = (isPassed: boolean) => {
        clearTimeout(timer);
        sandbox.onStep(undefined);
        resolve(isPassed);
      };
      sandbox.onStep((now, at) => {
        if (now !== step || at !== when) return;
        left -= 1;
        if (left > 0) return;
        // Kills before anything else that is pending in this process can run.
        if (random.below(2) === 0) void victim.kill();
        end(true);
      });
    });
  }

  async function killOnce(): Promise<void> {
    if (random.below(2) === 0) {
      await delay(random.below(LONGEST_LIFE_MS));
      count('any moment');
    } else {
      const step = random.pick(EVENT_STEPS) ?? 'an event comes in';
      const when = random.pick(['before', 'after'] as const) ?? 'before';
      const isPassed = await passed(step, when, 1 + random.below(MAX_PASSED));
      count(isPassed ? `${when === 'before' ? 'as' : 'after'} ${step}` : 'any moment');
      await delay(random.below(MAX_LATER_MS));
    }
    await victim.kill();
  }

  function count(step: string): void {
    steps[step] = (steps[step] ?? 0) + 1;
  }

  /** Returns for each event the processes that sent its notifications, one entry per message. */
  async function notifiers(): Promise<(string | undefined)[][]> {
    const shown = new Map(
      await Promise.all(
        sandbox.people.map(async (person) => [person.chat, await person.messages()] as const),
      ),
    );
    return created.map(({ chat, isNotification, isShown = () => false }) => {
      const messages = (shown.get(chat) ?? []).filter(({ from }) => from === 'bot');
      const notifications = messages.filter(isNotification);
      const counted = notifications.length > 0 ? notifications : messages.filter(isShown);
      return counted.map(({ message_id }) => sandbox.senderOf(chat, message_id));
    });
  }

  const hasRepeated = (processes: readonly unknown[]) => new Set(processes).size < processes.length;
  const countUnnotified = (all: readonly unknown[][]) => all.filter(({ length }) => length === 0).length;

  try {
    await sandbox.inFrontOf(victim.origin);
    victim.start();
    await victim.ready();
    const eventCreators = await prepareServiceEvents(sandbox, OF_EACH);
    const began = Date.now();
    const creating = createEvents(eventCreators);
    for (let kill = 1; kill <= kills; kill++) {
      await killOnce();
      victim.start();
      if (kill % 25 === 0)
        progress?.(`${Math.round((Date.now() - began) / 1000)} s: kills ${kill}, events ${created.length}`);
    }
    const seconds = (Date.now() - began) / 1000;
    closing = true;
    await creating;
    await victim.ready();
    const rested = Date.now();
    for (const end = rested + about.patienceMs; Date.now() < end && countUnnotified(await notifiers()) > 0; )
      await delay(500);
    const restSeconds = (Date.now() - rested) / 1000;
    await delay(about.afterwardsMs);
    const senders = await notifiers();
    const times = senders.map(({ length }) => length);
    const kinds = [...new Set(created.map(({ kind }) => kind))].map((kind) => {
      const those = times.filter((_, at) => created[at]?.kind === kind);
      return { kind, ...countsOf(those) };
    });
    return {
      kills,
      seconds,
      restSeconds,
      steps,
      kinds,
      fell: victim.fell(),
      /** Events of which one process notified twice. */
      repeated: senders.filter(hasRepeated).length,
      ...countsOf(times),
    };
  } finally {
    closing = true;
    await victim.kill();
    sandbox.stop();
    await redis.stop();
  }
}

function countsOf(times: readonly number[]) {
  return {
    events: times.length,
    once: times.filter((count) => count === 1).length,
    twice: times.filter((count) => count === 2).length,
    more: times.filter((count) => count > 2).length,
    unnotified: times.filter((count) => count === 0).length,
  };
}
