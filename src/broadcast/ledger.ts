import type { Result } from '../texts/broadcast-counts.ts';
import { countAttempts, withoutAttempt, withoutSettled } from './attempts.ts';
import type { BroadcastStore, Held } from './broadcast-store.ts';

/** How often a broadcast is written at least while it is under way, so that it isn't taken for an outdated one. */
export const RENEW_MS = 10 * 60_000;

/** What became of those to whom one process sends a broadcast, until it is written down: in the order of the audience. */
export interface Ledger {
  held(): Held;
  isSettled(place: number): boolean;
  settle(place: number, result: Result | 'put off'): void;
  /** Counts an attempt at this place. Nothing may be sent there before the next {@link write} has returned `true`. */
  begin(place: number): void;
  /** Takes back the latest attempt at this place: nothing was sent. */
  notSent(place: number): void;
  /** How many attempts at this place have no recorded result, also those of processes that died. */
  attempts(place: number): number;
  /** Telegram asked for quiet, for so long. */
  objected(ms: number): void;
  /** Nothing is to be sent for so long, in milliseconds. */
  rest(ms: number): void;
  /** How many milliseconds of that are left. */
  quietMs(): number;
  /** Writes the settled results in order and the open attempts. Returns `false` if another process wrote the record. */
  write(): Promise<boolean>;
}

export function createLedger(deps: {
  from: Held;
  store: Pick<BroadcastStore, 'replace'>;
  now: () => number;
}): Ledger {
  const { from, store, now } = deps;
  let held = from;
  let quietUntil = from.broadcast.quietUntil ?? 0;
  let objections = 0;
  let openAttempts: readonly number[] = from.broadcast.openAttempts;
  let writtenAt = now();
  /** What was to be written when the storage was away: it may have been. */
  let unclear: ReturnType<typeof changes>;
  const results = new Map<number, Result | 'put off'>();

  const rest = (ms: number) => {
    quietUntil = Math.max(quietUntil, now() + ms);
  };

  /** The counts as they are once all in order is in. */
  function counted({ broadcast }: Held) {
    const counts: Partial<Record<Result, number>> = {};
    const putOff = [...broadcast.putOff];
    let { settled } = broadcast;
    for (let result = results.get(settled); result !== undefined; result = results.get(settled)) {
      if (result === 'put off') putOff.push(settled);
      else counts[result] = (counts[result] ?? broadcast[result]) + 1;
      settled += 1;
    }
    return { ...counts, putOff, settled };
  }

  function changes() {
    const { broadcast } = held;
    const counts = counted(held);
    const open = withoutSettled(openAttempts, counts);
    const isNews =
      counts.settled > broadcast.settled || objections > 0 || String(open) !== String(broadcast.openAttempts);
    const at = now();
    if (!isNews && at - broadcast.activeAt < RENEW_MS) return undefined;
    const sendingMs = broadcast.sendingMs + Math.max(0, at - writtenAt);
    return {
      ...{ ...counts, openAttempts: open, quietUntil, sendingMs, activeAt: at },
      objections: broadcast.objections + objections,
    };
  }

  async function writeChanges(next: NonNullable<ReturnType<typeof changes>>): Promise<boolean> {
    const { broadcast } = held;
    unclear = next;
    const at = now();
    const written = await store.replace(held, next);
    if (written === undefined) return false;
    for (let place = broadcast.settled; place < next.settled; place += 1) results.delete(place);
    objections -= next.objections - broadcast.objections;
    openAttempts = withoutSettled(openAttempts, written.broadcast);
    unclear = undefined;
    writtenAt = at;
    held = written;
    return true;
  }

  return {
    held: () => held,
    isSettled: (place) => results.has(place) || place < held.broadcast.settled,
    settle(place, result) {
      results.set(place, result);
    },
    begin(place) {
      openAttempts = [...openAttempts, place];
    },
    notSent(place) {
      openAttempts = withoutAttempt(openAttempts, place);
    },
    attempts: (place) => countAttempts(openAttempts, place),
    objected(ms) {
      objections += 1;
      rest(ms);
    },
    rest,
    quietMs: () => Math.max(0, quietUntil - now()),
    async write() {
      // Exactly the same again: if it was written, the storage recognises it as this process's own.
      if (unclear && !(await writeChanges(unclear))) return false;
      const next = changes();
      return next === undefined || writeChanges(next);
    },
  };
}
