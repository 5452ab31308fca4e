import type { Balances } from '../accounts/balances.ts';
import type { Log } from '../log.ts';
import { orTimeout } from '../or-timeout.ts';
import { retryWrite } from '../storage/retry-write.ts';
import type { Announce } from './announce.ts';
import type { Attempts } from './attempts.ts';
import type { DueIndex } from './due-index.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { History } from './history.ts';
import type { NextLook } from './next-look.ts';
import type { Notify, ShowAgain } from './notifier.ts';
import { isUnresolved, type Operation, type OperationRef, type Refusal } from './operation.ts';
import { createPrepare, type PrepareDeps, type Prepared } from './prepare.ts';
import type { RecentAttempts } from './recent-attempts.ts';
import { createRequest, type RequestDeps } from './request.ts';
import { notMade, refused, revised } from './settle.ts';
import type { Settlement } from './settlement.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';
import { createTakeStep, type Step } from './take-step.ts';

/** Those who hold the account could not be told. */
const ANNOUNCED_AGAIN_MS = 10_000;
/** News that come before it is here are no reply to the receipt yet. */
const BALANCE_WITHIN_MS = 2_000;

export interface ExecutorDeps extends PrepareDeps, RequestDeps {
  settleCaps: (operation: Operation) => Promise<unknown>;
  store: OperationStore;
  attempts: Attempts;
  dueIndex: DueIndex;
  heartbeat: Heartbeat;
  recentAttempts: RecentAttempts;
  history: Pick<History, 'add'>;
  settlement: Settlement;
  /** Whether the service's events of the account come here. */
  reported: (account: number) => Promise<boolean>;
  /** Where menus look. */
  balances: Pick<Balances, 'keep' | 'forget'>;
  announce: Announce;
  notify: Notify;
  showAgain: ShowAgain;
  nextLook: NextLook;
  log: Log;
}

/**
 * Carries a claimed operation out. Safe to call for any operation, any number of times, on any replica: the step
 * from *claimed* to *sent* is taken once, and only who takes it sends.
 */
export function createExecutor(deps: ExecutorDeps): (claimed: Stored) => Promise<void> {
  const prepare = createPrepare(deps);
  const request = createRequest(deps);
  const takeStep = createTakeStep(deps);
  const {
    store,
    attempts,
    dueIndex,
    heartbeat,
    kinds,
    recentAttempts,
    locks,
    settlement,
    rental,
    notify,
    now,
    log,
  } = deps;

  async function refuse(claimed: Stored, refusal: Refusal): Promise<Stored | undefined> {
    const ended = await store.change(claimed, (present) =>
      present.state === 'claimed' ? refused(present, refusal, now()) : undefined,
    );
    // Before its user hears that nothing was bought: nothing will be, whatever is put back.
    if (ended) await attempts.begin(ended.operation);
    return ended;
  }

  /** Gone between confirmation and request: whether another process sent it isn't known any more, and its user hears that. */
  async function vanished({ operation }: Stored): Promise<Stored | undefined> {
    if (await store.read(operation)) return undefined;
    log.error({ operation: operation.id }, 'the record of an operation vanished before its request');
    const isHarmless = kinds.of(operation.request).isHarmless === true;
    const ended = isHarmless ? notMade(operation, now()) : revised(operation, { state: 'unknown' });
    return store.restore({ ...ended, sentAt: now() });
  }

  /** Taken here after somebody else was through with it, and released it. */
  async function leaveLock(ref: OperationRef): Promise<void> {
    const present = (await store.read(ref))?.operation;
    if (present && !isUnresolved(present)) await locks.release(present);
  }

  async function send({ sent, obstacle }: Step, prepared: Prepared): Promise<Stored> {
    const { id, account } = sent.operation;
    deps.balances.forget(account);
    const outcome = obstacle ?? (await request(sent.operation, prepared));
    log.info({ operation: id, kind: outcome.kind }, 'an attempt has an outcome');
    return retryWrite(() => settlement.settle(sent, outcome), { log, about: { operation: id } });
  }

  async function withBalanceLeft(done: Operation, apiKey: string): Promise<Operation | undefined> {
    const profile = await orTimeout(rental.profile(apiKey), BALANCE_WITHIN_MS);
    if (profile?.kind !== 'accepted') return undefined;
    deps.balances.keep(done.account, profile.value.balance_trx);
    return { ...done, result: { ...done.result, balanceLeft: profile.value.balance_trx } };
  }

  return async (claimed) => {
    const ref = refOf(claimed);
    // Shown while the request is under way; its failure must not end the attempt.
    const going = notify(claimed).catch((err: unknown) =>
      log.warn({ err, operation: ref.id }, 'not shown as begun'),
    );
    const attempt = await heartbeat.during(ref, async (begun) => {
      // It beats before it is marked as sent, so that nobody takes it for an orphan in between, nor its trace for another's.
      const [prepared, reported] = await Promise.all([
        prepare(claimed.operation),
        deps.reported(claimed.operation.account),
        recentAttempts.add(claimed.operation),
        deps.history.add(claimed.operation),
        begun,
      ]);
      if ('reason' in prepared) return { ended: await refuse(claimed, prepared), apiKey: undefined };
      const { balance: balanceBefore, listed: listedBefore } = prepared;
      const step = await takeStep(claimed, { balanceBefore, listedBefore, reported });
      return { ended: step ? await send(step, prepared) : await vanished(claimed), apiKey: prepared.apiKey };
    });
    await going;
    // Somebody else has taken it up: that it is under way may have been shown here on top of its outcome.
    if (attempt.ended === undefined) {
      await leaveLock(ref);
      return deps.showAgain(ref);
    }
    const announced = await deps.announce(attempt.ended);
    const { operation } = announced.stored;
    // Whatever is left to do with it, the reconciler decides.
    const wait = announced.isDue ? ANNOUNCED_AGAIN_MS : await deps.nextLook(operation);
    const beside = () =>
      Promise.all([
        wait === undefined ? dueIndex.remove(ref) : dueIndex.putIn(ref, wait),
        isUnresolved(operation) ||
          Promise.all([
            recentAttempts.resolved(operation),
            locks.release(operation),
            deps.settleCaps(operation),
          ]),
      ]);
    const isFree = kinds.of(operation.request).isFree?.(operation.request) === true;
    const { apiKey } = attempt;
    const adorn =
      operation.state === 'done' && apiKey !== undefined && !isFree
        ? (done: Operation) => withBalanceLeft(done, apiKey)
        : undefined;
    if ((await notify(announced.stored, { adorn, beside })) === undefined) await dueIndex.putIn(ref, 0);
  };
}
