import { setTimeout as delay } from 'node:timers/promises';
import type { AddressBook } from '../accounts/address-book.ts';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Balances } from '../accounts/balances.ts';
import type { Log } from '../platform/log.ts';
import { orTimeout, retryWrite } from '../platform/retry.ts';
import { StorageUnavailable } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Outcome } from '../rental-api/http.ts';
import { OPERATORS, type OperatorInvoices } from '../rental-api/operator-invoices.ts';
import type { Attempts } from './attempts.ts';
import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { RecentAttempts } from './limits.ts';
import { isUncertain, isUnresolved, type Operation, type OperationRef, type Refusal } from './operation.ts';
import { createPrepare, type PrepareDeps, type Prepared } from './preflight.ts';
import type { History } from './queries.ts';
import type { Notify, ShowAgain } from './receipt.ts';
import type { DueIndex, NextRecheck } from './recheck-schedule.ts';
import type { Settlement } from './settle.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';
import { INTERRUPTED, refused } from './transitions.ts';

/**
 * Delays between tries to start a claim while the storage is unreachable, in milliseconds. After the last try the claim
 * is left to the reconciler.
 */
const BEGIN_RETRY_DELAYS_MS = [100, 300, 1_000, 2_000, 5_000, 10_000, 10_000, 10_000];
/** Delay until a failed announcement is retried, in milliseconds. */
const ANNOUNCE_RETRY_MS = 10_000;
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

interface ExecuteDeps extends Omit<PrepareDeps, 'kinds'> {
  kinds: PrepareDeps['kinds'];
  rental: Rental;
  operatorInvoices: OperatorInvoices | undefined;
  settleCaps: (operation: Operation) => Promise<unknown>;
  store: OperationStore;
  attempts: Attempts;
  dueIndex: DueIndex;
  recentAttempts: RecentAttempts;
  history: Pick<History, 'add'>;
  settlement: Settlement;
  /** Returns whether the service sends the account's events here. */
  reported: (account: number) => Promise<boolean>;
  balances: Pick<Balances, 'keep' | 'forget'>;
  announce: Announce;
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
  const prepare = createPrepare(deps);
  const { store, attempts, dueIndex, kinds, recentAttempts, locks, settlement, rental, notify, now, log } =
    deps;

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
    const { takesOut, followUp } = kinds.of(claimed.operation.request);
    const step = await store.take(
      claimed,
      (present) => {
        // Written by an earlier try, whose storage reply was lost.
        if (present.state === 'sent' && present.attempt === attempt) return present;
        if (present.state !== 'claimed') return undefined;
        const owed = takesOut || followUp ? { untold: true as const } : {};
        return { ...present, state: 'sent', sentAt: now(), attempt, ...known, ...owed };
      },
      attempts.recordOf,
    );
    if (step === undefined) return undefined;
    const { taken: sent, added, isKept } = step;
    if (!attempts.begun(sent.operation, added)) return { sent, obstacle: REPEATED };
    if (isKept) return { sent, obstacle: undefined };
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
    if (account === OPERATORS)
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
      prepare(claimed.operation, code),
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
    deps.balances.keep(done.account, profile.value.balance_trx);
    return { ...done, result: { ...done.result, balanceLeft: profile.value.balance_trx } };
  }

  /** Announces the outcome, notifies the user, and leaves later checks to the reconciler. */
  async function finish(ended: Stored, apiKey: string | undefined): Promise<void> {
    const ref = refOf(ended);
    const announced = await deps.announce(ended);
    const { operation } = announced.stored;
    const waitMs = announced.isDue ? ANNOUNCE_RETRY_MS : await deps.nextRecheck(operation);
    const beside = () =>
      Promise.all([
        waitMs === undefined ? dueIndex.remove(ref) : dueIndex.scheduleIn(ref, waitMs),
        isUnresolved(operation) ||
          Promise.all([
            recentAttempts.resolved(operation),
            locks.release(operation),
            deps.settleCaps(operation),
          ]),
      ]);
    const isFree = kinds.of(operation.request).isFree?.(operation.request) === true;
    const adorn =
      operation.state === 'done' && apiKey !== undefined && !isFree
        ? (done: Operation) => withBalanceLeft(done, apiKey)
        : undefined;
    if ((await notify(announced.stored, { adorn, beside })) === undefined) await dueIndex.scheduleIn(ref, 0);
  }

  /**
   * Releases the lock and shows the current state again: this process may have overwritten an outcome on the card with
   * *in progress*.
   */
  async function yieldTo(ref: OperationRef): Promise<void> {
    await releaseLock(ref);
    await deps.showAgain(ref);
  }

  return {
    async run(claim, beat, settled) {
      const { operation } = claim.claimed;
      const started = await beginWithRetries(claim, beat);
      if (started.kind === 'ended')
        return started.ended ? finish(started.ended, undefined) : yieldTo(refOf(claim.claimed));
      const { sent, obstacle, prepared } = started;
      deps.balances.forget(operation.account);
      const outcome = obstacle ?? (await request(sent.operation, prepared));
      log.info({ operation: operation.id, kind: outcome.kind }, 'an attempt has an outcome');
      const about = { operation: operation.id };
      const ended = await retryWrite(() => settlement.settle(sent, outcome), { log, about });
      settled();
      return finish(ended, prepared.apiKey);
    },
    async interrupt(claimed) {
      const ended = (await refuse(claimed, INTERRUPTED)) ?? (await refuseLost(claimed));
      await (ended ? finish(ended, undefined) : yieldTo(refOf(claimed)));
    },
  };
}

/**
 * Announces an operation: a withdrawal to the other account holders, other kinds to the module that follows them up.
 * `isDue`: the announcement still has to be made. The operation stays marked until then, and the reconciler retries.
 */
export type Announce = (stored: Stored) => Promise<{ stored: Stored; isDue: boolean }>;

export function createAnnounce(deps: {
  store: OperationStore;
  kinds: Kinds;
  announced: Pick<AnnouncedAddresses, 'use'>;
  addressBook: Pick<AddressBook, 'remember'>;
  /** Used to remember no address for a user who has unlinked the account or erased their data in the meantime. */
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Announces the operation durably. */
  tell: (operation: Operation) => Promise<unknown>;
  log: Log;
}): Announce {
  const { store, kinds, announced, addressBook, tell, log } = deps;

  /** Remembers the address of a withdrawal after its request. Showing the address on a card isn't enough. */
  async function learn({ user, account, request, warnings, state }: Operation): Promise<void> {
    const kind = kinds.of(request);
    if (kind.takesOut === undefined || (await deps.apiKey(user, account)) === undefined) return;
    const address = kind.target(request);
    await announced.use({ user, account, address });
    // A lookalike address may be a trap. It must never be offered as a button.
    if (warnings?.lookalike !== undefined) return;
    // An unknown outcome proves no withdrawal.
    const withdrawnFrom = state === 'done' ? account : undefined;
    await addressBook.remember(user, address, { withdrawnFrom });
  }

  return async (stored) => {
    const { operation } = stored;
    const hasLeft = operation.state === 'done' || isUncertain(operation);
    if (operation.untold !== true || !hasLeft) return { stored, isDue: false };
    try {
      await learn(operation);
      await tell(operation);
      const told = await store.change(stored, ({ untold: _, ...present }) => present);
      return { stored: told ?? stored, isDue: false };
    } catch (err) {
      log.warn({ err, operation: operation.id }, 'an operation could not be announced yet');
      return { stored, isDue: true };
    }
  };
}
