import { setTimeout as delay } from 'node:timers/promises';
import type { Person } from './person.ts';
import { quantile } from './slices.ts';
import { CONFIRM, type Walk } from './walks.ts';

export interface Times {
  count: number;
  median: number;
  p99: number;
  worst: number;
}

export interface Walked {
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
}

export interface Loop {
  walks: number;
  /** Number of concurrent walks (closed loop), or of walks started per second (open loop). */
  atOnce?: number;
  perSecond?: number;
}

/** Makes users walk, each one walk at a time and all about equally often. */
export async function walkTogether(people: Person[], walk: Walk, loop: Loop): Promise<Walked> {
  const replies: number[] = [];
  const outcomes: number[] = [];
  const failures: Record<string, number> = {};
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
    try {
      await walk(person, ({ step, ms }) => {
        updates += 1;
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
  };
}

export function timesOf(values: number[]): Times {
  const at = (part: number) => quantile(values, part);
  return { count: values.length, median: at(0.5), p99: at(0.99), worst: at(1) };
}
