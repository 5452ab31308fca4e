import { orTimeout } from '../or-timeout.ts';
import type { DueIndex } from './due-index.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Notify } from './notifier.ts';
import { type ByHand, isUncertain, type Operation, type OperationRef } from './operation.ts';
import { refusedByHand, settled } from './settle.ts';
import type { SettleOpen } from './settle-open.ts';
import type { OperationStore } from './store.ts';

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
export type Decided = { kind: 'decided' | 'late' | 'under way'; operation: Operation } | { kind: 'none' };

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
