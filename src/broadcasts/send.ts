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
 * Maximum attempts at one person without a recorded result: the process was killed during each of them. The first may have
 * sent nothing, so there is a second one. After that the result is `unknown`, and nothing more is sent.
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

/** Returns the attempts at places that have no result yet, or are to be tried again at the end. */
const withoutSettled = (
  openAttempts: readonly number[],
  { settled, putOff }: Pick<Broadcast, 'settled' | 'putOff'>,
): number[] => openAttempts.filter((place) => place >= settled || putOff.includes(place));

/** How soon the next of very many messages may be sent. */
interface BulkPace {
  /** How many milliseconds until the next may begin; 0: it is counted as begun. */
  take(): number;
  /** It was answered with a 429. */
  objected(): void;
}

/** Somewhat below the thirty a second over all chats that Telegram names (https://core.telegram.org/bots/faq), for those who are answered meanwhile. */
export const MOST_A_SECOND = 25;
/** Of all that this process sends: whoever is answered, or told of money, has the room, and the bulk waits. */
const MOST_OF_ALL = 26;
const BELOW = 0.75;
const SLOWEST = 1;
/** So many places that nobody came to in time are made up for. */
const MADE_UP = 3;
/** How soon it is faster by one a second again, while Telegram objects to nothing. */
const RISE_MS = 10_000;

/** How long so many take at most of the pace, in milliseconds. */
export const durationMs = (count: number): number => Math.ceil(count / MOST_A_SECOND) * 1_000;

/** Evenly, never in bursts: what is under way at a 429 makes it last longer. */
export function createBulkPace(deps: { outgoing: Pick<Outgoing, 'fewerFrom'>; now: () => number }): BulkPace {
  const { outgoing, now } = deps;
  let learned = { rate: MOST_A_SECOND, since: now() };
  let next = 0;

  const rate = () => Math.min(MOST_A_SECOND, learned.rate + (now() - learned.since) / RISE_MS);

  return {
    take() {
      const at = Math.max(next, outgoing.fewerFrom(MOST_OF_ALL, now()));
      if (at > now()) return at - now();
      const gap = 1_000 / rate();
      // Who comes late for their place doesn't move those of all others, unless they come very late.
      next = (now() - next > MADE_UP * gap ? now() : next) + gap;
      return 0;
    },
    objected() {
      learned = { rate: Math.max(SLOWEST, BELOW * rate()), since: now() };
    },
  };
}

/** Why a broadcast ends or is held up before all are through; `left`: this process ends, and another goes on. */
export type Halt =
  | { kind: 'stopped' }
  | { kind: 'left' }
  | { kind: 'held up'; pause: NonNullable<Broadcast['pause']> };

/** The time in which a process may work at a broadcast. */
export interface Turn {
  /** Nobody else can be at it. */
  isMine(): boolean;
  isClosing(): boolean;
}

/** Resolves after so many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

/** How soon a process that sends notices that time has passed. */
const LOOK_MS = 50;
/** And that somebody wishes something. */
const HEAR_MS = 400;

type About = Pick<Broadcast, 'id' | 'admin'>;

/** Whether somebody wishes that it ends here, or it must. */
export interface Hear {
  now(broadcast: About, turn: Turn): Promise<Halt | undefined>;
  /** The same asked again and again while it is under way; where the storage is away nobody wishes anything. */
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
          log.warn({ err, broadcast: broadcast.id }, 'what is wished of a broadcast could not be read');
          return undefined;
        }
      };
    },
  };
}

/** So many refusals without anybody who got it mean that Telegram takes it from nobody. */
const REFUSED = 20;
/** So many answers are lost, of people who may have got it and won't get it again, before somebody is asked. */
const LOST = 8;
const LONGEST_MS = 30_000;

/** Tells what is wrong with one person from what is wrong with all: by what comes without anybody who got it in between. */
interface Trouble {
  /** Why it is held up, and for how long nothing is to be sent, after this. */
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

/** How often a broadcast is written at least while it is under way, so that it isn't taken for an outdated one. */
const RENEW_MS = 10 * 60_000;

/** What became of those to whom one process sends a broadcast, until it is written down: in the order of the audience. */
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
  /** Telegram asked for quiet, for so long. */
  objected(ms: number): void;
  /** Nothing is to be sent for so long, in milliseconds. */
  rest(ms: number): void;
  /** How many milliseconds of that are left. */
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

const AWAY_MS = 1_000;

/** Prepares sending to the person at this place of the audience, of which a part is read at once. Never throws. */
type Reach = (place: number) => Promise<Prepared>;

function createReach(
  deps: { store: Pick<BroadcastStore, 'chunk'>; prepareCopy: PrepareCopy; log: Log },
  broadcast: Broadcast,
): Reach {
  const { store, prepareCopy, log } = deps;
  const { id } = broadcast;
  let part: { number: number; users: Promise<number[] | undefined> } | undefined;

  /** `undefined`: that part of the audience was deleted, or held up for too long. */
  async function userAt(place: number): Promise<number | undefined> {
    const number = Math.floor(place / CHUNK_SIZE);
    if (part?.number !== number) part = { number, users: store.chunk(id, number) };
    const { users } = part;
    try {
      return (await users)?.[place % CHUNK_SIZE];
    } catch (err) {
      // Read again where it could not be.
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
      log.warn({ err, broadcast: id }, 'a broadcast could not go on for a moment');
      return { kind: 'again', afterMs: AWAY_MS, isTry: false };
    }
  };
}

/**
 * `again`: nothing was sent, and it is tried once more after that time; `isTry`: but not for ever. `halt`: nothing was sent,
 * nor will be to anybody else.
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
 * Checks whether a user may still be sent the broadcast, and prepares their copy. Sends nothing: that is done by `send` of
 * the result, which is called once.
 */
type PrepareCopy = (broadcast: Pick<Broadcast, 'contents' | 'audience'>, user: number) => Promise<Prepared>;

export function createPrepareCopy(deps: {
  copier: Copier;
  people: Pick<People, 'find' | 'gone'>;
  /** The way to opt out, below each copy. */
  optOut: (language: Language) => InlineKeyboardButton[];
}): PrepareCopy {
  const { copier, people, optOut } = deps;

  return async ({ contents, audience }, user) => {
    const person = await people.find(user);
    // A test goes to who makes it, whatever they have chosen.
    if (person === undefined || !(audience.who === 'me' || takesNews(person))) return settled('skipped');
    const { chat, message, buttons } = contentIn(contents, person.language);
    const keyboard = [...buttons.map((one) => [one]), optOut(person.language)];
    return {
      kind: 'ready',
      async send() {
        // Whatever happens from here on, they may have it.
        const copied = await copier.copy(user, { chat, message }, keyboard).catch(unclear);
        // It is known by the next message at the latest: not worth sending this one again.
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

/** Few: those under way at a kill get it twice, and those at a 429 make it longer. */
const SEND_CONCURRENCY = 4;
/** Who isn't reached by so many comes once more at the end. */
const MAX_TRIES = 3;
const MAX_DEFERRED = 1_000;

/** Why sending ended: all of them are through; somebody wishes it, or it can't go on; this process ends; it is another's turn. */
type SentAll = { kind: 'all'; held: Held } | (Halt & { held: Held }) | { kind: 'lost' };

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

    const mayPutOff = () => ledger.held().broadcast.putOff.length < MAX_DEFERRED;

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
          if (attempt.isTry && tried(place) >= MAX_TRIES) settle(place, 'put off');
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
      if (halt || running.size >= SEND_CONCURRENCY) return undefined;
      if (again.length > 0) return again[0];
      return next < Math.min(total, ledger.held().broadcast.settled + SEND_CONCURRENCY) ? next : undefined;
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

const MAX_DEFERRED_TRIES = 3;

/**
 * Tries those once more who were put off, one after another: whom Telegram objected to, and those who were begun when it
 * was held up. After some tries they are counted as failed.
 */
export function createSendPutOff(deps: {
  store: BroadcastStore;
  prepareCopy: PrepareCopy;
  pace: BulkPace;
  hear: Hear;
  wait: Wait;
  now: () => number;
  log: Log;
}): SendAll {
  const { store, pace, hear, wait, now, log } = deps;

  /** Whatever the storage does meanwhile: who has got it is not to get it again. */
  async function write(held: Held, turn: Turn, changes: Partial<Broadcast>): Promise<Held | undefined> {
    while (turn.isMine()) {
      try {
        return await store.replace(held, changes);
      } catch (err) {
        log.warn(
          { err, broadcast: held.broadcast.id },
          'how a broadcast stands could not be written down yet',
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

    /** Whether it is to be written as settled, and as what. */
    function resultOf(attempt: Attempt): Result | undefined {
      if (attempt.kind === 'settled') return attempt.as;
      if (attempt.kind === 'later') pace.objected();
      if (attempt.kind !== 'halt') quietUntil = now() + attempt.afterMs;
      const isTry = attempt.kind === 'later' || (attempt.kind === 'again' && attempt.isTry);
      tries += isTry ? 1 : 0;
      return tries >= MAX_DEFERRED_TRIES ? 'failed' : undefined;
    }

    while (turn.isMine()) {
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
        if (recorded === undefined || !turn.isMine()) break;
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
      // Who is refused here was refused alone before.
      if (pause && pause.why !== 'refused') return { kind: 'held up', held, pause };
      if (result) tries = 0;
    }
    return { kind: 'lost' };
  };
}
