// Executes claims: the queue of this process, one request per claim, marks of attempts, and heartbeats.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { AddressAnnouncements } from '../accounts/address-announcements.ts';
import type { AddressBook } from '../accounts/address-book.ts';
import type { Balances } from '../accounts/balances.ts';
import { createLogThrottle, type Log } from '../platform/log.ts';
import { defineRecord, type NewRecord, type SignedRecords } from '../platform/records.ts';
import { orTimeout, retryWrite } from '../platform/retry.ts';
import { type Storage, StorageUnavailable } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import type { Rental } from '../rental-api/client.ts';
import { OPERATOR_ACCOUNT, type OperatorInvoices } from '../rental-api/client.ts';
import type { Outcome } from '../rental-api/http.ts';
import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import {
  INTERRUPTED,
  isUncertain,
  isUnresolved,
  type Operation,
  type OperationRef,
  type Refusal,
  refused,
} from './operation.ts';
import { createPreflight, type PreflightDeps, type Prepared } from './preflight.ts';
import type { History } from './queries.ts';
import type { Notify, ShowAgain } from './receipt.ts';
import type { NextRecheck, RecheckSchedule } from './recheck-schedule.ts';
import type { Settlement } from './settle.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';

/** TTL of a mark: the duration of the outcome search, and longer than a claim may wait for its attempt. */
const TTL_MS = 24 * 3600_000;

export const ATTEMPT = defineRecord({
  keys: 'attempt:{user}:id',
  content: 'Mark of an attempt: the operation as it was sent',
  // Not used: the content is checked by the schema of an operation. One that doesn't fit must not count as missing.
  schema: z.custom<Operation>(),
  ttlMs: TTL_MS,
  signed: true,
  retained: { own: 'kept-money' },
});

export const HEARTBEAT = {
  keys: 'heartbeat:{user}:id',
  content: 'The process of an attempt is alive',
  expiry: '8 seconds',
  retained: { own: 'kept-under-way' },
} as const satisfies StoredData;

/**
 * Marks of attempts, stored apart from the operations' records. If an operation's record is put back to an earlier
 * state, its mark prevents a second request. If the record is lost during the attempt, the mark restores it.
 */
export interface Attempts {
  /**
   * Remembers in this process that the attempt was made. Returns whether it is the first one: `false` if it was made
   * here before, or if its mark existed already.
   */
  markBegun(operation: Operation, isMarkAdded: boolean): boolean;
  /** Returns the mark of an attempt, to be added together with the step to *sent*. */
  recordOf(operation: Operation): NewRecord & { key: string };
  /** Returns whether this process made the attempt. */
  wasMadeHere(ref: OperationRef): boolean;
  /** Returns the operation as it was when the attempt was made, or `undefined` if there is no mark. */
  operationOf(ref: OperationRef): Promise<Operation | undefined>;
}

export function createAttempts(deps: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  now: () => number;
}): Attempts {
  const { records, schema, now } = deps;
  /** Attempts of this process, by key, with their times. They count even if the stored mark was removed. */
  const made = new Map<string, number>();

  /** Removes old entries. Entries are in insertion order, so the first recent one ends the loop. */
  function forgetOld(): void {
    for (const [key, at] of made) {
      if (at >= now() - TTL_MS) return;
      made.delete(key);
    }
  }

  function rememberFirst(key: string): boolean {
    forgetOld();
    if (made.has(key)) return false;
    made.set(key, now());
    return true;
  }

  const recordOf = (operation: Operation) => ({
    key: keyOf(ATTEMPT.keys, operation),
    // Fields in the schema's order: a retry after a lost reply then writes the same text.
    content: JSON.stringify(schema.parse(operation)),
    ttlMs: TTL_MS,
  });

  return {
    markBegun: (operation, isMarkAdded) => rememberFirst(keyOf(ATTEMPT.keys, operation)) && isMarkAdded,
    wasMadeHere: (ref) => made.has(keyOf(ATTEMPT.keys, ref)),
    recordOf,
    async operationOf(ref) {
      const record = await records.get(keyOf(ATTEMPT.keys, ref));
      return record && schema.parse(JSON.parse(record.content));
    },
  };
}

/** Interval of heartbeats, and the silence after which the process of an attempt counts as gone. */
export interface HeartbeatPace {
  beatMs: number;
  silentMs: number;
}

/** With the reconciler's interval, an attempt whose process is gone is found within 15 seconds. */
const DEFAULT_PACE: HeartbeatPace = { beatMs: 2_000, silentMs: 8_000 };

/** Shows other replicas that the process of a claim is alive, by a key that expires by the storage's clock. */
export interface Heartbeat {
  readonly silentMs: number;
  /**
   * Sends heartbeats until `work` has ended. `beat` resolves when a heartbeat is stored, and rejects if the storage
   * can't be reached. A failed background heartbeat is logged and doesn't end the work.
   */
  during<T>(ref: OperationRef, work: (beat: () => Promise<void>) => Promise<T>): Promise<T>;
  isAlive(ref: OperationRef): Promise<boolean>;
}

export function createHeartbeat(deps: { storage: Storage; pace?: HeartbeatPace; log: Log }): Heartbeat {
  const { storage, pace = DEFAULT_PACE, log } = deps;
  const throttle = createLogThrottle();

  return {
    silentMs: pace.silentMs,
    async during(ref, work) {
      let beating: Promise<void> | undefined;
      const beat = () => {
        beating ??= storage.set(keyOf(HEARTBEAT.keys, ref), '', { ttlMs: pace.silentMs }).finally(() => {
          beating = undefined;
        });
        return beating;
      };
      const beatInBackground = () =>
        void beat().catch((err: unknown) => {
          const throttled = throttle('missed');
          if (throttled) log.warn({ err, operation: ref.id, ...throttled }, 'a heartbeat was missed');
        });
      beatInBackground();
      const timer = setInterval(beatInBackground, pace.beatMs);
      try {
        return await work(beat);
      } finally {
        clearInterval(timer);
      }
    },
    isAlive: async (ref) => (await storage.get(keyOf(HEARTBEAT.keys, ref))) !== undefined,
  };
}

/**
 * Delays between tries to start a claim while the storage is unreachable, in milliseconds. After the last try the claim
 * is left to the reconciler.
 */
const BEGIN_RETRY_DELAYS_MS = [100, 300, 1_000, 2_000, 5_000, 10_000, 10_000, 10_000];
/** Delay until a failed call of `onExecuted` is retried, in milliseconds. */
const ON_EXECUTED_RETRY_MS = 10_000;
/** Timeout for reading the remaining balance, in milliseconds. The receipt then doesn't show it. */
const BALANCE_TIMEOUT_MS = 2_000;

const NO_PAYER = {
  kind: 'not-sent',
  reason: 'offline',
  message: 'no account can pay for the operation',
} satisfies Outcome<Result>;
/**
 * Outcome if the record was put back to an earlier state after an attempt. The outcome of that attempt is searched for.
 */
const REPEATED = {
  kind: 'unknown',
  reason: 'cut',
  message: 'an attempt was made before',
} satisfies Outcome<Result>;
const NOT_REPLICATED = {
  kind: 'not-sent',
  reason: 'offline',
  message: 'the sent state may not survive a failover',
} satisfies Outcome<Result>;

/** Claim that this process committed. */
export interface Claim {
  claimed: Stored;
  /** Random id of this process's only attempt. */
  attempt: string;
  /** One-time code of the confirmation. It is kept only in memory. */
  code: string | undefined;
}

interface ExecuteDeps extends Omit<PreflightDeps, 'kinds'> {
  kinds: PreflightDeps['kinds'];
  rental: Rental;
  operatorInvoices: OperatorInvoices | undefined;
  settleCaps: (operation: Operation) => Promise<unknown>;
  store: OperationStore;
  attempts: Attempts;
  recheckSchedule: RecheckSchedule;
  recentAttempts: RecentAttempts;
  history: Pick<History, 'add'>;
  settlement: Settlement;
  /** Returns whether the service sends the account's events here. */
  reported: (account: number) => Promise<boolean>;
  balances: Pick<Balances, 'set' | 'delete'>;
  notifyExecuted: NotifyExecuted;
  notify: Notify;
  showAgain: ShowAgain;
  nextRecheck: NextRecheck;
  log: Log;
}

/** Executes claims of this process: preflight, one request, outcome, receipt. */
export interface Execute {
  /**
   * Sends the request of a claim at most once. The step from *claimed* to *sent* is a compare-and-set, and the attempt
   * is recorded in this process and in storage.
   *
   * `beat` stores the claim's heartbeat. `settled` is called once the outcome is stored, before the user is notified.
   * Rejects if the storage stays unreachable; the reconciler then resolves the claim.
   */
  run(claim: Claim, beat: () => Promise<void>, settled: () => void): Promise<void>;
  /** Refuses a claim because this process ends before sending its request. */
  interrupt(claimed: Stored): Promise<void>;
}

export function createExecute(deps: ExecuteDeps): Execute {
  const preflight = createPreflight(deps);
  const {
    store,
    attempts,
    recheckSchedule,
    kinds,
    recentAttempts,
    locks,
    settlement,
    rental,
    notify,
    now,
    log,
  } = deps;

  /** Refuses a claim. Does nothing if the operation left the state *claimed* in the meantime. */
  function refuse(claimed: Stored, refusal: Refusal): Promise<Stored | undefined> {
    return store.change(claimed, (present) =>
      present.state === 'claimed' ? refused(present, refusal, now()) : undefined,
    );
  }

  /**
   * Refuses a claim whose record the storage lost or rolled back before the request. Returns `undefined` if the record
   * was changed elsewhere. No other process can have sent the request.
   */
  async function refuseLost({ operation }: Stored): Promise<Stored | undefined> {
    const ended = refused(operation, INTERRUPTED, now());
    const present = await store.read(operation);
    if (present === undefined) return store.restore(ended);
    return store.change(present, ({ state }) =>
      state === 'draft' || state === 'awaiting' ? ended : undefined,
    );
  }

  /** Releases the preflight's lock, unless the operation is unresolved: its own attempt may still have been sent. */
  async function releaseLock(ref: OperationRef): Promise<void> {
    const present = (await store.read(ref))?.operation;
    if (present && !isUnresolved(present)) await locks.release(present);
  }

  /** Marks the claim as sent. Returns `undefined` if it is no longer a claim. `obstacle` is set if nothing may be sent. */
  async function markSent(
    { claimed, attempt }: Claim,
    known: Pick<Operation, 'balanceBefore' | 'listedBefore' | 'reported'>,
  ): Promise<{ sent: Stored; obstacle: Outcome<Result> | undefined } | undefined> {
    const { withdrawalAmount, isTrackedElsewhere } = kinds.of(claimed.operation.request);
    const step = await store.markSent(
      claimed,
      (present) => {
        // Written by an earlier try, whose storage reply was lost.
        if (present.state === 'sent' && present.attempt === attempt) return present;
        if (present.state !== 'claimed') return undefined;
        const pending = withdrawalAmount || isTrackedElsewhere ? { onExecutedPending: true as const } : {};
        return { ...present, state: 'sent', sentAt: now(), attempt, ...known, ...pending };
      },
      attempts.recordOf,
    );
    if (step === undefined) return undefined;
    const { sent, isMarkAdded, isDurable } = step;
    if (!attempts.markBegun(sent.operation, isMarkAdded)) return { sent, obstacle: REPEATED };
    if (isDurable) return { sent, obstacle: undefined };
    log.error(
      { operation: sent.operation.id },
      'nothing was sent: the sent state may not survive a failover',
    );
    return { sent, obstacle: NOT_REPLICATED };
  }

  async function request(
    { account, request }: Operation,
    { apiKey, code }: Prepared,
  ): Promise<Outcome<Result>> {
    const kind = kinds.of(request);
    if (account === OPERATOR_ACCOUNT)
      return (deps.operatorInvoices && kind.asOperator?.(deps.operatorInvoices, request)) ?? NO_PAYER;
    return apiKey === undefined ? NO_PAYER : kind.send(rental, apiKey, request, code);
  }

  type Begun =
    | { kind: 'sent'; sent: Stored; obstacle: Outcome<Result> | undefined; prepared: Prepared }
    | { kind: 'ended'; ended: Stored | undefined };

  /** Runs everything up to the request. Safe to repeat. */
  async function begin(claim: Claim, beat: () => Promise<void>): Promise<Begun> {
    const { claimed, code } = claim;
    // The heartbeat starts first. Otherwise the reconciler could take the attempt for an orphan.
    const [prepared, reported] = await Promise.all([
      preflight(claimed.operation, code),
      deps.reported(claimed.operation.account),
      recentAttempts.add(claimed.operation),
      deps.history.add(claimed.operation),
      beat(),
    ]);
    if ('reason' in prepared) return { kind: 'ended', ended: await refuse(claimed, prepared) };
    const { balance: balanceBefore, listed: listedBefore } = prepared;
    const step = await markSent(claim, { balanceBefore, listedBefore, reported });
    if (step === undefined) return { kind: 'ended', ended: await refuseLost(claimed) };
    return { kind: 'sent', ...step, prepared };
  }

  async function beginWithRetries(claim: Claim, beat: () => Promise<void>): Promise<Begun> {
    for (const delayMs of BEGIN_RETRY_DELAYS_MS) {
      try {
        return await begin(claim, beat);
      } catch (err) {
        if (!(err instanceof StorageUnavailable)) throw err;
        log.warn(
          { err, operation: claim.claimed.operation.id },
          'the storage is unreachable; retrying the claim',
        );
        await delay(delayMs);
      }
    }
    return begin(claim, beat);
  }

  /**
   * Adds the remaining balance, after the receipt shows the outcome. Returns `undefined` if the balance can't be read
   * in time.
   */
  async function withBalanceLeft(done: Operation, apiKey: string): Promise<Operation | undefined> {
    const profile = await orTimeout(rental.profile(apiKey), BALANCE_TIMEOUT_MS);
    if (profile?.kind !== 'accepted') return undefined;
    deps.balances.set(done.account, profile.value.balance_trx);
    return { ...done, result: { ...done.result, balanceLeft: profile.value.balance_trx } };
  }

  /** Calls `onExecuted`, notifies the user, and leaves later checks to the reconciler. */
  async function finish(ended: Stored, apiKey: string | undefined): Promise<void> {
    const ref = refOf(ended);
    const reported = await deps.notifyExecuted(ended);
    const { operation } = reported.stored;
    const waitMs = reported.isDue ? ON_EXECUTED_RETRY_MS : await deps.nextRecheck(operation);
    const inParallel = () =>
      Promise.all([
        waitMs === undefined ? recheckSchedule.remove(ref) : recheckSchedule.scheduleIn(ref, waitMs),
        isUnresolved(operation) ||
          Promise.all([
            recentAttempts.resolved(operation),
            locks.release(operation),
            deps.settleCaps(operation),
          ]),
      ]);
    const isFree = kinds.of(operation.request).isFree?.(operation.request) === true;
    const addDetails =
      operation.state === 'done' && apiKey !== undefined && !isFree
        ? (done: Operation) => withBalanceLeft(done, apiKey)
        : undefined;
    if ((await notify(reported.stored, { addDetails, inParallel })) === undefined)
      await recheckSchedule.scheduleIn(ref, 0);
  }

  /**
   * Releases the lock and shows the current state again: this process may have overwritten an outcome on the card with
   * *in progress*.
   */
  async function showCurrentState(ref: OperationRef): Promise<void> {
    await releaseLock(ref);
    await deps.showAgain(ref);
  }

  return {
    async run(claim, beat, settled) {
      const { operation } = claim.claimed;
      const started = await beginWithRetries(claim, beat);
      if (started.kind === 'ended')
        return started.ended ? finish(started.ended, undefined) : showCurrentState(refOf(claim.claimed));
      const { sent, obstacle, prepared } = started;
      deps.balances.delete(operation.account);
      const outcome = obstacle ?? (await request(sent.operation, prepared));
      log.info({ operation: operation.id, kind: outcome.kind }, 'an attempt has an outcome');
      const about = { operation: operation.id };
      const ended = await retryWrite(() => settlement.settle(sent, outcome), { log, about });
      settled();
      return finish(ended, prepared.apiKey);
    },
    async interrupt(claimed) {
      const ended = (await refuse(claimed, INTERRUPTED)) ?? (await refuseLost(claimed));
      await (ended ? finish(ended, undefined) : showCurrentState(refOf(claimed)));
    },
  };
}

/**
 * Calls `onExecuted` for an operation that was executed or may have been, unless it was called before. `isDue`: the call
 * failed. The operation stays marked until it succeeds, and the reconciler retries.
 */
export type NotifyExecuted = (stored: Stored) => Promise<{ stored: Stored; isDue: boolean }>;

export function createNotifyExecuted(deps: {
  store: OperationStore;
  kinds: Kinds;
  addressAnnouncements: Pick<AddressAnnouncements, 'recordUse'>;
  addressBook: Pick<AddressBook, 'remember'>;
  /** Used to remember no address for a user who has unlinked the account or erased their data in the meantime. */
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  onExecuted: (operation: Operation) => Promise<unknown>;
  log: Log;
}): NotifyExecuted {
  const { store, kinds, addressAnnouncements, addressBook, onExecuted, log } = deps;

  /** Remembers the address of a withdrawal after its request. Showing the address on a card isn't enough. */
  async function rememberAddress({ user, account, request, warnings, state }: Operation): Promise<void> {
    const kind = kinds.of(request);
    if (kind.withdrawalAmount === undefined || (await deps.apiKey(user, account)) === undefined) return;
    const address = kind.target(request);
    await addressAnnouncements.recordUse({ user, account, address });
    // A lookalike address may be a trap. It must never be offered as a button.
    if (warnings?.lookalike !== undefined) return;
    // An unknown outcome proves no withdrawal.
    const withdrawnFrom = state === 'done' ? account : undefined;
    await addressBook.remember(user, address, { withdrawnFrom });
  }

  return async (stored) => {
    const { operation } = stored;
    const mayBeExecuted = operation.state === 'done' || isUncertain(operation);
    if (operation.onExecutedPending !== true || !mayBeExecuted) return { stored, isDue: false };
    try {
      await rememberAddress(operation);
      await onExecuted(operation);
      const changed = await store.change(stored, ({ onExecutedPending: _, ...present }) => present);
      return { stored: changed ?? stored, isDue: false };
    } catch (err) {
      log.warn({ err, operation: operation.id }, 'the execution of an operation could not be reported yet');
      return { stored, isDue: true };
    }
  };
}

/** Maximum concurrent claims of one account, until their outcome is stored. Leaves slots for other accounts. */
const MAX_CONCURRENT_PER_ACCOUNT = 5;
const MAX_CONCURRENT = 200;

/**
 * Queue of the claims that this process has committed and must send. It exists only in memory. A claim that is found in
 * storage is never sent, so no stored record can cause a request.
 *
 * @example
 * const committed = await chats.commit({ ...update, changes: { claim } });
 * if (committed === 'committed') void sendQueue.add(claimed);
 */
export interface SendQueue {
  /**
   * Adds a claim right after its commit. Resolves when its outcome is stored and its user was notified, or when the
   * rest is left to the reconciler. Doesn't add a queued claim again. `code`: the one-time code of the confirmation.
   */
  add(claimed: Stored, code?: string): Promise<void>;
  /** Returns whether a claim is queued or executing here. */
  holds(ref: OperationRef): boolean;
  /** Refuses queued claims, and claims that are added later. Resolves when no request is in progress. */
  close(): Promise<void>;
}

export function createSendQueue(deps: {
  execute: Execute;
  heartbeat: Pick<Heartbeat, 'during'>;
  notify: Notify;
  log: Log;
}): SendQueue {
  const { execute, heartbeat, notify, log } = deps;
  const held = new Map<string, Promise<void>>();
  const waiting: { account: number; start: (slot: 'free' | 'closed') => void }[] = [];
  const activeByAccount = new Map<number, number>();
  let active = 0;
  let isClosed = false;

  function count(account: number, change: 1 | -1): void {
    active += change;
    const left = (activeByAccount.get(account) ?? 0) + change;
    if (left > 0) activeByAccount.set(account, left);
    else activeByAccount.delete(account);
  }

  /** Starts the oldest claims whose account has a free slot. */
  function startNext(): void {
    for (let at = 0; at < waiting.length && active < MAX_CONCURRENT; ) {
      const next = waiting[at];
      if (next === undefined || (activeByAccount.get(next.account) ?? 0) >= MAX_CONCURRENT_PER_ACCOUNT) at++;
      else {
        waiting.splice(at, 1);
        count(next.account, 1);
        next.start('free');
      }
    }
  }

  async function carryOut(claim: Claim): Promise<void> {
    const { account } = claim.claimed.operation;
    await heartbeat.during(refOf(claim.claimed), async (beat) => {
      const slot = await new Promise<'free' | 'closed'>((start) => {
        if (isClosed) return start('closed');
        waiting.push({ account, start });
        startNext();
      });
      if (slot === 'closed') return execute.interrupt(claim.claimed);
      let isSettled = false;
      const settled = () => {
        if (isSettled) return;
        isSettled = true;
        count(account, -1);
        startNext();
      };
      await execute.run(claim, beat, settled).finally(settled);
    });
  }

  return {
    add(claimed, code) {
      const ref = refOf(claimed);
      const known = held.get(nameOf(ref));
      if (known) return known;
      const report = (message: string) => (err: unknown) => log.warn({ err, operation: ref.id }, message);
      // Shows the claim as in progress while it is queued and executing.
      void notify(claimed).catch(report('the card could not be shown as in progress'));
      const done = carryOut({ claimed, attempt: randomUUID(), code })
        .catch(report('executing a claim failed; left to the reconciler'))
        .finally(() => held.delete(nameOf(ref)));
      held.set(nameOf(ref), done);
      return done;
    },
    holds: (ref) => held.has(nameOf(ref)),
    async close() {
      isClosed = true;
      for (const { start } of waiting.splice(0)) start('closed');
      await Promise.all(held.values());
    },
  };
}

function nameOf({ user, id }: OperationRef): string {
  return `${user}/${id}`;
}
