import type { InlineKeyboardButton } from 'grammy/types';
import type { Users } from '../accounts/users.ts';
import type { Language, Texts, Words } from '../i18n/texts.ts';
import { isRecent, MINUTE_MS } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type BulkLimit, MAX_PER_SECOND } from '../telegram/bulk-limit.ts';
import type { Copied, Copier } from '../telegram/sender.ts';
import type { DeliveryResult } from '../views/broadcast-results.ts';
import { callbackData, replyBelow } from '../views/callback-data.ts';
import { button } from '../views/view.ts';
import { acceptsBroadcasts } from './audience.ts';
import {
  type Broadcast,
  type BroadcastStore,
  CHUNK_SIZE,
  type Content,
  isTest,
  type Pause,
  type StoredBroadcast,
} from './store.ts';

export type Wait = (ms: number) => Promise<unknown>;

/** Returns the shortest duration of `count` messages, in milliseconds. */
export const durationMs = (count: number): number => Math.ceil(count / MAX_PER_SECOND) * 1_000;

/** Why a broadcast ends or pauses early. `shutdown`: this process ends, and another one continues. */
export type StopReason =
  | { kind: 'stopped'; by: number }
  | { kind: 'shutdown' }
  | { kind: 'paused'; pause: Pause };

export interface SendLease {
  /** Returns whether the lease is still held, so that no other process works on the broadcast. */
  isHeld(): boolean;
  isClosing(): boolean;
}

/** Minimum interval between throttled checks of the stop signals, in milliseconds. */
const STOP_CHECK_MS = 400;

export type StopSignals = ReturnType<typeof createStopSignals>;

/** Creates the stop signals of a broadcast: control requests, shutdown, and removed admins. */
export function createStopSignals(deps: {
  store: Pick<BroadcastStore, 'controlRequest'>;
  isAdmin: (user: number) => boolean;
  now: () => number;
  log: Log;
}) {
  const { store, isAdmin, now, log } = deps;

  async function check({ id, admin }: Broadcast, lease: SendLease): Promise<StopReason | undefined> {
    if (lease.isClosing()) return { kind: 'shutdown' };
    if (!isAdmin(admin)) return { kind: 'paused', pause: { why: 'former-admin' } };
    const request = await store.controlRequest(id);
    if (request?.action === 'stop') return { kind: 'stopped', by: request.by };
    return request && { kind: 'paused', pause: { why: 'admin', by: request.by } };
  }

  return {
    check,
    /** Returns a function that checks at most every 400 ms, and finds nothing during storage outages. */
    throttled(broadcast: Broadcast, lease: SendLease) {
      let checkedAt = Number.NEGATIVE_INFINITY;
      return async (): Promise<StopReason | undefined> => {
        if (!lease.isClosing() && isRecent(checkedAt, STOP_CHECK_MS, now())) return undefined;
        checkedAt = now();
        try {
          return await check(broadcast, lease);
        } catch (err) {
          log.warn({ err, broadcast: broadcast.id }, 'the control request of a broadcast could not be read');
          return undefined;
        }
      };
    },
  };
}

/**
 * Result of an attempt. `settled`: the recipient has a result; `refusal` is Telegram's reason.
 * `rate-limited`: Telegram returned a 429. `retry`: nothing was sent; `isCounted` limits the repetitions.
 * `pause`: nothing was sent, and the broadcast pauses.
 */
type Attempt =
  | { kind: 'settled'; result: DeliveryResult; refusal?: string }
  | { kind: 'rate-limited'; afterMs: number }
  | { kind: 'retry'; afterMs: number; isCounted: boolean }
  | { kind: 'pause'; pause: Pause };

/** Refusals since the last delivery after which Telegram is assumed to refuse all recipients. */
const MAX_REFUSALS = 20;
/** Lost responses since the last delivery after which the broadcast pauses until an admin decides. */
const MAX_LOST = 8;
const MAX_BACKOFF_MS = 30_000;

/** Creates a circuit breaker, which counts failures since the last delivery. */
function createCircuitBreaker() {
  let refused = 0;
  let lost = 0;
  let failed = 0;
  const backoffMs = (count: number) => Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** Math.max(0, count - 4));

  return {
    /** Counts an attempt. `pause`: why to pause. `waitMs`: time for which nothing may be sent. */
    record(attempt: Attempt): { pause?: Pause; waitMs: number } {
      if (attempt.kind === 'pause') return { pause: attempt.pause, waitMs: 0 };
      if (attempt.kind === 'retry' && attempt.isCounted) {
        failed += 1;
        return { waitMs: backoffMs(failed) };
      }
      if (attempt.kind !== 'settled') return { waitMs: 0 };
      const { result, refusal } = attempt;
      if (result === 'sent') {
        refused = 0;
        lost = 0;
        failed = 0;
      }
      if (refusal !== undefined) refused += 1;
      if (result === 'unknown') lost += 1;
      if (lost >= MAX_LOST) return { pause: { why: 'lost' }, waitMs: 0 };
      if (refused >= MAX_REFUSALS && refusal !== undefined)
        return { pause: { why: 'refused', reason: refusal }, waitMs: 0 };
      return { waitMs: result === 'unknown' ? backoffMs(lost + 3) : 0 };
    },
  };
}

/** Attempts at one user without a recorded result (their processes were killed) after which the result is `unknown`. */
const MAX_ATTEMPTS = 2;

const countAttempts = (openAttempts: readonly number[], place: number): number =>
  openAttempts.filter((attempt) => attempt === place).length;

/** Returns the attempts at places that have no result yet, or are deferred to the end. */
const withoutSettled = (
  openAttempts: readonly number[],
  settled: number,
  deferred: readonly number[],
): number[] => openAttempts.filter((place) => place >= settled || deferred.includes(place));

/** Maximum interval between writes, in milliseconds. An unwritten record becomes outdated. */
const MAX_WRITE_INTERVAL_MS = 10 * MINUTE_MS;

/** Creates a hold, which lasts until its stored end. If the clock is set back, it lasts no longer than before. */
function createHold(until: number | undefined, now: () => number) {
  let end = until ?? 0;
  let longestMs = end - now();
  return {
    until: () => end,
    extend(ms: number): void {
      end = Math.max(end, now() + ms);
      longestMs = Math.max(longestMs, ms);
    },
    waitMs(): number {
      end = Math.min(end, now() + longestMs);
      return Math.max(0, end - now());
    },
  };
}

/** Creates the ledger of this process's results that aren't written yet, in the order of the audience. */
function createLedger(from: StoredBroadcast, store: BroadcastStore, now: () => number) {
  let stored = from;
  const hold = createHold(from.broadcast.waitUntil, now);
  let rateLimitHits = 0;
  let openAttempts: readonly number[] = from.broadcast.openAttempts;
  let writtenAt = now();
  /** Changes of a write that failed. It may have been executed. */
  let uncertain: ReturnType<typeof changes>;
  const results = new Map<number, DeliveryResult | 'deferred'>();

  /** Returns the counts including all results that are complete in order. */
  function countResults({ broadcast }: StoredBroadcast) {
    const counts: Partial<Record<DeliveryResult, number>> = {};
    const deferred = [...broadcast.deferred];
    let { settled } = broadcast;
    for (let result = results.get(settled); result !== undefined; result = results.get(settled)) {
      if (result === 'deferred') deferred.push(settled);
      else counts[result] = (counts[result] ?? broadcast[result]) + 1;
      settled += 1;
    }
    return { ...counts, deferred, settled };
  }

  function changes() {
    const { broadcast } = stored;
    const counts = countResults(stored);
    const open = withoutSettled(openAttempts, counts.settled, counts.deferred);
    const isChanged =
      counts.settled > broadcast.settled ||
      rateLimitHits > 0 ||
      String(open) !== String(broadcast.openAttempts);
    const at = now();
    if (!isChanged && at - broadcast.activeAt < MAX_WRITE_INTERVAL_MS) return undefined;
    return {
      ...counts,
      openAttempts: open,
      waitUntil: hold.until(),
      sendingMs: broadcast.sendingMs + Math.max(0, at - writtenAt),
      activeAt: at,
      rateLimitHits: broadcast.rateLimitHits + rateLimitHits,
    };
  }

  async function writeChanges(next: NonNullable<ReturnType<typeof changes>>): Promise<boolean> {
    const { broadcast } = stored;
    uncertain = next;
    const at = now();
    const written = await store.replace(stored, next);
    if (written === undefined) return false;
    for (let place = broadcast.settled; place < next.settled; place += 1) results.delete(place);
    rateLimitHits -= next.rateLimitHits - broadcast.rateLimitHits;
    openAttempts = withoutSettled(openAttempts, next.settled, next.deferred);
    uncertain = undefined;
    writtenAt = at;
    stored = written;
    return true;
  }

  return {
    stored: () => stored,
    isSettled: (place: number) => results.has(place) || place < stored.broadcast.settled,
    settle: (place: number, result: DeliveryResult | 'deferred') => void results.set(place, result),
    /** Counts an attempt at this place. Nothing may be sent to it before the next `write` has returned `true`. */
    beginAttempt(place: number): void {
      openAttempts = [...openAttempts, place];
    },
    /** Removes the latest attempt at this place: nothing was sent. */
    undoAttempt(place: number): void {
      const latest = openAttempts.lastIndexOf(place);
      openAttempts = openAttempts.filter((_, index) => index !== latest);
    },
    /** Returns how many attempts at this place have no recorded result, also those of processes that died. */
    attempts: (place: number) => countAttempts(openAttempts, place),
    /** Counts a 429 that forbids messages for this many milliseconds. */
    addRateLimitHit(ms: number): void {
      rateLimitHits += 1;
      hold.extend(ms);
    },
    holdFor: hold.extend,
    waitMs: hold.waitMs,
    /** Writes settled results and open attempts. Returns `false` if another process wrote the record. */
    async write(): Promise<boolean> {
      // Repeats exactly the same write. If it was executed, the storage recognizes it as this process's own.
      if (uncertain && !(await writeChanges(uncertain))) return false;
      const next = changes();
      return next === undefined || writeChanges(next);
    },
  };
}

/** Checked recipient: a copy to send, once, or an attempt that ended without a request. */
type Prepared = { kind: 'ready'; send: () => Promise<Attempt> } | Attempt;

const UNREACHABLE_RETRY_MS = 3_000;
const FAILED_RETRY_MS = 1_000;
const STORAGE_RETRY_MS = 1_000;

function attemptOf(copied: Copied): Attempt {
  switch (copied.kind) {
    case 'sent':
      return settled('sent');
    case 'unclear':
      return settled('unknown');
    case 'unwritable':
      return copied.why === 'unreachable'
        ? { ...settled(copied.why), refusal: 'not found' }
        : settled(copied.why);
    case 'no-source':
      return { kind: 'pause', pause: { why: 'gone' } };
    case 'no-bot':
      return { kind: 'pause', pause: { why: 'refused', reason: copied.reason } };
    case 'refused':
      return { ...settled('failed'), refusal: copied.reason };
    case 'away':
      return { kind: 'retry', afterMs: UNREACHABLE_RETRY_MS, isCounted: false };
    case 'failed':
      return { kind: 'retry', afterMs: FAILED_RETRY_MS, isCounted: true };
    case 'later':
      return { kind: 'rate-limited', afterMs: copied.afterMs };
  }
}

const settled = (result: DeliveryResult) => ({ kind: 'settled' as const, result });

/** Returns whether the attempt certainly sent nothing, so that another one is allowed. */
const isSafeToRepeat = (attempt: Attempt): boolean =>
  attempt.kind !== 'settled' || attempt.result === 'failed';

/** `all`: all have a result. `lost`: the lease was lost, or another process wrote the record. */
type SendResult =
  | { kind: 'all'; stored: StoredBroadcast }
  | (StopReason & { stored: StoredBroadcast })
  | { kind: 'lost' };
const LOST: SendResult = { kind: 'lost' };

/** Maximum concurrent messages. It is low, because a kill may send them twice, and they prolong a 429. */
const SEND_CONCURRENCY = 4;
const MAX_SLEEP_MS = 50;
/** Failed tries after which a recipient is deferred to the end. */
const MAX_TRIES = 3;
const MAX_DEFERRED = 1_000;

/** Tries after which a deferred recipient counts as failed. */
const MAX_DEFERRED_TRIES = 3;

type SendParameters = [from: StoredBroadcast, lease: SendLease, onChange: (broadcast: Broadcast) => void];

export type Send = ReturnType<typeof createSend>;

/** Returns the last button row of each broadcast. Its button unsubscribes the user from broadcasts. */
export function optOutRow(words: Words): InlineKeyboardButton[] {
  return [button(words, 'button-announcements-off', replyBelow(callbackData('announcements', 'off')))];
}

/** Returns the buttons below a broadcast's message, one per row, as a user with this language gets them. */
export function broadcastRows(
  texts: Texts,
  buttons: Content['buttons'],
  language: Language,
): InlineKeyboardButton[][] {
  const own = buttons.map(({ text, texts: labels, url }) => [{ text: labels?.[language] ?? text, url }]);
  return [...own, optOutRow(texts.in(language))];
}

/** Creates the function that sends a broadcast to all recipients without a result, deferred ones last. */
export function createSend(deps: {
  store: BroadcastStore;
  copier: Copier;
  users: Pick<Users, 'find' | 'setUnreachable'>;
  texts: Texts;
  bulkLimit: Pick<BulkLimit, 'acquire'>;
  stopSignals: StopSignals;
  wait: Wait;
  now: () => number;
  log: Log;
}) {
  const { store, copier, users, texts, bulkLimit, stopSignals, wait, now, log } = deps;

  /** Checks whether a user may still get the broadcast, and prepares their copy. Sends nothing. */
  async function prepareCopy(broadcast: Broadcast, id: number): Promise<Prepared> {
    const user = await users.find(id);
    // A test is sent to its author, even if they have opted out.
    if (user === undefined || !(isTest(broadcast) || acceptsBroadcasts(user))) return settled('skipped');
    const { chat, message, buttons } = broadcast.contents[user.language] ?? broadcast.contents.default;
    const keyboard = broadcastRows(texts, buttons, user.language);
    return {
      kind: 'ready',
      async send() {
        // From here on, the user may have the message, whatever happens.
        const copied = await copier
          .copy(id, { chat, message }, keyboard)
          .catch((): Copied => ({ kind: 'unclear' }));
        // An error is ignored: the next message will be refused too, and this one must not be sent again.
        if (copied.kind === 'unwritable') await users.setUnreachable(id, copied.why).catch(() => undefined);
        return attemptOf(copied);
      },
    };
  }

  /** Returns a function that prepares the copy for a place of the audience. It never throws. */
  function preparePlaces(broadcast: Broadcast): (place: number) => Promise<Prepared> {
    const { id } = broadcast;
    let current: { chunk: number; users: Promise<number[] | undefined> } | undefined;

    return async (place) => {
      const chunk = Math.floor(place / CHUNK_SIZE);
      if (current?.chunk !== chunk) current = { chunk, users: store.audienceChunk(id, chunk) };
      const reading = current.users;
      try {
        const recipients = await reading.catch((err: unknown) => {
          // Reads the chunk again after an error.
          current = undefined;
          throw err;
        });
        const user = recipients?.[place % CHUNK_SIZE];
        // The chunk of the audience was deleted or has expired.
        if (user === undefined) return { kind: 'pause', pause: { why: 'audience' } };
        return await prepareCopy(broadcast, user);
      } catch (err) {
        log.warn({ err, broadcast: id }, 'a copy of a broadcast could not be prepared; retrying');
        return { kind: 'retry', afterMs: STORAGE_RETRY_MS, isCounted: false };
      }
    };
  }

  /**
   * Sends to the remaining recipients, some of them concurrently. Results are written in the order of the
   * audience, and started places stay within {@link SEND_CONCURRENCY} of the last written result. Each
   * attempt is recorded before its request. A process that takes over sends once more to a user with one open
   * attempt, never with two.
   */
  async function sendRemaining(...[from, lease, onChange]: SendParameters): Promise<SendResult> {
    const { id, total } = from.broadcast;
    const ledger = createLedger(from, store, now);
    const prepare = preparePlaces(from.broadcast);
    const checkStop = stopSignals.throttled(from.broadcast, lease);
    const breaker = createCircuitBreaker();
    const tries = new Map<number, number>();
    const retries: number[] = [];
    const running = new Map<number, Promise<void>>();
    let nextPlace = from.broadcast.settled;
    let stop: StopReason | undefined;

    function countTry(place: number): number {
      const count = (tries.get(place) ?? 0) + 1;
      tries.set(place, count);
      return count;
    }

    function settle(place: number, result: DeliveryResult | 'deferred'): void {
      ledger.settle(place, result);
      tries.delete(place);
    }

    const canDefer = () => ledger.stored().broadcast.deferred.length < MAX_DEFERRED;

    function applyAttempt(place: number, attempt: Attempt): void {
      const { pause, waitMs } = breaker.record(attempt);
      if (pause) stop ??= { kind: 'paused', pause };
      ledger.holdFor(waitMs);
      switch (attempt.kind) {
        case 'settled':
          // The refusal may concern all recipients. Its cause may be fixed before the second try.
          settle(place, attempt.result === 'failed' && canDefer() ? 'deferred' : attempt.result);
          break;
        case 'rate-limited':
          ledger.addRateLimitHit(attempt.afterMs);
          // The limit may concern only this chat. Deferring the place avoids a second wait for it.
          settle(place, 'deferred');
          break;
        case 'retry':
          ledger.holdFor(attempt.afterMs);
          if (attempt.isCounted && countTry(place) >= MAX_TRIES) settle(place, 'deferred');
          else retries.push(place);
          break;
        case 'pause':
          retries.push(place);
      }
    }

    /** Records an attempt and starts sending, if the user at this place may get the message now. */
    async function startAttempt(place: number): Promise<void> {
      if (retries[0] === place) retries.shift();
      else nextPlace += 1;
      if (ledger.attempts(place) >= MAX_ATTEMPTS) return settle(place, 'unknown');
      const prepared = await prepare(place);
      if (prepared.kind !== 'ready') return applyAttempt(place, prepared);
      ledger.beginAttempt(place);
      const isRecorded = await write();
      if (!isRecorded || !lease.isHeld() || stop) {
        ledger.undoAttempt(place);
        retries.push(place);
        return;
      }
      const sending = prepared.send().then((attempt) => {
        running.delete(place);
        if (isSafeToRepeat(attempt)) ledger.undoAttempt(place);
        applyAttempt(place, attempt);
      });
      running.set(place, sending);
    }

    /** Returns `false` if another process wrote the record, `undefined` if the storage is unreachable. */
    async function write(): Promise<boolean | undefined> {
      try {
        return await ledger.write();
      } catch (err) {
        log.warn({ err, broadcast: id }, 'the progress of a broadcast could not be written yet');
        return undefined;
      }
    }

    /** Defers started places without a result, so that later places that have a result count as settled. */
    function deferStarted(): void {
      for (let place = ledger.stored().broadcast.settled; place < nextPlace; place += 1) {
        if (!ledger.isSettled(place)) ledger.settle(place, 'deferred');
      }
    }

    /** Returns the next place to start, or `undefined` if none may be started now. */
    function placeToStart(): number | undefined {
      if (stop || running.size >= SEND_CONCURRENCY) return undefined;
      if (retries.length > 0) return retries[0];
      const end = Math.min(total, ledger.stored().broadcast.settled + SEND_CONCURRENCY);
      return nextPlace < end ? nextPlace : undefined;
    }

    while (lease.isHeld()) {
      // Read before the write: results that arrive during the write are written next time.
      const isIdle = running.size === 0;
      stop ??= await checkStop();
      if (stop && isIdle) deferStarted();
      const isWritten = await write();
      if (isWritten === false) break;
      const stored = ledger.stored();
      // Called even while nothing is sent, because the progress shows the remaining wait.
      onChange(stored.broadcast);
      if (stop && isIdle && isWritten) return { ...stop, stored };
      if (stored.broadcast.settled === total) return { kind: 'all', stored };
      const place = isWritten ? placeToStart() : undefined;
      const waitMs = place === undefined ? MAX_SLEEP_MS : ledger.waitMs() || (await bulkLimit.acquire());
      if (place !== undefined && waitMs === 0) await startAttempt(place);
      else await Promise.race([wait(Math.min(waitMs, MAX_SLEEP_MS)), ...running.values()]);
    }
    await Promise.all(running.values());
    return LOST;
  }

  /** Sends to the deferred recipients, one after another. After some tries they count as failed. */
  async function sendDeferred(...[from, lease, onChange]: SendParameters): Promise<SendResult> {
    const prepare = preparePlaces(from.broadcast);
    const checkStop = stopSignals.throttled(from.broadcast, lease);
    const breaker = createCircuitBreaker();
    let stored = from;
    const hold = createHold(from.broadcast.waitUntil, now);
    let tries = 0;

    /**
     * Writes changes. Retries until it succeeds: a user who has the message must not get it again. Returns
     * `false` if the lease was lost, or another process wrote the record.
     */
    async function write(changes: Partial<Broadcast>): Promise<boolean> {
      while (lease.isHeld()) {
        try {
          const written = await store.replace(stored, changes);
          if (written) stored = written;
          return written !== undefined;
        } catch (err) {
          const { id } = stored.broadcast;
          log.warn({ err, broadcast: id }, 'the progress of a broadcast could not be written yet');
          await wait(MAX_SLEEP_MS);
        }
      }
      return false;
    }

    /** Returns the result to write, or `undefined` if the place is tried again. */
    function resultOf(attempt: Attempt): DeliveryResult | undefined {
      if (attempt.kind === 'settled') return attempt.result;
      if (attempt.kind !== 'pause') hold.extend(attempt.afterMs);
      if (attempt.kind === 'rate-limited' || (attempt.kind === 'retry' && attempt.isCounted)) tries += 1;
      return tries >= MAX_DEFERRED_TRIES ? 'failed' : undefined;
    }

    /** Sends to a place, if it may be sent to now, and writes the result. Returns why sending ends, if it does. */
    async function sendTo(place: number, otherPlaces: number[]): Promise<SendResult | undefined> {
      const { openAttempts, settled, unknown, rateLimitHits } = stored.broadcast;
      const otherAttempts = withoutSettled(openAttempts, settled, otherPlaces);
      if (countAttempts(openAttempts, place) >= MAX_ATTEMPTS) {
        const changes = { unknown: unknown + 1, deferred: otherPlaces, openAttempts: otherAttempts };
        return (await write(changes)) ? undefined : LOST;
      }
      const waitMs = hold.waitMs() || (await bulkLimit.acquire());
      if (waitMs > 0) {
        await wait(Math.min(waitMs, MAX_SLEEP_MS));
        return undefined;
      }
      let attempt = await prepare(place);
      if (attempt.kind === 'ready') {
        // Recorded before the request: a process that takes over sends to this place at most once more.
        const isRecorded = await write({ openAttempts: [...openAttempts, place], activeAt: now() });
        if (!isRecorded || !lease.isHeld()) return LOST;
        attempt = await attempt.send();
      }
      const { pause, waitMs: backoffMs } = breaker.record(attempt);
      hold.extend(backoffMs);
      const result = resultOf(attempt);
      const isWritten = await write({
        ...(result && { [result]: stored.broadcast[result] + 1, deferred: otherPlaces }),
        openAttempts: result ? otherAttempts : openAttempts,
        rateLimitHits: rateLimitHits + (attempt.kind === 'rate-limited' ? 1 : 0),
        waitUntil: hold.until(),
        activeAt: now(),
      });
      if (!isWritten) return LOST;
      if (result) tries = 0;
      // A refusal here doesn't pause the broadcast: only some recipients were refused before.
      const isPaused = pause && (attempt.kind === 'pause' || pause.why !== 'refused');
      return isPaused ? { kind: 'paused', stored, pause } : undefined;
    }

    while (lease.isHeld()) {
      const [place, ...otherPlaces] = stored.broadcast.deferred;
      if (place === undefined) return { kind: 'all', stored };
      onChange(stored.broadcast);
      const stop = await checkStop();
      if (stop) return { ...stop, stored };
      const isOutdated = now() - stored.broadcast.activeAt >= MAX_WRITE_INTERVAL_MS;
      if (isOutdated && !(await write({ activeAt: now() }))) return LOST;
      const end = await sendTo(place, otherPlaces);
      if (end) return end;
    }
    return LOST;
  }

  return async (...[from, lease, onChange]: SendParameters): Promise<SendResult> => {
    const result = await sendRemaining(from, lease, onChange);
    return result.kind === 'all' ? sendDeferred(result.stored, lease, onChange) : result;
  };
}
