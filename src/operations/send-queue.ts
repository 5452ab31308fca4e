import { randomUUID } from 'node:crypto';
import type { Log } from '../platform/log.ts';
import type { Heartbeat } from './attempts.ts';
import type { Claim, Execute } from './execute.ts';
import type { OperationRef } from './operation.ts';
import type { Notify } from './receipt.ts';
import { refOf, type Stored } from './store.ts';

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
