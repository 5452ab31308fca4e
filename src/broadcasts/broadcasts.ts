import { setTimeout as delay } from 'node:timers/promises';
import type { InlineKeyboardButton } from 'grammy/types';
import type { Links } from '../accounts/links.ts';
import type { People } from '../accounts/users.ts';
import type { Language, Texts, Words } from '../i18n/texts.ts';
import type { View } from '../i18n/view.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { retryOnConflict, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Copier } from '../telegram/copier.ts';
import type { Outgoing } from '../telegram/rate-limiter.ts';
import type { Sender } from '../telegram/sender.ts';
import { createCount, createReadAudience } from './audience.ts';
import { type Audience, type Broadcast, type Contents, isEnded } from './broadcast.ts';
import { createProgress, type Progress, progressView } from './progress.ts';
import { createGather, createRunner } from './runner.ts';
import {
  createBulkPace,
  createHear,
  createPrepareCopy,
  createSendAll,
  createSendPutOff,
  durationMs,
  type Wait,
} from './send.ts';
import {
  type BroadcastDraft,
  type BroadcastDrafts,
  type BroadcastStore,
  createBroadcastDrafts,
  createBroadcastStore,
} from './store.ts';

/**
 * Broadcasts of admins to users: drafts, and the broadcasts that were confirmed.
 *
 * @example
 * const draft = await broadcasts.drafts.change(admin, () => ({ audience: { who: 'everybody' } }));
 * // When the admin confirms a complete draft:
 * if (draft) await broadcasts.start(draft);
 */
export interface Broadcasts {
  drafts: BroadcastDrafts;
  /**
   * Returns the current number of recipients. Rejects if they can't be read, so that an unknown audience never counts
   * as empty.
   */
  count(audience: Audience, admin: number): Promise<number>;
  /** Returns the shortest duration of `count` messages, in milliseconds. */
  durationMs(count: number): number;
  /**
   * Starts a complete draft, now or at its start time. `busy`: another broadcast is running or paused. Repeating this
   * with the same draft returns the same result and makes no second broadcast.
   */
  start(draft: BroadcastDraft): Promise<'started' | 'scheduled' | 'busy'>;
  /** Pauses a running broadcast. Returns whether this had an effect, like {@link resume} and {@link stop}. */
  pause(id: string, admin: number): Promise<boolean>;
  resume(id: string, admin: number): Promise<boolean>;
  /** Stops a running, paused or scheduled broadcast. */
  stop(id: string, admin: number): Promise<boolean>;
  find(id: string): Promise<Broadcast | undefined>;
  /** Returns the broadcast that is running or paused. */
  active(): Promise<Broadcast | undefined>;
  /** Returns the confirmed broadcasts that wait for their start time, soonest first. */
  scheduled(): Promise<Broadcast[]>;
  /** Returns the latest ended broadcasts, last one first. */
  ended(limit: number): Promise<Broadcast[]>;
  /** Renders the progress with the buttons of the current state (`broadcast:pause|resume|stop|show:<id>`). */
  view(words: Words, broadcast: Broadcast): View;
  /** Registers a message in an admin's chat that shows the progress from now on. */
  shownIn(id: string, admin: number, message: number): Promise<void>;
}

/** Maximum wait for a control request, in milliseconds. It usually takes effect within a second. */
const HEARD_WITHIN_MS = 2_000;
const LOOK_MS = 50;
const TEST_WITHIN_MS = 3_000;
const NOTHING_YET = {
  ...{ total: 0, settled: 0, sent: 0, blocked: 0, deactivated: 0, unreachable: 0, failed: 0 },
  ...{ unknown: 0, skipped: 0, putOff: [], openAttempts: [], objections: 0, retaken: 0 },
  ...{ sendingMs: 0, revision: 0 },
};

/**
 * Creates the admins' controls. Each action may be repeated, done by two admins at once, and run concurrently with the
 * sending process.
 */
function createControl(deps: {
  store: BroadcastStore;
  progress: Pick<Progress, 'settled'>;
  isAdmin: (user: number) => boolean;
  wait: Wait;
  /** Returns the current epoch of the stored data. */
  epoch: () => Promise<string>;
  now: () => number;
}): Pick<Broadcasts, 'start' | 'pause' | 'resume' | 'stop'> {
  const { store, progress, isAdmin, wait, epoch, now } = deps;

  /** Changes a record and returns whether it did. `to` returns `undefined` if there is nothing to change. */
  const change = (id: string, to: (broadcast: Broadcast) => Partial<Broadcast> | undefined) =>
    retryOnConflict(async () => {
      const held = await store.find(id);
      // An old record that was put back is left to the runner, which refuses it.
      const changes = held?.isReplayed === false ? to(held.broadcast) : undefined;
      if (held === undefined || changes === undefined) return false;
      return (await store.replace(held, changes)) ? true : undefined;
    });

  /**
   * Requests a pause or stop, and waits briefly for the sending process. If that process doesn't get to it, the next
   * one does.
   */
  async function wish(id: string, wished: 'pause' | 'stop', by: number): Promise<boolean> {
    await store.wish(id, { wish: wished, by });
    // Makes the broadcast active again, in case the storage has lost that.
    await store.activate(id);
    for (let waited = 0; waited < HEARD_WITHIN_MS; waited += LOOK_MS) {
      const present = (await store.find(id))?.broadcast;
      if (present === undefined || isEnded(present)) return present?.state === 'stopped';
      if (present.state === 'paused') break;
      await wait(LOOK_MS);
    }
    return true;
  }

  /** Returns the id of another active broadcast, or `undefined`. Waits for a test, which takes a moment. */
  async function anotherThan(id: string): Promise<string | undefined> {
    for (let waited = 0; ; waited += LOOK_MS) {
      const active = await store.active();
      if (active === undefined || active === id) return undefined;
      const broadcast = (await store.find(active))?.broadcast;
      // An unreadable broadcast can't continue, so it must not block others.
      if (broadcast === undefined) await store.ended({ id: active, endedAt: now() });
      const isTest = broadcast === undefined || broadcast.audience.who === 'me';
      if (!isTest || waited >= TEST_WITHIN_MS) return active;
      await wait(LOOK_MS);
    }
  }

  async function broadcastOf({ id, admin, contents, audience, at }: BroadcastDraft): Promise<Broadcast> {
    if (contents.default === undefined || audience === undefined) throw new Error('the draft is incomplete');
    return {
      ...{ id, admin, audience, ...NOTHING_YET },
      contents: contents as Contents,
      state: at === undefined ? 'gathering' : 'scheduled',
      ...{ createdAt: now(), startAt: at ?? now(), activeAt: now(), epoch: await epoch() },
    };
  }

  /** Cancels a scheduled broadcast. No process works on it yet. */
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
      // Stored before it is scheduled or active: an id without a record can't be sent.
      if (known === undefined) await store.add(broadcast);
      // Confirmed while another broadcast was running. The time since then doesn't count as an interruption.
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

/** Interval in which the active and due broadcasts are processed, in milliseconds. */
const RUN_MS = 2_000;
const SCHEDULED = 200;

/** Creates the broadcasts module. Call before jobs start. */
export function createBroadcasts(deps: {
  storage: Storage;
  records: SignedRecords;
  leases: Leases;
  jobs: Jobs;
  people: People;
  links: Pick<Links, 'find'>;
  sender: Sender;
  copier: Copier;
  outgoing: Pick<Outgoing, 'fewerFrom'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  /** Returns the button row to opt out, below each copy. */
  optOut: (language: Language) => InlineKeyboardButton[];
  /** Notifies all admins that a broadcast has ended or is paused, once each. */
  tell: (broadcast: Broadcast) => Promise<unknown>;
  /** Notifies all admins that an old record of a broadcast was put back and refused, once each. */
  tellReplayed: (broadcast: Broadcast) => Promise<unknown>;
  runMs: number | undefined;
  /** Waits for a time. By default, a real delay. */
  wait: Wait | undefined;
  now: () => number;
  log: Log;
}): Broadcasts & { close(): Promise<void> } {
  const { jobs, admins, runMs, wait = delay, now } = deps;
  const continuity = () => deps.storage.continuity();
  const store = createBroadcastStore(deps);
  const readAudience = createReadAudience(deps);
  const pace = createBulkPace(deps);
  const prepareCopy = createPrepareCopy(deps);
  const isAdmin = (user: number) => admins.has(user);
  const hear = createHear({ ...deps, store, isAdmin });
  const view: Broadcasts['view'] = (words, broadcast) => progressView(words, broadcast, now());
  const progress = createProgress({ ...deps, view, wait });
  const runner = createRunner({
    ...{ ...deps, store, hear, progress, continuity },
    gather: createGather({ store, readAudience, hear }),
    sendAll: createSendAll({ ...deps, store, prepareCopy, pace, hear, wait }),
    sendPutOff: createSendPutOff({ ...deps, store, prepareCopy, pace, hear, wait }),
  });
  jobs.every('broadcasts', runMs ?? RUN_MS, runner.run);

  const found = async (ids: readonly string[], is: (broadcast: Broadcast) => boolean) => {
    const held = await Promise.all(ids.map(store.find));
    return held.flatMap((one) => one?.broadcast ?? []).filter(is);
  };

  return {
    drafts: createBroadcastDrafts(deps),
    count: createCount({ readAudience, now }),
    durationMs,
    ...createControl({
      ...{ store, progress, isAdmin, wait, now },
      epoch: async () => (await continuity()).epoch,
    }),
    find: async (id) => (await store.find(id))?.broadcast,
    async active() {
      const id = await store.active();
      const [broadcast] = id === undefined ? [] : await found([id], (one) => !isEnded(one));
      return broadcast;
    },
    scheduled: async () =>
      found(await store.scheduled(Number.MAX_VALUE, SCHEDULED), ({ state }) => state === 'scheduled'),
    ended: async (limit) => found(await store.latest(limit), isEnded),
    view,
    shownIn: progress.shownIn,
    close: runner.close,
  };
}
