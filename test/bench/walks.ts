import { setTimeout as delay } from 'node:timers/promises';
import { fixedPart } from '../support/locales.ts';
import { ADDRESS, keyOf } from './identities.ts';
import type { Answered, Person } from './person.ts';
import { quantile } from './slices.ts';

/** A walk through the bot in steps of one update each. `read` is called before *Confirm*, and waits by default. */
export type Walk = (
  person: Person,
  onStep: (answered: Answered) => void | Promise<void>,
  read?: () => Promise<void>,
) => Promise<void>;
export type WalkName = keyof typeof WALKS;

/** Parts of texts by which users recognize a response. */
export const MENU = fixedPart('menu-title');
export const BUY = fixedPart('button-energy');
export const OPENED = fixedPart('energy-address');
export const BOUGHT = fixedPart('energy-done');
export const AMOUNT = '131,000';
export const CONFIRM = fixedPart('button-confirm');
/** Names of the steps of a purchase. */
export const PURCHASE_STEPS = ['/start', BUY, 'the address', AMOUNT, CONFIRM];

const question: Walk = async (person, onStep) => {
  await onStep(await person.say('/start', MENU));
  await onStep(await person.tap(BUY, OPENED));
};

const card: Walk = async (person, onStep) => {
  await question(person, onStep);
  await onStep(await person.say(ADDRESS, '65,000 energy', 'the address'));
  await onStep(await person.tap(AMOUNT, '131,000 energy'));
};

/** Pause before *Confirm*. The bot ignores a tap on a card that is younger than 0.7 seconds. */
const READING_MS = 750;

export const readCard = () => delay(READING_MS);

/** Waits for both edits of the card: the outcome, then the remaining balance. */
const confirm: Walk = async (person, onStep, read = readCard) => {
  await read();
  const shownBalance = person.chat.until(fixedPart('operation-left'), 60_000);
  shownBalance.catch(() => undefined);
  const answered = await person.tap(CONFIRM, BOUGHT);
  await shownBalance;
  await onStep(answered);
};

/** Makes five updates. */
const purchase: Walk = async (person, onStep, read) => {
  await card(person, onStep);
  await confirm(person, onStep, read);
};

const start: Walk = async (person, onStep) => onStep(await person.say('/start', MENU));

/** Taps ten times on one message. */
const menu: Walk = async (person, onStep) => {
  for (let taps = 0; taps < 5; taps++) {
    await onStep(await person.tap(fixedPart('button-more'), `<b>${fixedPart('menu-more')}</b>`));
    await onStep(await person.tap(fixedPart('button-menu'), MENU));
  }
};

const link: Walk = async (person, onStep) => {
  await onStep(await person.say('/start', fixedPart('menu-guest')));
  await onStep(await person.tap(fixedPart('button-link'), fixedPart('link-question')));
  await onStep(await person.say(keyOf(person.chat.id), fixedPart('link-done'), 'the key'));
};

const reports: Walk = async (person, onStep) => {
  await onStep(await person.say('/account', fixedPart('account-card')));
  await onStep(await person.tap(fixedPart('button-reports-on'), fixedPart('reports-ask')));
  await onStep(await person.tap(fixedPart('button-reports-allow'), fixedPart('reports-on')));
};

export const WALKS = { purchase, confirm, card, question, start, menu, link, reports };

interface Times {
  count: number;
  median: number;
  p99: number;
  worst: number;
}

export interface WalkResults {
  updates: number;
  walks: number;
  ms: number;
  /** Errors by message, with their counts. A walk ends at its first error. */
  failures: Record<string, number>;
  /** Response times of all updates except Confirm, and times from Confirm to the outcome, in milliseconds. */
  replies: Times;
  outcomes: Times;
  /** In an open loop: number of walks skipped because no user was free. */
  skipped: number;
  /** Median of the total response time of a walk, for each quarter of the walks by their start, in milliseconds. */
  quarters: number[];
}

/** Adds the failures of a side's walks to a total by side and reason. */
export function countFailures(
  total: Record<string, number>,
  side: string,
  walked: Pick<WalkResults, 'failures'>,
): void {
  for (const [why, count] of Object.entries(walked.failures)) {
    total[`${side}: ${why}`] = (total[`${side}: ${why}`] ?? 0) + count;
  }
}

export interface Loop {
  walks: number;
  /** Number of concurrent walks (closed loop). */
  atOnce?: number;
  /** Number of walks started per second (open loop). */
  perSecond?: number;
}

/** Runs walks of several users concurrently. Each user does one walk at a time, and all do about equally many. */
export async function runWalks(people: Person[], walk: Walk, loop: Loop): Promise<WalkResults> {
  const replies: number[] = [];
  const outcomes: number[] = [];
  const failures: Record<string, number> = {};
  const durations: number[] = [];
  const free = [...people];
  let begun = 0;
  let skipped = 0;
  let updates = 0;
  let done = 0;
  const began = performance.now();

  async function walkOnce(): Promise<void> {
    const person = free.shift();
    if (person === undefined) {
      skipped += 1;
      return;
    }
    const at = durations.push(0) - 1;
    try {
      await walk(person, ({ step, ms }) => {
        updates += 1;
        durations[at] = (durations[at] ?? 0) + ms;
        (step === CONFIRM ? outcomes : replies).push(ms);
      });
      done += 1;
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^\d+ /, '') : String(error);
      failures[why] = (failures[why] ?? 0) + 1;
    }
    free.push(person);
  }

  async function closed(): Promise<void> {
    while (begun < loop.walks) {
      begun += 1;
      await walkOnce();
    }
  }

  async function open(perSecond: number): Promise<void> {
    const walking: Promise<void>[] = [];
    while (begun < loop.walks) {
      const due = Math.min(loop.walks, 1 + Math.floor(((performance.now() - began) / 1000) * perSecond));
      for (; begun < due; begun++) walking.push(walkOnce());
      await delay(2);
    }
    await Promise.all(walking);
  }

  if (loop.perSecond !== undefined) await open(loop.perSecond);
  else await Promise.all(Array.from({ length: loop.atOnce ?? 1 }, closed));
  const ms = performance.now() - began;
  return {
    updates,
    walks: done,
    ms,
    failures,
    replies: timesOf(replies),
    outcomes: timesOf(outcomes),
    skipped,
    quarters: quartersOf(durations),
  };
}

function quartersOf(durations: readonly number[]): number[] {
  const bounds = [0, 1, 2, 3, 4].map((quarter) => Math.round((durations.length * quarter) / 4));
  return bounds.slice(1).map((end, at) => quantile(durations.slice(bounds[at], end), 0.5));
}

export function timesOf(values: number[]): Times {
  const at = (part: number) => quantile(values, part);
  return { count: values.length, median: at(0.5), p99: at(0.99), worst: at(1) };
}
