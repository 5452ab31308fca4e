import { untilWritten } from '../storage/contention.ts';
import { type Broadcast, type Contents, isEnded } from './broadcast.ts';
import type { BroadcastStore } from './broadcast-store.ts';
import type { Broadcasts } from './broadcasts.ts';
import type { BroadcastDraft } from './drafts.ts';
import type { Wait } from './halts.ts';
import type { Progress } from './progress.ts';

/** Whoever is at it hears a wish within a second, mostly. */
const HEARD_WITHIN_MS = 2_000;
const LOOK_MS = 50;
const TEST_WITHIN_MS = 3_000;
const NOTHING_YET = {
  ...{ total: 0, settled: 0, sent: 0, blocked: 0, deactivated: 0, unreachable: 0, failed: 0 },
  ...{ unknown: 0, skipped: 0, putOff: [], openAttempts: [], objections: 0, retaken: 0 },
  ...{ sendingMs: 0, revision: 0 },
};

/** What admins do with broadcasts: each of it may be done twice, by two at once, and beside whoever is at it. */
export function createControl(deps: {
  store: BroadcastStore;
  progress: Pick<Progress, 'settled'>;
  isAdmin: (user: number) => boolean;
  wait: Wait;
  /** The present epoch of the stored data. */
  epoch: () => Promise<string>;
  now: () => number;
}): Pick<Broadcasts, 'start' | 'pause' | 'resume' | 'stop'> {
  const { store, progress, isAdmin, wait, epoch, now } = deps;

  /** Changes a record; answers whether it did. `to`: `undefined` where there is nothing to change. */
  const change = (id: string, to: (broadcast: Broadcast) => Partial<Broadcast> | undefined) =>
    untilWritten(async () => {
      const held = await store.find(id);
      // An old record that was put back is left to the runner, which refuses it.
      const changes = held?.isReplayed === false ? to(held.broadcast) : undefined;
      if (held === undefined || changes === undefined) return false;
      return (await store.replace(held, changes)) ? true : undefined;
    });

  /** Has whoever is at it do so, and waits a little for that; what they don't come to is done by the next. */
  async function wish(id: string, wished: 'pause' | 'stop', by: number): Promise<boolean> {
    await store.wish(id, { wish: wished, by });
    // Whoever lost which one is under way finds it again.
    await store.activate(id);
    for (let waited = 0; waited < HEARD_WITHIN_MS; waited += LOOK_MS) {
      const present = (await store.find(id))?.broadcast;
      if (present === undefined || isEnded(present)) return present?.state === 'stopped';
      if (present.state === 'paused') break;
      await wait(LOOK_MS);
    }
    return true;
  }

  /** What is under way besides this one; a test, which takes a moment, is waited for. */
  async function anotherThan(id: string): Promise<string | undefined> {
    for (let waited = 0; ; waited += LOOK_MS) {
      const active = await store.active();
      if (active === undefined || active === id) return undefined;
      const broadcast = (await store.find(active))?.broadcast;
      // Of one that nobody can read nothing comes: it is in nobody's way.
      if (broadcast === undefined) await store.ended({ id: active, endedAt: now() });
      const isTest = broadcast === undefined || broadcast.audience.who === 'me';
      if (!isTest || waited >= TEST_WITHIN_MS) return active;
      await wait(LOOK_MS);
    }
  }

  async function broadcastOf({ id, admin, contents, audience, at }: BroadcastDraft): Promise<Broadcast> {
    if (contents.default === undefined || audience === undefined)
      throw new Error('a draft is to be whole before it is begun');
    return {
      ...{ id, admin, audience, ...NOTHING_YET },
      contents: contents as Contents,
      state: at === undefined ? 'gathering' : 'scheduled',
      ...{ createdAt: now(), startAt: at ?? now(), activeAt: now(), epoch: await epoch() },
    };
  }

  /** Before its time: nobody is at it. */
  async function takeBack(broadcast: Broadcast): Promise<boolean> {
    const { id } = broadcast;
    const ended = { state: 'stopped', endedAt: now() } as const;
    if (!(await change(id, ({ state }) => (state === 'scheduled' ? ended : undefined)))) return false;
    await store.markEnded({ ...broadcast, ...ended });
    await store.ended({ id, ...ended });
    await progress.settled({ ...broadcast, ...ended });
    return true;
  }

  return {
    async start(draft) {
      const known = (await store.find(draft.id))?.broadcast;
      const broadcast = known ?? (await broadcastOf(draft));
      const { id, state, startAt } = broadcast;
      if (isEnded(broadcast)) return 'started';
      const isLater = state === 'scheduled';
      if (!isLater && (await anotherThan(id)) !== undefined) return 'busy';
      // There before it is due or under way: of one that is and isn't there nothing can come.
      if (known === undefined) await store.add(broadcast);
      // It was confirmed while another one was under way. The time since then doesn't count as an interruption.
      else if (state === 'gathering' && (await store.active()) !== id)
        await change(id, (present) => (present.state === 'gathering' ? { activeAt: now() } : undefined));
      if (isLater) await store.schedule(id, startAt);
      return isLater ? 'scheduled' : (await store.activate(id)) ? 'started' : 'busy';
    },
    async pause(id, admin) {
      const state = (await store.find(id))?.broadcast.state;
      return (state === 'gathering' || state === 'sending') && wish(id, 'pause', admin);
    },
    async resume(id, admin) {
      if (!(await store.unwish(id))) return false;
      await store.activate(id);
      const present = await epoch();
      return change(id, (broadcast) =>
        broadcast.state === 'paused'
          ? {
              state: broadcast.begunAt === undefined ? 'gathering' : 'sending',
              pause: undefined,
              activeAt: now(),
              epoch: present,
              admin: isAdmin(broadcast.admin) ? broadcast.admin : admin,
            }
          : undefined,
      );
    },
    async stop(id, admin) {
      const broadcast = (await store.find(id))?.broadcast;
      if (broadcast === undefined || isEnded(broadcast)) return false;
      return broadcast.state === 'scheduled' ? takeBack(broadcast) : wish(id, 'stop', admin);
    },
  };
}
