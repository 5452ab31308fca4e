import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Heartbeat } from './attempts.ts';
import { type ByHand, isUncertain, type Operation, type OperationRef } from './operation.ts';
import type { Notify } from './receipt.ts';
import type { DueIndex } from './recheck-schedule.ts';
import type { SettleOpen } from './settle.ts';
import type { OperationStore } from './store.ts';
import { refusedByHand, settled } from './transitions.ts';

/** Delay until the reconciler notifies the user in case this process ends first, in milliseconds. */
const NOTIFY_RETRY_MS = 3_000;
/** Time after which the admin gets a reply even if the user hasn't been notified yet, in milliseconds. */
const NOTIFY_TIMEOUT_MS = 3_000;

/**
 * Result of a manual resolution.
 *
 * - `decided`: this decision is stored.
 * - `late`: the operation was settled or decided before. `operation` shows how.
 * - `under way`: an attempt is in progress. Its reply is worth more than any decision.
 * - `none`: the operation doesn't exist.
 */
type Decided = { kind: 'decided' | 'late' | 'under way'; operation: Operation } | { kind: 'none' };

/**
 * Resolves an operation with an uncertain outcome manually. Sends no request. A later reply of the service still
 * corrects the decision. Repeating the same decision has no further effect.
 */
export type DecideByHand = (ref: OperationRef, decision: Omit<ByHand, 'at'>) => Promise<Decided>;

export function createDecideByHand(deps: {
  store: Pick<OperationStore, 'read'>;
  dueIndex: Pick<DueIndex, 'scheduleNoLaterThan'>;
  heartbeat: Pick<Heartbeat, 'isAlive'>;
  settleOpen: SettleOpen;
  notify: Notify;
  now: () => number;
}): DecideByHand {
  const { store, dueIndex, heartbeat, settleOpen, notify, now } = deps;

  const ended = (open: Operation, decision: Omit<ByHand, 'at'>): Operation => {
    const at = now();
    const end =
      decision.outcome === 'done'
        ? settled(open, { kind: 'accepted', value: {} }, at)
        : refusedByHand(open, at);
    // Clears the follow-up, so that a new one is sent: an edit wouldn't notify the user.
    return { ...end, late: true, news: undefined, decided: { ...decision, at } };
  };

  return async (ref, decision) => {
    const [stored, isAlive] = await Promise.all([store.read(ref), heartbeat.isAlive(ref)]);
    if (stored === undefined) return { kind: 'none' };
    const { state } = stored.operation;
    if (state === 'claimed' || state === 'sent' || (isAlive && isUncertain({ state })))
      return { kind: 'under way', operation: stored.operation };
    // Scheduled before the change, so that the user is notified even if this process ends.
    if (isUncertain({ state })) await dueIndex.scheduleNoLaterThan(ref, NOTIFY_RETRY_MS);
    const changed = await settleOpen(stored, (open) => ended(open, decision));
    const present = changed ?? (await store.read(ref));
    if (present === undefined) return { kind: 'none' };
    await orTimeout(notify(present), NOTIFY_TIMEOUT_MS);
    const isHeld = isSame(present.operation.decided, decision);
    return { kind: isHeld ? 'decided' : 'late', operation: present.operation };
  };
}

function isSame(one: ByHand | undefined, other: Omit<ByHand, 'at'>): boolean {
  return one?.admin === other.admin && one.outcome === other.outcome && one.reason === other.reason;
}

/** Key prefix of proposed resolutions. */
export const PROPOSALS = 'proposal:';

/** Time for which the card of a resolution can be confirmed, in milliseconds. */
const TTL_MS = 15 * 60_000;
const NAME_LENGTH = 24;

const proposalSchema = z.object({
  /** User and id of the operation. */
  user: z.number(),
  id: z.string(),
  outcome: z.enum(['done', 'not-done']),
  reason: z.string(),
});

export type Proposal = z.infer<typeof proposalSchema>;

/**
 * Manual resolutions that wait for *Decide*. They are signed because they settle operations. Each admin finds only
 * their own.
 */
export interface Proposals {
  /** Stores a proposal. Returns the name that {@link find} needs. */
  keep(admin: number, proposal: Proposal): Promise<string>;
  find(admin: number, name: string): Promise<Proposal | undefined>;
}

export function createProposals({ records }: { records: Pick<SignedRecords, 'set' | 'get'> }): Proposals {
  const keyOf = (admin: number, name: string) => `${PROPOSALS}{${admin}}:${name}`;
  return {
    async keep(admin, proposal) {
      const content = JSON.stringify(proposal);
      // A repeated update makes the same card, because the name depends only on the content.
      const name = createHash('sha256').update(content).digest('hex').slice(0, NAME_LENGTH);
      await records.set(keyOf(admin, name), content, { ttlMs: TTL_MS });
      return name;
    },
    async find(admin, name) {
      const record = await records.get(keyOf(admin, name));
      return record && proposalSchema.parse(JSON.parse(record.content));
    },
  };
}
