import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Links } from '../accounts/links.ts';
import { isRecent } from '../platform/clock.ts';
import type { DueQueue } from '../platform/due-queue.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import {
  FIRST_POLL_MS,
  POLL_KINDS,
  POLL_STATE,
  POLLS,
  type PollState,
  type PollTarget,
} from './poll-state.ts';

const searchSchema = z.object({
  /** Accounts up to this one were reached. The next round continues here. */
  above: z.number(),
  /** Round through all accounts; `undefined` if all were searched. */
  round: z
    .object({
      /** Random value. A new request for a search replaces it, so that the old round can't end the new one. */
      id: z.string(),
      /** Epoch milliseconds: earlier events may have been lost. */
      requestedAt: z.number(),
      /** The round ends at this account, after it has continued from the first account. */
      until: z.number(),
      hasWrapped: z.boolean(),
    })
    .optional(),
});
type Search = z.infer<typeof searchSchema>;

export const LOG_SEARCH = defineRecord({
  keys: 'log-search',
  content: 'Progress of the search of all webhook logs for events that never arrived',
  schema: searchSchema,
  ttlMs: 'none',
  expiry: 'none: a single key',
  signed: false,
  anonymous: true,
});

/** Number of accounts whose logs come due in one step. */
const PAGE_SIZE = 100;
/** Time over which these first polls are spread, in seconds. */
const SPREAD_S = 3_600;
/** Time for which a process remembers that no search is running, in milliseconds. Another replica may begin one. */
const OVER_TTL_MS = 10_000;

/**
 * Creates the search of all webhook logs for events that never arrived. The search makes the logs of all linked accounts
 * due, page by page, each time no poll of this lowest priority is due. So the queue stays short, and polls of other lists
 * aren't delayed. If active accounts keep all replicas busy, the search still gets the polls that are reserved for the lowest
 * priority.
 *
 * The position is stored. If a process dies, other replicas or its successor continue. All replicas with free capacity
 * take part. After a request during a search, the search continues from its position, around to the same position.
 */
export function createLogSearch(deps: {
  links: Pick<Links, 'linkedAccounts'>;
  records: SignedRecords;
  idle: Pick<DueQueue<PollTarget>, 'scheduleAll'>;
  now: () => number;
}) {
  const { links, records, idle, now } = deps;
  const searches = records.store(LOG_SEARCH);
  const states = records.store(POLL_STATE);
  let isRequested = false;
  /** Time at which no search was running, in epoch milliseconds. */
  let overAt = Number.NEGATIVE_INFINITY;

  /**
   * Returns whether a poll began after the request, so that it has seen all earlier events. `polledAt` is the time when a
   * poll ended, and a poll is shorter than its lease.
   */
  function wasPolledSince(requestedAt: number, state: PollState | undefined): boolean {
    return state !== undefined && state.polledAt >= requestedAt + POLLS.leaseMs && state.polledAt <= now();
  }

  async function makeDue(accounts: readonly number[], requestedAt: number): Promise<void> {
    const logs = accounts.map((account) => ({ account, kind: 'log' as const }));
    const found = await Promise.all(logs.map((log) => states.get(log)));
    const unsearched = logs.filter((_, at) => !wasPolledSince(requestedAt, found[at]));
    // The process that linked an account may have died before it scheduled the polls.
    const all = accounts.flatMap((account) => {
      const delayMs = FIRST_POLL_MS + (account % SPREAD_S) * 1_000;
      return POLL_KINDS.map((kind) => [{ account, kind }, delayMs] as const);
    });
    await idle.scheduleAll('if-missing', all);
    await idle.scheduleAll(
      'no-later-than',
      unsearched.map((log) => [log, 0]),
    );
  }

  return {
    /** Requests a search, because events may have been lost. `begin` stores the request. */
    request(): void {
      isRequested = true;
    },
    /** Begins a search if one was requested here. */
    async begin(): Promise<void> {
      if (!isRequested) return;
      // Reset first, so that a request in the meantime isn't lost.
      isRequested = false;
      overAt = Number.NEGATIVE_INFINITY;
      try {
        await searches.update({}, ({ above } = { above: 0 }) => ({
          above,
          round: { id: randomUUID(), requestedAt: now(), until: above, hasWrapped: false },
        }));
      } catch (err) {
        isRequested = true;
        throw err;
      }
    },
    /** Makes the logs of further accounts due. Returns false if the search is over. */
    async addDueLogs(): Promise<boolean> {
      if (isRecent(overAt, OVER_TTL_MS, now())) return false;
      const stored = await searches.read({});
      if (stored?.value.round === undefined) {
        overAt = now();
        return false;
      }
      const accounts = await links.linkedAccounts({ above: stored.value.above, limit: PAGE_SIZE });
      await makeDue(accounts, stored.value.round.requestedAt);
      // Stored last: if the process dies before, the page is repeated. Another replica may already have gone on.
      await searches.replace({}, stored, searchAfter(stored.value, accounts));
      return true;
    },
  };
}

/**
 * Returns the progress after a page of accounts. After the last account, the round continues from the first one. It ends
 * when it has come back to where it began.
 */
function searchAfter({ above, round }: Search, accounts: readonly number[]): Search {
  const last = accounts.length < PAGE_SIZE ? undefined : accounts.at(-1);
  if (round === undefined) return { above };
  const next = { above: last ?? 0, round: { ...round, hasWrapped: round.hasWrapped || last === undefined } };
  const isOver = next.round.hasWrapped && next.above >= round.until;
  const hasEndedTwice = round.hasWrapped && last === undefined;
  return isOver || hasEndedTwice ? { above: next.above } : next;
}
