import type { Turns } from '../storage/turns.ts';
import type { DueIndex } from './due-index.ts';
import type { Evidence, Search } from './evidence.ts';
import { leaveDue } from './leave-due.ts';
import { SEARCHED_MS, searchAgainMs, TAKEN_MS } from './next-look.ts';
import type { Notify } from './notifier.ts';
import { isUncertain, type OperationRef } from './operation.ts';
import type { Settlement } from './settlement.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';

const UNREAD: Evidence = { kind: 'none', balance: 'unread' };
/** Asked for by hand at most so often. */
const ASKED_MS = 5_000;

/** Looks for the traces of what has no outcome, and settles it by them. */
export interface TraceLooks {
  /** As it comes due. */
  look(unknown: Stored): Promise<void>;
  /**
   * The same at once, as somebody wants to know; also of what is likely, and of an attempt that may have lost its process.
   * `busy`: that was done just now.
   */
  ask(ref: OperationRef): Promise<'asked' | 'busy'>;
}

export function createTraceLooks(deps: {
  turns: Turns;
  store: OperationStore;
  dueIndex: DueIndex;
  search: Pick<Search, 'look'>;
  settlement: Pick<Settlement, 'conclude'>;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** As the watch does with what came due. */
  advance: (ref: OperationRef) => Promise<void>;
  notify: Notify;
  now: () => number;
}): TraceLooks {
  const { turns, store, dueIndex, search, settlement, notify, now } = deps;

  /** Tells first: its user must know before anything else that it isn't to be repeated. */
  async function look(stored: Stored): Promise<void> {
    const ref = refOf(stored);
    await dueIndex.putIn(ref, TAKEN_MS);
    const told = await notify(stored);
    if (told === undefined || told.isDue) return;
    const { operation } = told.stored;
    const apiKey = await deps.apiKey(operation.user, operation.account);
    const age = now() - (operation.sentAt ?? 0);
    const over = age > SEARCHED_MS;
    const found = apiKey === undefined ? UNREAD : await search.look(operation, apiKey);
    const concluded = await settlement.conclude(told.stored, found, over);
    const toldAgain = await notify(concluded ?? ref);
    if (toldAgain?.isDue) return;
    if (over) return leaveDue(deps, ref);
    await dueIndex.putIn(ref, searchAgainMs((operation.search?.count ?? 0) + 1, age));
  }

  async function lookNow(ref: OperationRef): Promise<void> {
    const first = await store.read(ref);
    if (first?.operation.state === 'sent') await deps.advance(ref);
    const present = await store.read(ref);
    if (present && isUncertain(present.operation)) await look(present);
  }

  return {
    look,
    async ask(ref) {
      const key = `asking:{${ref.user}}:${ref.id}`;
      const turn = await turns.take(key, () => lookNow(ref), { keptMs: ASKED_MS });
      return turn === 'done' ? 'asked' : 'busy';
    },
  };
}
