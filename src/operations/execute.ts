// Executes claims: the queue of this process, the preflight, and one request per claim.

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { BigNumber } from 'bignumber.js';
import { orTimeout, retryWrite } from '../platform/async.ts';
import { StorageUnavailable } from '../platform/storage.ts';
import { readsWith } from '../rental-api/account-reader.ts';
import { OPERATOR_ACCOUNT, type Outcome } from '../rental-api/client.ts';
import type { Prices } from '../rental-api/schemas.ts';
import { formatTrx, roundPrice } from '../rental-api/tron.ts';
import { CODE_STEP_MS, CODE_TTL_MS } from './confirm.ts';
import type { OperationServices } from './dependencies.ts';
import { operatorAccountRefusal, type Result } from './kinds/kind.ts';
import {
  type ClaimedOperation,
  INTERRUPTED,
  isConfirmed,
  isUncertain,
  isUnresolved,
  nameOf,
  type Operation,
  type OperationRef,
  type Refusal,
  refOf,
  refusalOf,
  refused,
  type SentOperation,
  type StoredOperation,
  wasSent,
} from './operation.ts';
import type { Notifier, NotifyOfChanges } from './receipt.ts';
import { nextRecheckMs } from './recovery.ts';
import type { Settlement } from './settle.ts';

/**
 * Maximum age of a claim when its request is sent, in milliseconds. After that, the user may no longer want it. Clock
 * differences of seconds between replicas only shift this limit: they never cause a second request.
 */
const STALE_MS = 5 * 60_000;

/** Rise of a price since the card was shown that the user must confirm again, as a factor. */
const MAX_PRICE_RISE = 1.05;
/** Time that the preflight waits for the present price, in milliseconds. It is read beside the profile. */
const PRICE_TIMEOUT_MS = 1_000;

/** Data that the preflight collects for the request. */
interface Prepared {
  /** API key, and balance in TRX (decimal), of the paying account. The operator account has neither. */
  apiKey?: string;
  balance?: string;
  /** Ids on the service's list that the request is about. */
  listed?: number[];
  /** One-time code. It is never stored. */
  code?: string;
}

type Paying = Prepared & { apiKey: string; balance: string };

/** Creates the preflight: all checks that can still refuse an operation before its request is sent. Safe to repeat. */
function createPreflight(
  services: OperationServices,
): (operation: ClaimedOperation, code: OneTimeCode | undefined) => Promise<Prepared | Refusal> {
  const { kinds, locks, cooldowns, operator, now } = services;
  const rental = services.rental.withPriority('operation');
  const needsOneTimeCode = ({ request }: Operation) => kinds.of(request).needsCode?.(request) === true;

  /** Locks the target of the request, and checks on the service's list that the request still makes sense. */
  async function checkListing(operation: Operation, prepared: Paying): Promise<Prepared | Refusal> {
    const { listing } = kinds.of(operation.request);
    if (listing === undefined) return prepared;
    if (!(await locks.acquire(operation))) return refusal('locked');
    const listed = await listing.read(readsWith(rental, prepared.apiKey));
    if (listed.kind !== 'accepted') return refusalOf(listed);
    const obstacle = listing.obstacle(operation.request, listed.value);
    return obstacle ? refusal(obstacle) : { ...prepared, listed: listed.value.map(({ id }) => id) };
  }

  /** Returns the present price in TRX (decimal) if it rose too much since the card was shown, and could be read in time. */
  async function readRisenPrice(
    { account, request, estimate }: Operation,
    readPrices: () => Promise<Outcome<Prices>>,
  ): Promise<string | undefined> {
    const { listedPrice } = kinds.of(request);
    if (listedPrice === undefined || estimate === undefined) return undefined;
    // A read for a user: near the rate limit it is held back, so that the purchase isn't.
    const read = await orTimeout(readPrices(), PRICE_TIMEOUT_MS);
    if (read?.kind === 'accepted') services.onPricesRead(account, read.value);
    const listed = read?.kind === 'accepted' ? listedPrice(request, read.value) : undefined;
    const price = listed && roundPrice(listed);
    return price && new BigNumber(price).gt(new BigNumber(estimate).times(MAX_PRICE_RISE))
      ? price
      : undefined;
  }

  /** Checks what replaces the one-time code of an account without 2FA: an announced address and a daily limit. */
  async function checkWithoutCode(operation: Operation): Promise<Refusal | undefined> {
    const { user, account, request } = operation;
    const asked = { user, account, address: kinds.of(request).target(request) };
    if (!(await services.dailyCap.reserve(operation, 'sent'))) return refusal('cap');
    // This check is the last one. An account holder who blocks the address later is notified that it may be too
    // late.
    const reserved = await services.addressAnnouncements.reserve(asked);
    if (reserved === 'usable') return undefined;
    return refusal(reserved === 'cancelled' ? 'blocked' : 'unannounced');
  }

  /** Runs the remaining checks of an operation that is charged to an account: balance, cooldown, offer, list and limits. */
  async function checkCharged(operation: Operation, prepared: Paying): Promise<Prepared | Refusal> {
    const { request, account, balance: shown } = operation;
    const kind = kinds.of(request);
    if (kind.withdrawalAmount) {
      const isOperators = await operator.owns(account);
      if (isOperators !== false) return refusal(isOperators ? 'operator' : 'offline');
    }
    const obstacle = kind.balanceObstacle?.(request, { shown, now: prepared.balance });
    if (obstacle) return refusal(obstacle);
    const cooldownMs = await cooldowns.remainingMs(operation);
    if (cooldownMs > 0) return { ...refusal('limited'), seconds: Math.ceil(cooldownMs / 1000) };
    const promised = await kind.preflight?.(readsWith(rental, prepared.apiKey), request);
    if (promised !== undefined && promised.kind !== 'accepted') return refusalOf(promised);
    if (promised?.value === 'changed') return refusal('changed');
    const listed = await checkListing(operation, prepared);
    if ('reason' in listed) return listed;
    const isOpen = kind.withdrawalAmount !== undefined && !needsOneTimeCode(operation);
    const obstacleWithoutCode = isOpen ? await checkWithoutCode(operation) : undefined;
    if (obstacleWithoutCode) return obstacleWithoutCode;
    if (operation.usesOperatorAccount && !(await services.operatorCap.reserve(operation, 'sent')))
      return refusal('operator-cap');
    await cooldowns.begin(operation);
    return listed;
  }

  return async (operation, code) => {
    const { user, account, request, claimedAt } = operation;
    const needsCode = needsOneTimeCode(operation);
    if (now() - claimedAt > STALE_MS) return refusal('expired');
    const [isDone, apiKey] = await Promise.all([
      services.completedOnce.has(request),
      services.apiKey(user, account),
    ]);
    if (isDone) return refusal('already');
    const { operatorInvoices } = services;
    if (account === OPERATOR_ACCOUNT) {
      const risenPrice = operatorInvoices && (await readRisenPrice(operation, operatorInvoices.prices));
      if (risenPrice !== undefined) return risen(risenPrice);
      // The operator account is charged nothing, but limits apply.
      return (await services.applyGuestLimits(operation)) ?? {};
    }
    // Refuses the operation too if the user's own link has since become a reference to the operator account, or vice versa.
    if (apiKey === undefined || operator.isKey(apiKey) !== (operation.usesOperatorAccount === true))
      return refusal('unlinked');
    const operatorRefusal =
      operation.usesOperatorAccount && operatorAccountRefusal(kinds.of(request), request);
    if (operatorRefusal) return refusal(operatorRefusal);
    const isCodeFresh = code !== undefined && now() - code.sentAt < CODE_TTL_MS;
    if (needsCode && !isCodeFresh) return refusal('code-gone');
    const [profile, risenPrice] = await Promise.all([
      rental.profile(apiKey),
      readRisenPrice(operation, () => services.rental.prices(apiKey)),
    ]);
    if (profile.kind !== 'accepted') return refusalOf(profile);
    if (profile.value.id !== account) return refusal('unlinked');
    // If 2FA was turned off since, a code would protect nothing. If it was turned on, the service requires a code that
    // the user wasn't asked for.
    const isOut = kinds.of(request).withdrawalAmount !== undefined;
    if (isOut && needsCode !== profile.value.totp_enabled)
      return refusal(needsCode ? 'codes-off' : 'codes-on');
    if (risenPrice !== undefined) return risen(risenPrice);
    const prepared = { apiKey, balance: profile.value.balance_trx, ...(code && { code: code.digits }) };
    return checkCharged(operation, prepared);
  };
}

function refusal(reason: Refusal['reason']): Refusal {
  return { reason, code: reason.toUpperCase(), seconds: 0 };
}

/** Refuses a request whose price rose. `price`: the present one, in TRX (decimal). */
const risen = (price: string): Refusal => ({ ...refusal('price'), price });

/** Delays between tries to start a claim without storage, in milliseconds. The reconciler takes over afterwards. */
const BEGIN_RETRY_DELAYS_MS = [100, 300, 1_000, 2_000, 5_000, 10_000, 10_000, 10_000];
/** Delay until a failed call of `onExecuted` is retried, in milliseconds. */
const ON_EXECUTED_RETRY_MS = 10_000;

const NO_PAYER = { kind: 'not-sent', reason: 'offline', message: 'no account can pay' } as const;
/** Outcome if the record was put back after an attempt. The outcome of that attempt is searched for. */
const REPEATED = { kind: 'unknown', reason: 'cut', message: 'an attempt was made before' } as const;
/** Outcome if the sent state may not survive a failover. */
const NOT_REPLICATED = { kind: 'not-sent', reason: 'offline', message: 'not replicated' } as const;

/** Code of a confirmation. `sentAt`: when its message was sent, in epoch milliseconds. */
interface OneTimeCode {
  digits: string;
  sentAt: number;
}

/** Claim that this process committed. */
export interface Claim {
  claimed: StoredOperation<ClaimedOperation>;
  /** Random id of this process's only attempt. */
  attempt: string;
  /** One-time code of a withdrawal, kept only in memory. */
  code: OneTimeCode | undefined;
}

/** Result of an attempt. `ended`: nothing was sent. It is `undefined` if the operation changed elsewhere. */
type AttemptResult =
  | { ended: StoredOperation | undefined }
  | { sent: StoredOperation<SentOperation>; outcome: Outcome<Result> };

export type Execute = ReturnType<typeof createExecute>;

/** Creates the execution of claims of this process: preflight, one request, outcome, receipt. */
export function createExecute(
  services: OperationServices,
  { notifyOfChanges, showAgain }: Notifier,
  settlement: Settlement,
  notifyExecuted: NotifyExecuted,
) {
  const { store, attempts, recheckSchedule, kinds, recentAttempts, locks, rental, now, log } = services;
  const preflight = createPreflight(services);

  /** Refuses a claim. Does nothing if the operation left the state *claimed* in the meantime. */
  function refuse(claimed: StoredOperation, refusal: Refusal): Promise<StoredOperation | undefined> {
    return store.change(claimed, (present) =>
      present.state === 'claimed' ? refused(present, refusal, now()) : undefined,
    );
  }

  /**
   * Refuses a claim whose record the storage lost or rolled back before the request. Returns `undefined` if the record
   * was changed elsewhere. No other process can have sent the request.
   */
  async function refuseLost({ operation }: Claim['claimed']): Promise<StoredOperation | undefined> {
    const ended = refused(operation, INTERRUPTED, now());
    const present = await store.read(operation);
    if (present === undefined) return store.restore(ended);
    return store.change(present, ({ state }) =>
      state === 'draft' || state === 'awaiting' ? ended : undefined,
    );
  }

  /** Marks the claim as sent. Returns `undefined` if it is no longer a claim. `obstacle` is set if nothing may be sent. */
  async function markSent(
    { claimed, attempt: id }: Claim,
    known: Pick<SentOperation['attempt'], 'balanceBefore' | 'listedBefore' | 'reported'>,
  ): Promise<{ sent: StoredOperation<SentOperation>; obstacle: Outcome<Result> | undefined } | undefined> {
    const { withdrawalAmount, isTrackedElsewhere } = kinds.of(claimed.operation.request);
    const step = await store.markSent(
      claimed,
      (present) => {
        // Written by an earlier try, whose storage reply was lost.
        if (present.state === 'sent' && present.attempt.id === id) return present;
        if (present.state !== 'claimed') return undefined;
        const pending = withdrawalAmount || isTrackedElsewhere ? { onExecutedPending: true as const } : {};
        return { ...present, state: 'sent', attempt: { id, sentAt: now(), ...known, ...pending } };
      },
      attempts.recordOf,
    );
    if (step === undefined) return undefined;
    const { sent, isMarkAdded, isDurable } = step;
    if (!attempts.markBegun(sent.operation, isMarkAdded)) return { sent, obstacle: REPEATED };
    if (isDurable) return { sent, obstacle: undefined };
    log.error(
      { advice: 'Check the replicas of Redis: none confirmed the latest write in time.' },
      'an operation was refused, because a failover could lose it',
    );
    return { sent, obstacle: NOT_REPLICATED };
  }

  async function request(
    { account, request }: Operation,
    { apiKey, code }: Prepared,
  ): Promise<Outcome<Result>> {
    const { operatorInvoices } = services;
    const kind = kinds.of(request);
    if (account === OPERATOR_ACCOUNT)
      return (operatorInvoices && kind.asOperator?.(operatorInvoices, request)) ?? NO_PAYER;
    return apiKey === undefined ? NO_PAYER : kind.send(rental, apiKey, request, code);
  }

  /** Runs everything up to the request. Safe to repeat. Returns `ended` if nothing may be sent. */
  async function begin(claim: Claim, beat: () => Promise<void>) {
    const { claimed, code } = claim;
    // The heartbeat starts first. Otherwise the reconciler could take the attempt for an orphan.
    const [prepared, reported] = await Promise.all([
      preflight(claimed.operation, code),
      services.reported(claimed.operation.account),
      recentAttempts.recordAttempt(claimed.operation),
      services.history.recordConfirmed(claimed.operation),
      beat(),
    ]);
    if ('reason' in prepared) return { ended: await refuse(claimed, prepared) };
    const { balance: balanceBefore, listed: listedBefore } = prepared;
    const step = await markSent(claim, { balanceBefore, listedBefore, reported });
    return step ? { ...step, prepared } : { ended: await refuseLost(claimed) };
  }

  async function beginWithRetries(claim: Claim, beat: () => Promise<void>) {
    for (const delayMs of BEGIN_RETRY_DELAYS_MS) {
      try {
        return await begin(claim, beat);
      } catch (err) {
        if (!(err instanceof StorageUnavailable)) throw err;
        log.warn({ err }, 'the storage is unavailable; an operation waits to be carried out');
        await delay(delayMs);
      }
    }
    return begin(claim, beat);
  }

  /** Attempts of this process by account, from before their preflight until their outcome. */
  const inProgress = new Map<number, Set<{ isAlone: boolean }>>();

  /** Runs an attempt. `isAlone` returns false once the account has had another attempt at the same time. */
  async function runAttempt<T>(account: number, work: (isAlone: () => boolean) => Promise<T>): Promise<T> {
    const all = inProgress.get(account) ?? new Set();
    const own = { isAlone: all.size === 0 };
    for (const other of all) other.isAlone = false;
    inProgress.set(account, all.add(own));
    try {
      return await work(() => own.isAlone);
    } finally {
      all.delete(own);
      if (all.size === 0) inProgress.delete(account);
    }
  }

  /** Adds the remaining balance to an accepted charge. `before` is the balance in TRX that the preflight read. */
  function withBalanceLeft({ account }: Operation, before: string | undefined, outcome: Outcome<Result>) {
    if (outcome.kind !== 'accepted' || before === undefined || outcome.value.price === undefined)
      return outcome;
    const balanceLeft = formatTrx(new BigNumber(before).minus(outcome.value.price));
    services.balances.set(account, balanceLeft);
    return { ...outcome, value: { ...outcome.value, balanceLeft } };
  }

  /** Calls `onExecuted`, notifies the user, and leaves later checks to the reconciler. */
  async function finish(ended: StoredOperation): Promise<void> {
    const ref = refOf(ended);
    const { stored, isDue } = await notifyExecuted(ended);
    const { operation } = stored;
    const waitMs = isDue ? ON_EXECUTED_RETRY_MS : await nextRecheckMs(services, operation);
    const isResolved = !isUnresolved(operation);
    /** The reconciler repeats what was not done if this process dies before the operation leaves the schedule. */
    async function settleCapsAndReschedule(): Promise<void> {
      if (isResolved) await services.settleCaps(operation);
      await (waitMs === undefined ? recheckSchedule.remove(ref) : recheckSchedule.scheduleIn(ref, waitMs));
    }
    const inParallel = () =>
      Promise.all([
        isResolved && Promise.all([recentAttempts.resolved(operation), locks.release(operation)]),
        settleCapsAndReschedule(),
      ]);
    if ((await notifyOfChanges(stored, inParallel)) === undefined) await recheckSchedule.scheduleIn(ref, 0);
  }

  /** Releases the lock and shows the current state: the card may show *in progress* in place of an outcome. */
  async function showCurrentState(ref: OperationRef): Promise<void> {
    const present = (await store.read(ref))?.operation;
    // While the operation is unresolved, its own attempt may still have been sent.
    if (present && !isUnresolved(present)) await locks.release(present);
    await showAgain(ref);
  }

  return {
    /**
     * Sends the request of a claim at most once. The step from *claimed* to *sent* is a compare-and-set, and the attempt
     * is recorded in this process and in storage.
     *
     * `beat` stores the claim's heartbeat. `settled` is called once the outcome is stored, before the user is notified.
     * Rejects if the storage stays unreachable; the reconciler then resolves the claim.
     */
    async run(claim: Claim, beat: () => Promise<void>, settled: () => void): Promise<void> {
      const { operation } = claim.claimed;
      // The connection opens while the preflight reads.
      rental.openConnection();
      const attempted = await runAttempt(operation.account, async (isAlone): Promise<AttemptResult> => {
        const started = await beginWithRetries(claim, beat);
        if ('ended' in started) return { ended: started.ended };
        const { sent, obstacle, prepared } = started;
        services.balances.delete(operation.account);
        const answer = obstacle ?? (await request(sent.operation, prepared));
        // A read during the request may have returned the balance from before the charge.
        services.balances.delete(operation.account);
        // Another charge may have changed the balance since the preflight.
        const before = isAlone() ? prepared.balance : undefined;
        return { sent, outcome: withBalanceLeft(operation, before, answer) };
      });
      if ('ended' in attempted)
        return attempted.ended ? finish(attempted.ended) : showCurrentState(refOf(claim.claimed));
      const { sent, outcome } = attempted;
      if (outcome.kind === 'unknown')
        log.warn({ status: outcome.status, reason: outcome.reason }, 'an operation got no usable reply');
      const about = { operation: operation.id };
      const ended = await retryWrite(() => settlement.settle(sent, outcome), { log, about });
      settled();
      return finish(ended);
    },
    /** Refuses a claim because this process ends before sending its request. */
    async interrupt(claimed: Claim['claimed']): Promise<void> {
      const ended = (await refuse(claimed, INTERRUPTED)) ?? (await refuseLost(claimed));
      await (ended ? finish(ended) : showCurrentState(refOf(claimed)));
    },
  };
}

/**
 * Remembers the address of a withdrawal. Remembers nothing for a user who has unlinked the account or erased their data in
 * the meantime.
 */
async function rememberWithdrawal(services: OperationServices, operation: Operation): Promise<void> {
  const { user, account, request, warnings } = operation;
  const kind = services.kinds.of(request);
  if (kind.withdrawalAmount === undefined || (await services.apiKey(user, account)) === undefined) return;
  const address = kind.target(request);
  const confirmedAt = isConfirmed(operation) ? operation.claimedAt : undefined;
  await services.addressAnnouncements.recordUse({ user, account, address, confirmedAt });
  // A lookalike address may be a trap. It must never be offered as a button.
  if (warnings.lookalike === undefined) await services.addressBook.remember(user, address);
}

/**
 * Calls `onExecuted` for an operation that was executed or may have been, unless it was called before. `isDue`: the call
 * failed. The operation stays marked until it succeeds, and the reconciler retries.
 */
export type NotifyExecuted = (
  stored: StoredOperation,
) => Promise<{ stored: StoredOperation; isDue: boolean }>;

export function createNotifyExecuted(services: OperationServices): NotifyExecuted {
  const { store, log } = services;

  return async (stored) => {
    const { operation } = stored;
    const mayBeExecuted = operation.state === 'done' || isUncertain(operation);
    if (!mayBeExecuted || !operation.attempt.onExecutedPending) return { stored, isDue: false };
    try {
      await rememberWithdrawal(services, operation);
      await services.onExecuted(operation);
      const changed = await store.change(stored, (present) =>
        wasSent(present)
          ? { ...present, attempt: { ...present.attempt, onExecutedPending: undefined } }
          : undefined,
      );
      return { stored: changed ?? stored, isDue: false };
    } catch (err) {
      log.warn({ err, operation: operation.id }, 'the result of an operation could not be passed on yet');
      return { stored, isDue: true };
    }
  };
}

/** Maximum concurrent claims of one account, until their outcome is stored. Leaves slots for other accounts. */
const MAX_CONCURRENT_PER_ACCOUNT = 5;
const MAX_CONCURRENT = 200;
/** Time added to a cooldown: the service counts it from when it received the last request, in milliseconds. */
const AFTER_COOLDOWN_MS = 1_000;

/**
 * Queue of the claims that this process has committed and must send. It exists only in memory. A claim that is found in
 * storage is never sent, so no stored record can cause a request.
 *
 * @example
 * const committed = await chats.commit({ ...update, changes: { claim } });
 * if (committed === 'committed') void sendQueue.enqueueClaim(claimed);
 */
export type SendQueue = ReturnType<typeof createSendQueue>;

export function createSendQueue(
  { heartbeat, now, log }: Pick<OperationServices, 'heartbeat' | 'now' | 'log'>,
  notifyOfChanges: NotifyOfChanges,
  execute: Execute,
) {
  const held = new Map<string, Promise<void>>();
  const waiting: { account: number; start: (slot: 'free' | 'closed') => void }[] = [];
  const activeByAccount = new Map<number, number>();
  let active = 0;
  const closing = new AbortController();
  // Each claim that waits for its cooldown waits on it.
  setMaxListeners(0, closing.signal);

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

  /** Waits until the cooldown is over during which the code arrived, or until this process ends. */
  async function waitForCooldown({ claimed, code }: Claim): Promise<void> {
    const leftMs = code === undefined ? 0 : (claimed.operation.confirmableFrom ?? 0) - now();
    if (leftMs <= 0) return;
    const { signal } = closing;
    const waitMs = Math.min(leftMs + AFTER_COOLDOWN_MS, CODE_STEP_MS);
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }

  async function runInSlot(claim: Claim): Promise<void> {
    const { account } = claim.claimed.operation;
    await heartbeat.during(refOf(claim.claimed), async (beat) => {
      await waitForCooldown(claim);
      const slot = await new Promise<'free' | 'closed'>((start) => {
        if (closing.signal.aborted) return start('closed');
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
    /**
     * Adds a claim right after its commit. Resolves when its outcome is stored and its user was notified, or when the
     * rest is left to the reconciler. Doesn't add a queued claim again.
     */
    enqueueClaim(claimed: Claim['claimed'], code?: OneTimeCode): Promise<void> {
      const ref = refOf(claimed);
      const known = held.get(nameOf(ref));
      if (known) return known;
      const report = (message: string) => (err: unknown) => log.warn({ err }, message);
      const done = log
        .withFields({ operation: ref.id, user: ref.user }, () => {
          // Shows the claim as in progress while it is queued and executing.
          void notifyOfChanges(claimed).catch(report('a card could not be shown as in progress'));
          return runInSlot({ claimed, attempt: randomUUID(), code }).catch(
            report('carrying out an operation failed; the reconciler continues it'),
          );
        })
        .finally(() => held.delete(nameOf(ref)));
      held.set(nameOf(ref), done);
      return done;
    },
    /** Returns whether a claim is queued or executing here. */
    holds: (ref: OperationRef) => held.has(nameOf(ref)),
    /** Refuses queued claims, and claims that are added later. Resolves when no request is in progress. */
    async close(): Promise<void> {
      closing.abort();
      for (const { start } of waiting.splice(0)) start('closed');
      await Promise.all(held.values());
    },
  };
}
