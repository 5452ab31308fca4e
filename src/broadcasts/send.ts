// Sends a broadcast: rate limiting, stop signals, recorded attempts and deferred recipients.

import type { InlineKeyboardButton } from 'grammy/types';
import type { People } from '../accounts/users.ts';
import type { Result } from '../i18n/broadcast-counts.ts';
import type { Language } from '../i18n/texts.ts';
import type { Log } from '../platform/log.ts';
import type { Copied, Copier } from '../telegram/copier.ts';
import type { Outgoing } from '../telegram/rate-limiter.ts';
import { takesNews } from './audience.ts';
import type { Broadcast, Contents } from './broadcast.ts';
import { type BroadcastStore, CHUNK_SIZE, type Held } from './store.ts';

/**
 * Maximum attempts at one user without a recorded result: the process was killed during each of them. The first attempt
 * may have sent nothing, so there is a second one. After that the result is `unknown`, and nothing more is sent.
 */
const MAX_ATTEMPTS = 2;

/** Returns how many attempts at this place of the audience have no recorded result. */
const countAttempts = (openAttempts: readonly number[], place: number): number =>
  openAttempts.filter((one) => one === place).length;

/** Returns the attempts without the latest one at this place, which is known to have sent nothing. */
function withoutAttempt(openAttempts: readonly number[], place: number): number[] {
  const latest = openAttempts.lastIndexOf(place);
  return openAttempts.filter((_, index) => index !== latest);
}

/** Returns the attempts at places that have no result yet, or are deferred to the end. */
const withoutSettled = (
  openAttempts: readonly number[],
  { settled, putOff }: Pick<Broadcast, 'settled' | 'putOff'>,
): number[] => openAttempts.filter((place) => place >= settled || putOff.includes(place));

/** Rate limiter of the messages of a broadcast. */
interface BulkPace {
  /** Returns the milliseconds until the next message may be sent. At 0, the message is counted as sent now. */
  take(): number;
  /** Reduces the rate after a 429. */
  objected(): void;
}

/**
 * Maximum messages per second. Telegram allows 30 per second over all chats (https://core.telegram.org/bots/faq). The
 * difference is left for replies.
 */
export const MAX_PER_SECOND = 25;
/**
 * Limit on all new messages of this process per second, from which a broadcast waits. Replies and notifications of
 * operations come first.
 */
const MAX_TOTAL = 26;
/** Factor of the rate after a 429. */
const BELOW = 0.75;
/** Minimum messages per second. */
const SLOWEST = 1;
/** Time that a late sender may catch up, in multiples of the gap between two messages. */
const MADE_UP = 3;
/** Time in which the rate rises by one message per second while there is no 429, in milliseconds. */
const RISE_MS = 10_000;

/** Returns the shortest duration of `count` messages, in milliseconds. */
export const durationMs = (count: number): number => Math.ceil(count / MAX_PER_SECOND) * 1_000;

/**
 * Creates the rate limiter. It spaces messages evenly, because requests in progress during a 429 make the limit last
 * longer.
 */
export function createBulkPace(deps: { outgoing: Pick<Outgoing, 'fewerFrom'>; now: () => number }): BulkPace {
  const { outgoing, now } = deps;
  let learned = { rate: MAX_PER_SECOND, since: now() };
  let next = 0;

  const rate = () => Math.min(MAX_PER_SECOND, learned.rate + (now() - learned.since) / RISE_MS);

  return {
    take() {
      const at = Math.max(next, outgoing.fewerFrom(MAX_TOTAL, now()));
      if (at > now()) return at - now();
      const gap = 1_000 / rate();
      // A late message doesn't delay the later ones, unless it is very late.
      next = (now() - next > MADE_UP * gap ? now() : next) + gap;
      return 0;
    },
    objected() {
      learned = { rate: Math.max(SLOWEST, BELOW * rate()), since: now() };
    },
  };
}

/**
 * Why a broadcast ends or pauses before all recipients have a result. `left`: this process ends, and another one
 * continues.
 */
export type Halt =
  | { kind: 'stopped' }
  | { kind: 'left' }
  | { kind: 'held up'; pause: NonNullable<Broadcast['pause']> };

/** Lease during which a process may work on a broadcast. */
export interface Turn {
  /** Returns whether the lease is still held, so that no other process works on the broadcast. */
  isHeld(): boolean;
  isClosing(): boolean;
}

/** Resolves after this many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

/** Maximum sleep of a sending process, in milliseconds. */
const LOOK_MS = 50;
/** Minimum interval between checks of the stop signals, in milliseconds. */
const HEAR_MS = 400;

type About = Pick<Broadcast, 'id' | 'admin'>;

/** Checks the stop signals of a broadcast: control requests, shutdown, and admins who are no longer admins. */
export interface Hear {
  now(broadcast: About, turn: Turn): Promise<Halt | undefined>;
  /**
   * Returns a function that checks at most every 400 ms. It reports no stop signal while the storage is unreachable.
   */
  often(broadcast: About, turn: Turn): () => Promise<Halt | undefined>;
}

export function createHear(deps: {
  store: Pick<BroadcastStore, 'wished'>;
  isAdmin: (user: number) => boolean;
  now: () => number;
  log: Log;
}): Hear {
  const { store, isAdmin, now, log } = deps;

  async function hear({ id, admin }: About, turn: Turn): Promise<Halt | undefined> {
    if (turn.isClosing()) return { kind: 'left' };
    if (!isAdmin(admin)) return { kind: 'held up', pause: { why: 'nobody' } };
    const wished = await store.wished(id);
    if (wished?.wish === 'stop') return { kind: 'stopped' };
    return wished && { kind: 'held up', pause: { why: 'admin', by: wished.by } };
  }

  return {
    now: hear,
    often(broadcast, turn) {
      let heardAt = Number.NEGATIVE_INFINITY;
      return async () => {
        if (!turn.isClosing() && now() - heardAt < HEAR_MS) return undefined;
        heardAt = now();
        try {
          return await hear(broadcast, turn);
        } catch (err) {
          log.warn({ err, broadcast: broadcast.id }, 'the control request of a broadcast could not be read');
          return undefined;
        }
      };
    },
  };
}

/**
 * Number of refusals without a delivery in between after which Telegram is assumed to refuse the message for all
 * recipients.
 */
const REFUSED = 20;
/**
 * Number of lost responses without a delivery in between after which an admin must decide. These users may have the
 * message, and won't get it again.
 */
const LOST = 8;
/** Maximum pause after failures, in milliseconds. */
const LONGEST_MS = 30_000;

/**
 * Circuit breaker. It separates failures of one recipient from failures of all, by counting the failures since the last
 * delivery.
 */
interface Trouble {
  /**
   * Returns why the broadcast must pause after this attempt, if it must. `restMs`: time for which nothing may be sent.
   */
  after(attempt: Attempt): { pause?: NonNullable<Broadcast['pause']>; restMs: number };
}

function createTrouble(): Trouble {
  let refused = 0;
  let lost = 0;
  let failed = 0;
  const growing = (count: number) => Math.min(LONGEST_MS, 1_000 * 2 ** Math.max(0, count - 4));

  return {
    after(attempt) {
      if (attempt.kind === 'halt') return { pause: attempt.pause, restMs: 0 };
      if (attempt.kind === 'again' && attempt.isTry) {
        failed += 1;
        return { restMs: growing(failed) };
      }
      if (attempt.kind !== 'settled') return { restMs: 0 };
      if (attempt.as === 'sent') {
        refused = 0;
        lost = 0;
        failed = 0;
      }
      if (attempt.reason !== undefined) refused += 1;
      if (attempt.as === 'unknown') lost += 1;
      if (lost >= LOST) return { pause: { why: 'lost' }, restMs: 0 };
      if (refused >= REFUSED && attempt.reason !== undefined)
        return { pause: { why: 'refused', reason: attempt.reason }, restMs: 0 };
      return { restMs: attempt.as === 'unknown' ? growing(lost + 3) : 0 };
    },
  };
}

/**
 * Maximum interval between writes of a running broadcast, in milliseconds. Without a write its record would count as
 * outdated.
 */
const RENEW_MS = 10 * 60_000;

/** Results of one process until they are written, in the order of the audience. */
interface Ledger {
  held(): Held;
  isSettled(place: number): boolean;
  settle(place: number, result: Result | 'put off'): void;
  /** Counts an attempt at this place. Nothing may be sent there before the next {@link write} has returned `true`. */
  begin(place: number): void;
  /** Takes back the latest attempt at this place: nothing was sent. */
  notSent(place: number): void;
  /** How many attempts at this place have no recorded result, also those of processes that died. */
  attempts(place: number): number;
  /** Records a 429 that forbids messages for this many milliseconds. */
  objected(ms: number): void;
  /** Prevents messages for this many milliseconds. */
  rest(ms: number): void;
  /** Returns the remaining milliseconds without messages. */
  quietMs(): number;
  /** Writes the settled results in order and the open attempts. Returns `false` if another process wrote the record. */
  write(): Promise<boolean>;
}

function createLedger(deps: {
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
  /** Changes of a write that failed. It may have been executed. */
  let unclear: ReturnType<typeof changes>;
  const results = new Map<number, Result | 'put off'>();

  const rest = (ms: number) => {
    quietUntil = Math.max(quietUntil, now() + ms);
  };

  /** Returns the counts with all results that are complete in order. */
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
      // Repeats exactly the same write. If it was executed, the storage recognises it as this process's own.
      if (unclear && !(await writeChanges(unclear))) return false;
      const next = changes();
      return next === undefined || writeChanges(next);
    },
  };
}

const AWAY_MS = 1_000;

/** Prepares sending to the user at this place of the audience. Reads the audience in chunks. Never throws. */
type Reach = (place: number) => Promise<Prepared>;

function createReach(
  deps: { store: Pick<BroadcastStore, 'chunk'>; prepareCopy: PrepareCopy; log: Log },
  broadcast: Broadcast,
): Reach {
  const { store, prepareCopy, log } = deps;
  const { id } = broadcast;
  let part: { number: number; users: Promise<number[] | undefined> } | undefined;

  /** Returns `undefined` if that chunk of the audience was deleted or has expired. */
  async function userAt(place: number): Promise<number | undefined> {
    const number = Math.floor(place / CHUNK_SIZE);
    if (part?.number !== number) part = { number, users: store.chunk(id, number) };
    const { users } = part;
    try {
      return (await users)?.[place % CHUNK_SIZE];
    } catch (err) {
      // Reads the chunk again after an error.
      part = undefined;
      throw err;
    }
  }

  return async (place) => {
    try {
      const user = await userAt(place);
      if (user === undefined) return { kind: 'halt', pause: { why: 'audience' } };
      return await prepareCopy(broadcast, user);
    } catch (err) {
      log.warn({ err, broadcast: id }, 'a copy of a broadcast could not be prepared; retrying');
      return { kind: 'again', afterMs: AWAY_MS, isTry: false };
    }
  };
}

/**
 * Result of an attempt.
 *
 * - `settled`: the recipient has a result. `reason`: why Telegram refused the message.
 * - `later`: Telegram returned a 429.
 * - `again`: nothing was sent, and the attempt is repeated after `afterMs`. `isTry`: it is repeated only a few times.
 * - `halt`: nothing was sent, and the broadcast pauses.
 */
type Attempt =
  | { kind: 'settled'; as: Result; reason?: string }
  | { kind: 'later'; afterMs: number }
  | { kind: 'again'; afterMs: number; isTry: boolean }
  | { kind: 'halt'; pause: NonNullable<Broadcast['pause']> };

/** Result of checking a recipient: a message that may be sent, or an attempt that ended without a request. */
type Prepared = { kind: 'ready'; send: () => Promise<Attempt> } | Attempt;

const COPY_RETRY_MS = 3_000;
const FAILED_MS = 1_000;

/**
 * Checks whether a user may still be sent the broadcast, and prepares their copy. Sends nothing until the caller calls
 * `send` of the result, once.
 */
type PrepareCopy = (broadcast: Pick<Broadcast, 'contents' | 'audience'>, user: number) => Promise<Prepared>;

export function createPrepareCopy(deps: {
  copier: Copier;
  people: Pick<People, 'find' | 'gone'>;
  /** Returns the button row to opt out, below each copy. */
  optOut: (language: Language) => InlineKeyboardButton[];
}): PrepareCopy {
  const { copier, people, optOut } = deps;

  return async ({ contents, audience }, user) => {
    const person = await people.find(user);
    // A test is sent to its author, even if they have opted out.
    if (person === undefined || !(audience.who === 'me' || takesNews(person))) return settled('skipped');
    const { chat, message, buttons } = contentIn(contents, person.language);
    const keyboard = [...buttons.map((one) => [one]), optOut(person.language)];
    return {
      kind: 'ready',
      async send() {
        // From here on, the user may have the message, whatever happens.
        const copied = await copier.copy(user, { chat, message }, keyboard).catch(unclear);
        // An error is ignored: the next message will show the same, and this one must not be sent again.
        if (copied.kind === 'unwritable') await people.gone(user, copied.why).catch(() => undefined);
        return attemptOf(copied);
      },
    };
  };
}

const unclear = (): Copied => ({ kind: 'unclear' });

function contentIn(contents: Contents, language: Language) {
  return contents[language] ?? contents.default;
}

function attemptOf(copied: Copied): Attempt {
  switch (copied.kind) {
    case 'sent':
      return settled('sent');
    case 'unclear':
      return settled('unknown');
    case 'unwritable':
      return copied.why === 'unreachable'
        ? { ...settled(copied.why), reason: 'not found' }
        : settled(copied.why);
    case 'no-source':
      return { kind: 'halt', pause: { why: 'gone' } };
    case 'no-bot':
      return { kind: 'halt', pause: { why: 'refused', reason: copied.reason } };
    case 'refused':
      return { ...settled('failed'), reason: copied.reason };
    case 'away':
      return { kind: 'again', afterMs: COPY_RETRY_MS, isTry: false };
    case 'failed':
      return { kind: 'again', afterMs: FAILED_MS, isTry: true };
    default:
      return copied;
  }
}

/** Returns whether it is certain that this attempt sent nothing, and that a later one may. */
const isRepeatable = (attempt: Attempt): boolean => attempt.kind !== 'settled' || attempt.as === 'failed';

const settled = (as: Result) => ({ kind: 'settled' as const, as });

/** Maximum concurrent messages. It is low, because a kill may send them twice, and they prolong a 429. */
const SEND_CONCURRENCY = 4;
/** Number of failed tries after which a recipient is deferred to the end. */
const MAX_TRIES = 3;
const MAX_DEFERRED = 1_000;

/**
 * Why sending ended. `all`: all recipients have a result. `lost`: the lease was lost, or another process wrote the
 * record. Otherwise a stop signal.
 */
type SentAll = { kind: 'all'; held: Held } | (Halt & { held: Held }) | { kind: 'lost' };

export type SendAll = (from: Held, turn: Turn, changed: (broadcast: Broadcast) => void) => Promise<SentAll>;

interface SendDeps {
  store: BroadcastStore;
  prepareCopy: PrepareCopy;
  pace: BulkPace;
  hear: Hear;
  wait: Wait;
  now: () => number;
  log: Log;
}

/**
 * Sends to all remaining recipients, some of them concurrently. Results are written in the order of the audience. A
 * place is started only if it is less than {@link SEND_CONCURRENCY} places after the last written result.
 *
 * Each attempt is recorded before its request. A process that takes over sends once more to a user with one attempt
 * without a result, and never to a user with two.
 */
export function createSendAll(deps: SendDeps): SendAll {
  const { store, pace, hear, wait, now, log } = deps;

  return async (from, turn, changed) => {
    const { id, total } = from.broadcast;
    const ledger = createLedger({ from, store, now });
    const reach = createReach(deps, from.broadcast);
    const heard = hear.often(from.broadcast, turn);
    const tries = new Map<number, number>();
    /** Places to start again. */
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

    const mayPutOff = () => ledger.held().broadcast.putOff.length < MAX_DEFERRED;

    function take(place: number, attempt: Attempt): void {
      const { pause, restMs } = trouble.after(attempt);
      if (pause) halt ??= { kind: 'held up', pause };
      ledger.rest(restMs);
      switch (attempt.kind) {
        case 'settled':
          // The refusal may concern all recipients, and its cause may be fixed. So the place is tried once more at the
          // end.
          settle(place, attempt.as === 'failed' && mayPutOff() ? 'put off' : attempt.as);
          break;
        case 'later':
          pace.objected();
          ledger.objected(attempt.afterMs);
          // The limit may concern only this chat. Deferring the place avoids a second wait for it.
          settle(place, 'put off');
          break;
        case 'again':
          ledger.rest(attempt.afterMs);
          if (attempt.isTry && tried(place) >= MAX_TRIES) settle(place, 'put off');
          else again.push(place);
          break;
        case 'halt':
          again.push(place);
      }
    }

    /** Records an attempt and starts sending, if the user at this place may get the message now. */
    async function begin(place: number): Promise<void> {
      if (again[0] === place) again.shift();
      else next += 1;
      if (ledger.attempts(place) >= MAX_ATTEMPTS) return settle(place, 'unknown');
      const prepared = await reach(place);
      if (prepared.kind !== 'ready') return take(place, prepared);
      ledger.begin(place);
      const isRecorded = await write();
      if (!isRecorded || !turn.isHeld() || halt) {
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
        log.warn({ err, broadcast: id }, 'the progress of a broadcast could not be written yet');
        return undefined;
      }
    }

    /** Checks the stop signals and writes. Returns the result of {@link write}. */
    async function keepUp(isIdle: boolean): Promise<boolean | undefined> {
      halt ??= await heard();
      if (halt && isIdle) putOffTheRest(ledger, next);
      return write();
    }

    /** Returns the next place to start, or `undefined` if none may be started now. */
    function placeToBegin(): number | undefined {
      if (halt || running.size >= SEND_CONCURRENCY) return undefined;
      if (again.length > 0) return again[0];
      return next < Math.min(total, ledger.held().broadcast.settled + SEND_CONCURRENCY) ? next : undefined;
    }

    while (turn.isHeld()) {
      // Read before the write: results that arrive during the write are written next time.
      const isIdle = running.size === 0;
      const isOurs = await keepUp(isIdle);
      if (isOurs === false) break;
      // Also while nothing is sent, because the progress shows the remaining wait.
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

/**
 * Defers all started places without a result to the end. Results are written in order, so otherwise later users who
 * have the message would get it again.
 */
function putOffTheRest(ledger: Ledger, begun: number): void {
  for (let place = ledger.held().broadcast.settled; place < begun; place += 1) {
    if (!ledger.isSettled(place)) ledger.settle(place, 'put off');
  }
}

/** Number of tries after which a deferred recipient counts as failed. */
const MAX_DEFERRED_TRIES = 3;

/**
 * Sends to the deferred recipients, one after another: those with a refusal or a 429, and those that were started when
 * the broadcast paused. After some tries they count as failed.
 */
export function createSendPutOff(deps: SendDeps): SendAll {
  const { store, pace, hear, wait, now, log } = deps;

  /** Retries until the write succeeds: a user who has the message must not get it again. */
  async function write(held: Held, turn: Turn, changes: Partial<Broadcast>): Promise<Held | undefined> {
    while (turn.isHeld()) {
      try {
        return await store.replace(held, changes);
      } catch (err) {
        log.warn(
          { err, broadcast: held.broadcast.id },
          'the progress of a broadcast could not be written yet',
        );
        await wait(LOOK_MS);
      }
    }
    return undefined;
  }

  return async (from, turn, changed) => {
    const reach = createReach(deps, from.broadcast);
    const heard = hear.often(from.broadcast, turn);
    let held = from;
    let quietUntil = from.broadcast.quietUntil ?? 0;
    let tries = 0;
    const trouble = createTrouble();

    /** Returns the result to write, or `undefined` if the place is tried again. */
    function resultOf(attempt: Attempt): Result | undefined {
      if (attempt.kind === 'settled') return attempt.as;
      if (attempt.kind === 'later') pace.objected();
      if (attempt.kind !== 'halt') quietUntil = now() + attempt.afterMs;
      const isTry = attempt.kind === 'later' || (attempt.kind === 'again' && attempt.isTry);
      tries += isTry ? 1 : 0;
      return tries >= MAX_DEFERRED_TRIES ? 'failed' : undefined;
    }

    while (turn.isHeld()) {
      const [place, ...others] = held.broadcast.putOff;
      if (place === undefined) return { kind: 'all', held };
      changed(held.broadcast);
      const halt = await heard();
      if (halt) return { ...halt, held };
      if (now() - held.broadcast.activeAt >= RENEW_MS) {
        const renewed = await write(held, turn, { activeAt: now() });
        if (renewed === undefined) break;
        held = renewed;
      }
      const { openAttempts, settled, unknown } = held.broadcast;
      const openWithoutPlace = withoutSettled(openAttempts, { settled, putOff: others });
      if (countAttempts(openAttempts, place) >= MAX_ATTEMPTS) {
        const changes = { unknown: unknown + 1, putOff: others, openAttempts: openWithoutPlace };
        const written = await write(held, turn, changes);
        if (written === undefined) break;
        held = written;
        continue;
      }
      const waitMs = Math.max(0, quietUntil - now()) || pace.take();
      if (waitMs > 0) {
        await wait(Math.min(waitMs, LOOK_MS));
        continue;
      }
      let attempt = await reach(place);
      if (attempt.kind === 'ready') {
        // Recorded before the request: a process that takes over sends to this place at most once more.
        const recorded = await write(held, turn, {
          ...{ openAttempts: [...openAttempts, place], activeAt: now() },
        });
        if (recorded === undefined || !turn.isHeld()) break;
        held = recorded;
        attempt = await attempt.send();
      }
      const { pause, restMs } = trouble.after(attempt);
      quietUntil = Math.max(quietUntil, now() + restMs);
      const result = resultOf(attempt);
      const { objections } = held.broadcast;
      const written = await write(held, turn, {
        ...(result && { [result]: held.broadcast[result] + 1, putOff: others }),
        openAttempts: result ? openWithoutPlace : openAttempts,
        objections: objections + (attempt.kind === 'later' ? 1 : 0),
        ...{ quietUntil, activeAt: now() },
      });
      if (written === undefined) break;
      held = written;
      if (attempt.kind === 'halt') return { kind: 'held up', held, pause: attempt.pause };
      // A refusal here doesn't pause the broadcast: only some recipients were refused before.
      if (pause && pause.why !== 'refused') return { kind: 'held up', held, pause };
      if (result) tries = 0;
    }
    return { kind: 'lost' };
  };
}
