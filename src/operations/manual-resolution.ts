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

/** The user is notified again after this time, in case this process ends before it has done so. */
const NOTIFY_AGAIN_MS = 3_000;
/** The admin gets a reply after this time even if the user hasn't been notified yet. */
const NOTIFY_TIMEOUT_MS = 3_000;

/**
 * - `decided`: it is so now, by this very decision.
 * - `late`: it was settled, or decided on, before; `operation` says how.
 * - `under way`: an attempt is being made, whose answer is worth more than any decision.
 * - `none`: there is no such operation.
 */
type Decided = { kind: 'decided' | 'late' | 'under way'; operation: Operation } | { kind: 'none' };

/**
 * Decides by hand how an operation ended whose outcome nobody knows. Nothing is sent by it, and an answer of the service
 * that comes later all the same corrects it. The same decision once more is the same.
 */
export type DecideByHand = (ref: OperationRef, decision: Omit<ByHand, 'at'>) => Promise<Decided>;

export function createDecideByHand(deps: {
  store: Pick<OperationStore, 'read'>;
  dueIndex: Pick<DueIndex, 'putWithin'>;
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
    // A message of its own: an edit of what they were told before would ring for nobody.
    return { ...end, late: true, news: undefined, decided: { ...decision, at } };
  };

  return async (ref, decision) => {
    const [stored, isAlive] = await Promise.all([store.read(ref), heartbeat.isAlive(ref)]);
    if (stored === undefined) return { kind: 'none' };
    const { state } = stored.operation;
    if (state === 'claimed' || state === 'sent' || (isAlive && isUncertain({ state })))
      return { kind: 'under way', operation: stored.operation };
    // Before it is so: its user is told also where this process ends over it.
    if (isUncertain({ state })) await dueIndex.putWithin(ref, NOTIFY_AGAIN_MS);
    const changed = await settleOpen(stored, (open) => ended(open, decision));
    const present = changed ?? (await store.read(ref));
    if (present === undefined) return { kind: 'none' };
    await orTimeout(notify(present), NOTIFY_TIMEOUT_MS);
    const isMine = isSame(present.operation.decided, decision);
    return { kind: isMine ? 'decided' : 'late', operation: present.operation };
  };
}

function isSame(one: ByHand | undefined, other: Omit<ByHand, 'at'>): boolean {
  return one?.admin === other.admin && one.outcome === other.outcome && one.reason === other.reason;
}

/** What the keys of proposed decisions begin with. */
export const PROPOSALS = 'proposal:';

/** For so long the card of a decision may be decided on. */
const KEPT_MS = 15 * 60_000;
const NAME_LENGTH = 24;

const proposalSchema = z.object({
  /** The operation's user, and its number. */
  user: z.number(),
  id: z.string(),
  outcome: z.enum(['done', 'not-done']),
  reason: z.string(),
});

export type Proposal = z.infer<typeof proposalSchema>;

/** Decisions by hand that wait for *Decide*: signed, as they end operations. An admin finds their own alone. */
export interface Proposals {
  /** Answers the name by which it is found again. */
  keep(admin: number, proposal: Proposal): Promise<string>;
  find(admin: number, name: string): Promise<Proposal | undefined>;
}

export function createProposals({ records }: { records: Pick<SignedRecords, 'set' | 'get'> }): Proposals {
  const keyOf = (admin: number, name: string) => `${PROPOSALS}{${admin}}:${name}`;
  return {
    async keep(admin, proposal) {
      const content = JSON.stringify(proposal);
      // The same update makes the same card, however often it comes.
      const name = createHash('sha256').update(content).digest('hex').slice(0, NAME_LENGTH);
      await records.set(keyOf(admin, name), content, { ttlMs: KEPT_MS });
      return name;
    },
    async find(admin, name) {
      const record = await records.get(keyOf(admin, name));
      return record && proposalSchema.parse(JSON.parse(record.content));
    },
  };
}
