import type { Log } from '../log.ts';
import type { Notify, ShowAgain } from './notifier.ts';
import type { OperationRef } from './operation.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';

/** So many of one account are under way in a process at once: no account uses up what all share. */
const OF_ONE_ACCOUNT = 5;
/** A send waits for the service, up to half a minute: many may. Those beyond wait in the queue that all replicas share. */
export const SENDS_AT_ONCE = 200;

interface Lane {
  active: number;
  waiting: OperationRef[];
}

/** What is to be sent by this process, a few of each account at once. */
export interface Sends {
  /**
   * Carries a confirmed operation out, and resolves once that is done. One whose account has enough under way waits
   * its turn, in order: that resolves at once, and it is carried out by whoever ends first. Does nothing with one that
   * was begun, here or elsewhere.
   */
  send(ref: OperationRef): Promise<void>;
  /**
   * The same for one whose claim was committed by this process just now: nobody waits for it, and nothing is lost where
   * the process ends, since it comes due.
   */
  begin(claimed: Stored): void;
  /** Leaves those that wait to others: they come due again. Resolves once those that were begun here are through. */
  close(): Promise<void>;
}

export function createSends(deps: {
  store: Pick<OperationStore, 'read'>;
  execute: (claimed: Stored) => Promise<void>;
  notify: Notify;
  showAgain: ShowAgain;
  /** Has it sent by a job, here or on another replica. */
  carryOut: (ref: OperationRef) => Promise<void>;
  log: Log;
}): Sends {
  const { store, execute, notify, showAgain, carryOut, log } = deps;
  const lanes = new Map<number, Lane>();
  /** Under way or waiting here. */
  const taken = new Set<string>();
  const begun = new Set<Promise<void>>();
  let closed = false;

  function failed({ id }: OperationRef, err: unknown): void {
    log.warn({ err, operation: id }, 'an operation was not carried out; it comes due again');
  }

  async function claimed(ref: OperationRef): Promise<Stored | undefined> {
    const stored = await store.read(ref);
    return stored?.operation.state === 'claimed' ? stored : undefined;
  }

  async function sendFirst(lane: Lane, stored: Stored): Promise<void> {
    lane.active += 1;
    try {
      await execute(stored);
    } finally {
      await sendWaiting(lane, stored.operation.account);
    }
  }

  async function sendWaiting(lane: Lane, account: number): Promise<void> {
    const { waiting } = lane;
    for (let ref = waiting.shift(); ref; ref = waiting.shift()) {
      try {
        const stored = await claimed(ref);
        // Taken up elsewhere meanwhile: that it waits here may have been shown on top of its outcome.
        await (stored ? execute(stored) : showAgain(ref));
      } catch (err) {
        failed(ref, err);
      } finally {
        taken.delete(nameOf(ref));
      }
    }
    // At once: whoever comes from here on finds a free place, and waits in no lane that nobody empties.
    lane.active -= 1;
    if (lane.active === 0) lanes.delete(account);
  }

  async function send(ref: OperationRef, known?: Stored): Promise<void> {
    const name = nameOf(ref);
    if (closed || taken.has(name)) return;
    taken.add(name);
    let waits = false;
    try {
      const stored = known ?? (await claimed(ref));
      if (stored === undefined || closed) return;
      const { account } = stored.operation;
      const lane = lanes.get(account) ?? { active: 0, waiting: [] };
      lanes.set(account, lane);
      waits = lane.active >= OF_ONE_ACCOUNT;
      if (!waits) return await sendFirst(lane, stored);
      lane.waiting.push(ref);
      // Its turn may be long in coming.
      await notify(stored);
    } finally {
      if (!waits) taken.delete(name);
    }
  }

  return {
    send: (ref) => send(ref),
    begin(stored) {
      const ref = refOf(stored);
      const going = (begun.size < SENDS_AT_ONCE ? send(ref, stored) : carryOut(ref))
        .catch((err: unknown) => failed(ref, err))
        .finally(() => begun.delete(going));
      begun.add(going);
    },
    async close() {
      closed = true;
      for (const { waiting } of lanes.values()) waiting.length = 0;
      await Promise.all(begun);
    },
  };
}

function nameOf({ user, id }: OperationRef): string {
  return `${user}/${id}`;
}
