import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { DueIndex } from './due-index.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { OperationsRental } from './kinds/kind.ts';
import { kindOf } from './kinds/kinds.ts';
import type { Notify } from './notifier.ts';
import type { Operation, OperationRef, Refusal } from './operation.ts';
import type { RecentAttempts } from './recent-attempts.ts';
import { retryWrite } from './retry-write.ts';
import { refusalOf, refused } from './settle.ts';
import type { Settlement } from './settlement.ts';
import type { OperationStore } from './store.ts';

/** A confirmation that could not be carried out for this long isn't what its user wants any more. */
const STALE_MS = 5 * 60_000;
const BALANCE_WITHIN_MS = 3_000;

export interface ExecutorDeps {
  store: OperationStore;
  dueIndex: DueIndex;
  heartbeat: Heartbeat;
  recentAttempts: RecentAttempts;
  settlement: Settlement;
  rental: OperationsRental;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  notify: Notify;
  now: () => number;
  log: Log;
}

/**
 * Carries a claimed operation out. Safe to call for any operation, any number of times, on any replica: the step
 * from *claimed* to *sent* is taken once, and only who takes it sends.
 */
export function createExecutor(deps: ExecutorDeps): (ref: OperationRef) => Promise<void> {
  const { store, dueIndex, heartbeat, recentAttempts, settlement, rental, notify, now, log } = deps;

  /** Everything that can still say no before a byte is sent. Answers the key, and the balance to compare with later. */
  async function prepare(operation: Operation): Promise<{ apiKey: string; balance: string } | Refusal> {
    if (now() - (operation.claimedAt ?? 0) > STALE_MS) return refusal('expired');
    const apiKey = await deps.apiKey(operation.user, operation.account);
    if (apiKey === undefined) return refusal('unlinked');
    const profile = await rental.profile(apiKey);
    if (profile.kind !== 'accepted') return refusalOf(profile);
    if (profile.value.id !== operation.account) return refusal('unlinked');
    return { apiKey, balance: profile.value.balance_trx };
  }

  /** The step that is taken once. The attempt's mark tells two that take it at the same millisecond apart. */
  async function takeStep(operation: Operation, balanceBefore: string): Promise<Operation | undefined> {
    await recentAttempts.add(operation);
    const attempt = randomUUID();
    return store.change(operation, (present) =>
      present.state === 'claimed'
        ? { ...present, state: 'sent', sentAt: now(), attempt, balanceBefore }
        : undefined,
    );
  }

  async function send(sent: Operation, apiKey: string): Promise<void> {
    const outcome = await kindOf(sent.request).send(rental, apiKey, sent.request);
    log.info({ operation: sent.id, kind: outcome.kind }, 'an attempt has an outcome');
    await retryWrite(() => settlement.settle(sent, outcome), { log, operation: sent.id });
    if (outcome.kind === 'accepted') await keepBalanceLeft(sent, apiKey);
  }

  async function keepBalanceLeft(ref: OperationRef, apiKey: string): Promise<void> {
    const late = new Promise<undefined>((resolve) =>
      setTimeout(resolve, BALANCE_WITHIN_MS, undefined).unref(),
    );
    const profile = await Promise.race([rental.profile(apiKey), late]);
    if (profile?.kind !== 'accepted') return;
    const balanceLeft = profile.value.balance_trx;
    await store.change(ref, (present) => ({
      ...present,
      result: { ...present.result, balanceLeft },
      revision: Math.max(present.revision, present.notified + 1),
    }));
  }

  return async (ref) => {
    const claimed = (await store.read(ref))?.operation;
    if (claimed?.state !== 'claimed') return;
    // Shown while the request is under way; its failure must not end the attempt.
    const going = notify(ref).catch((err: unknown) =>
      log.warn({ err, operation: ref.id }, 'not shown as begun'),
    );
    const prepared = await prepare(claimed);
    if ('reason' in prepared) {
      await store.change(ref, (present) =>
        present.state === 'claimed' ? refused(present, prepared, now()) : undefined,
      );
    } else {
      const { apiKey, balance } = prepared;
      // It beats before it is marked as sent, so that nobody takes it for an orphan in between.
      const mine = await heartbeat.during(ref, async () => {
        const sent = await takeStep(claimed, balance);
        if (sent) await send(sent, apiKey);
        return sent !== undefined;
      });
      if (!mine) return;
    }
    await going;
    await notify(ref);
    // Whatever is left to do with it, the watch decides.
    await dueIndex.put(ref, now());
  };
}

function refusal(reason: 'expired' | 'unlinked'): Refusal {
  return { reason, code: reason.toUpperCase(), seconds: 0 };
}
