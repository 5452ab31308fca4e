import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Rental } from '../rental/client.ts';
import type { Outcome } from '../rental/outcome.ts';
import type { Attention } from './attention.ts';
import type { Result } from './kinds/kind.ts';
import { kindOf } from './kinds/kinds.ts';
import type { LastPrices } from './last-price.ts';
import type { Operation, OperationRef, Refusal } from './operation.ts';
import type { Orders } from './orders.ts';
import { persistently } from './persistently.ts';
import type { Rivals } from './rivals.ts';
import { refusalOf, refused, settled, withStatus } from './settle.ts';
import type { OperationStore } from './store.ts';
import type { Tell } from './telling.ts';

/** An attempt that hasn't moved for this long has lost its process: found within 15 s of a restart, with the watch's pace. */
const HEARTBEAT_MS = 2_000;
const ORPHANED_MS = 8_000;
/** A confirmation that could not be carried out for this long isn't what its user wants any more. */
const STALE_MS = 5 * 60_000;
const BALANCE_WITHIN_MS = 3_000;

export interface ExecutorDeps {
  store: OperationStore;
  attention: Attention;
  orders: Orders;
  rivals: Rivals;
  lastPrices: LastPrices;
  rental: Rental;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  tell: Tell;
  now: () => number;
  log: Log;
}

/**
 * Carries a claimed operation out. Safe to call for any operation, any number of times, on any replica: the step
 * from *claimed* to *sent* is taken once, and only who takes it sends.
 */
export function createExecutor(deps: ExecutorDeps): (ref: OperationRef) => Promise<void> {
  const { store, attention, orders, rivals, lastPrices, rental, tell, now, log } = deps;

  /** Keeps saying that somebody is at it. */
  async function attended<T>(ref: OperationRef, work: () => Promise<T>): Promise<T> {
    const beat = () => attention.lookAt(ref, now() + ORPHANED_MS);
    await beat();
    const heart = setInterval(() => {
      beat().catch((err: unknown) => log.warn({ err, operation: ref.id }, 'a heartbeat was missed'));
    }, HEARTBEAT_MS);
    try {
      return await work();
    } finally {
      clearInterval(heart);
    }
  }

  async function refuse(ref: OperationRef, refusal: Refusal): Promise<void> {
    await store.change(ref, (present) =>
      present.state === 'claimed' ? refused(present, refusal, now()) : undefined,
    );
  }

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

  async function balanceLeft(apiKey: string): Promise<string | undefined> {
    const late = new Promise<undefined>((resolve) =>
      setTimeout(resolve, BALANCE_WITHIN_MS, undefined).unref(),
    );
    const profile = await Promise.race([rental.profile(apiKey), late]);
    return profile?.kind === 'accepted' ? profile.value.balance_trx : undefined;
  }

  async function settle(ref: OperationRef, operation: Operation, outcome: Outcome<Result>): Promise<void> {
    // The answer is proof, also where a watch has called the outcome unknown meanwhile.
    const done = await store.change(ref, (present) =>
      present.state === 'sent' || present.state === 'unknown'
        ? { ...settled(present, outcome, now()), late: present.state === 'unknown' }
        : undefined,
    );
    log.info({ operation: ref.id, kind: outcome.kind }, 'an operation has an outcome');
    const order = done?.result?.order;
    if (order === undefined) return;
    await orders.bind(operation.account, order, ref);
    await lastPrices.keep(operation, done?.result?.price);
    // Its event can be quicker than the answer.
    const status = await orders.reportedStatus(operation.account, order);
    if (status !== undefined) await store.change(ref, (present) => withStatus(present, status));
  }

  async function execute(ref: OperationRef): Promise<void> {
    const claimed = (await store.read(ref))?.operation;
    if (claimed?.state !== 'claimed') return;
    // Shown while the request is under way; its failure must not end the attempt.
    const going = tell(ref).catch((err: unknown) =>
      log.warn({ err, operation: ref.id }, 'not shown as begun'),
    );
    const prepared = await prepare(claimed);
    if ('reason' in prepared) {
      await refuse(ref, prepared);
    } else {
      await rivals.enlist(claimed);
      const attempt = randomUUID();
      const sent = await store.change(ref, (present) =>
        present.state === 'claimed'
          ? { ...present, state: 'sent', sentAt: now(), attempt, balanceBefore: prepared.balance }
          : undefined,
      );
      if (sent) await send(ref, sent, prepared.apiKey);
    }
    await going;
    await tell(ref);
  }

  async function send(ref: OperationRef, sent: Operation, apiKey: string): Promise<void> {
    const outcome = await kindOf(sent.request).send(rental, apiKey, sent.request);
    await persistently(() => settle(ref, sent, outcome), { log, operation: ref.id });
    if (outcome.kind !== 'accepted') return;
    const left = await balanceLeft(apiKey);
    if (left === undefined) return;
    await store.change(ref, (present) => ({ ...present, result: { ...present.result, balanceLeft: left } }));
  }

  return async (ref) => {
    await attended(ref, () => execute(ref));
    // Whatever is left to do with it, the watch decides.
    await attention.lookAt(ref, now());
  };
}

function refusal(reason: 'expired' | 'unlinked'): Refusal {
  return { reason, code: reason.toUpperCase(), seconds: 0 };
}
