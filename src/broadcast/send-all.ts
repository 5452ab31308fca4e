import type { Log } from '../log.ts';
import type { Result } from '../texts/broadcast-counts.ts';
import { MAX_ATTEMPTS } from './attempts.ts';
import type { Broadcast } from './broadcast.ts';
import type { BroadcastStore, Held } from './broadcast-store.ts';
import type { BulkPace } from './bulk-pace.ts';
import { type Halt, type Hear, LOOK_MS, type Turn, type Wait } from './halts.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createReach } from './reach.ts';
import { type Attempt, isRepeatable, type PrepareCopy } from './send-one.ts';
import { createTrouble } from './trouble.ts';

/** Few: those under way at a kill get it twice, and those at a 429 make it longer. */
const AT_ONCE = 4;
/** Who isn't reached by so many comes once more at the end. */
const TRIES = 3;
const MOST_PUT_OFF = 1_000;

/** Why sending ended: all of them are through; somebody wishes it, or it can't go on; this process ends; it is another's turn. */
export type SentAll = { kind: 'all'; held: Held } | (Halt & { held: Held }) | { kind: 'lost' };

export type SendAll = (from: Held, turn: Turn, changed: (broadcast: Broadcast) => void) => Promise<SentAll>;

/**
 * Sends to all that are left, some at once. What is settled is written down in the order of the audience, and nobody more
 * than {@link AT_ONCE} further on is begun before that is. Each attempt is recorded before its request.
 * A process that takes over sends once more to a person with one attempt without a result, and never to one with two.
 */
export function createSendAll(deps: {
  store: BroadcastStore;
  prepareCopy: PrepareCopy;
  pace: BulkPace;
  hear: Hear;
  wait: Wait;
  now: () => number;
  log: Log;
}): SendAll {
  const { store, pace, hear, wait, now, log } = deps;

  return async (from, turn, changed) => {
    const { id, total } = from.broadcast;
    const ledger = createLedger({ from, store, now });
    const reach = createReach(deps, from.broadcast);
    const heard = hear.often(from.broadcast, turn);
    const tries = new Map<number, number>();
    /** Begun before, and to be begun once more. */
    const again: number[] = [];
    const running = new Map<number, Promise<void>>();
    let next = from.broadcast.settled;
    const trouble = createTrouble();
    let halt: Halt | undefined;

    function tried(place: number): number {
      const count = (tries.get(place) ?? 0) + 1;
      tries.set(place, count);
      return count;
    }

    function settle(place: number, result: Result | 'put off'): void {
      ledger.settle(place, result);
      tries.delete(place);
    }

    const mayPutOff = () => ledger.held().broadcast.putOff.length < MOST_PUT_OFF;

    function take(place: number, attempt: Attempt): void {
      const { pause, restMs } = trouble.after(attempt);
      if (pause) halt ??= { kind: 'held up', pause };
      ledger.rest(restMs);
      switch (attempt.kind) {
        case 'settled':
          // What Telegram refuses of one may be refused to all, and mended: it is tried once more at the end.
          settle(place, attempt.as === 'failed' && mayPutOff() ? 'put off' : attempt.as);
          break;
        case 'later':
          pace.objected();
          ledger.objected(attempt.afterMs);
          // It may be the limit of this chat alone: then nobody waits for it twice.
          settle(place, 'put off');
          break;
        case 'again':
          ledger.rest(attempt.afterMs);
          if (attempt.isTry && tried(place) >= TRIES) settle(place, 'put off');
          else again.push(place);
          break;
        case 'halt':
          again.push(place);
      }
    }

    /** Starts sending to a place after recording the attempt, if the person may be sent the message now. */
    async function begin(place: number): Promise<void> {
      if (again[0] === place) again.shift();
      else next += 1;
      if (ledger.attempts(place) >= MAX_ATTEMPTS) return settle(place, 'unknown');
      const prepared = await reach(place);
      if (prepared.kind !== 'ready') return take(place, prepared);
      ledger.begin(place);
      const isRecorded = await write();
      if (!isRecorded || !turn.isMine() || halt) {
        ledger.notSent(place);
        again.push(place);
        return;
      }
      const work = prepared.send().then((attempt) => {
        running.delete(place);
        if (isRepeatable(attempt)) ledger.notSent(place);
        take(place, attempt);
      });
      running.set(place, work);
    }

    /** Returns `false` if another process wrote the record, and `undefined` if the storage can't be reached. */
    async function write(): Promise<boolean | undefined> {
      try {
        return await ledger.write();
      } catch (err) {
        log.warn({ err, broadcast: id }, 'how a broadcast stands could not be written down yet');
        return undefined;
      }
    }

    /** Hears and writes; returns what {@link write} does. */
    async function keepUp(isIdle: boolean): Promise<boolean | undefined> {
      halt ??= await heard();
      if (halt && isIdle) putOffTheRest(ledger, next);
      return write();
    }

    /** The next to begin; `undefined` while nobody may be. */
    function placeToBegin(): number | undefined {
      if (halt || running.size >= AT_ONCE) return undefined;
      if (again.length > 0) return again[0];
      return next < Math.min(total, ledger.held().broadcast.settled + AT_ONCE) ? next : undefined;
    }

    while (turn.isMine()) {
      // As it was before the writing: what comes in meanwhile is written next time.
      const isIdle = running.size === 0;
      const isOurs = await keepUp(isIdle);
      if (isOurs === false) break;
      // Also while nothing is sent: for how long it is quiet is shown, too.
      changed(ledger.held().broadcast);
      if (halt && isIdle && isOurs) return { ...(halt as Halt), held: ledger.held() };
      if (ledger.held().broadcast.settled === total) return { kind: 'all', held: ledger.held() };
      const place = isOurs ? placeToBegin() : undefined;
      const waitMs = place === undefined ? LOOK_MS : ledger.quietMs() || pace.take();
      if (place !== undefined && waitMs === 0) await begin(place);
      else await Promise.race([wait(Math.min(waitMs, LOOK_MS)), ...running.values()]);
    }
    await Promise.all(running.values());
    return { kind: 'lost' };
  };
}

/** What was begun and isn't settled comes at the end: so whoever behind it has got it meanwhile doesn't get it again. */
function putOffTheRest(ledger: Ledger, begun: number): void {
  for (let place = ledger.held().broadcast.settled; place < begun; place += 1) {
    if (!ledger.isSettled(place)) ledger.settle(place, 'put off');
  }
}
