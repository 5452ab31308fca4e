import type { Result } from '../texts/broadcast-counts.ts';
import type { BroadcastStore, Held } from './broadcast-store.ts';

/** What became of those to whom one process sends a broadcast, until it is written down: in the order of the audience. */
export interface Ledger {
  held(): Held;
  isSettled(place: number): boolean;
  settle(place: number, result: Result | 'put off'): void;
  /** Telegram asked for quiet, for so long. */
  objected(ms: number): void;
  /** Nothing is to be sent for so long, in milliseconds. */
  rest(ms: number): void;
  /** How many milliseconds of that are left. */
  quietMs(): number;
  /** Writes down what is settled in order; answers whether nobody else has written meanwhile. */
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
    if (counts.settled === broadcast.settled && objections === 0) return undefined;
    const sendingMs = broadcast.sendingMs + Math.max(0, now() - writtenAt);
    return { ...counts, quietUntil, sendingMs, objections: broadcast.objections + objections };
  }

  return {
    held: () => held,
    isSettled: (place) => results.has(place) || place < held.broadcast.settled,
    settle(place, result) {
      results.set(place, result);
    },
    objected(ms) {
      objections += 1;
      rest(ms);
    },
    rest,
    quietMs: () => Math.max(0, quietUntil - now()),
    async write() {
      const { broadcast } = held;
      // The very same once more: written already, it is known as one's own.
      unclear ??= changes();
      if (unclear === undefined) return true;
      const at = now();
      const written = await store.replace(held, unclear);
      if (written === undefined) return false;
      for (let place = broadcast.settled; place < unclear.settled; place += 1) results.delete(place);
      objections -= unclear.objections - broadcast.objections;
      unclear = undefined;
      writtenAt = at;
      held = written;
      return true;
    },
  };
}
