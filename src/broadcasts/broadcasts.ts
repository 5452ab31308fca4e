import { setTimeout as delay } from 'node:timers/promises';
import type { InlineKeyboardButton } from 'grammy/types';
import type { Links } from '../accounts/links.ts';
import type { Users } from '../accounts/users.ts';
import type { Language, Texts, View, Words } from '../i18n/texts.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { retryOnConflict, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Copier, Outgoing, Sender } from '../telegram/sender.ts';
import { createCount, createReadAudience } from './audience.ts';
import { createProgress, PROGRESS_MESSAGES, progressView } from './progress.ts';
import { BROADCAST_LEASE, createRunner } from './runner.ts';
import { createSend } from './send.ts';
import { createBulkRateLimiter, createStopSignals, durationMs, type Wait } from './send-control.ts';
import {
  type Audience,
  BROADCAST_RECORDS,
  type Broadcast,
  type BroadcastDraft,
  type BroadcastDrafts,
  type Contents,
  createBroadcastDrafts,
  createBroadcastStore,
  isEnded,
  isTest,
} from './store.ts';

export const BROADCAST_DATA: readonly StoredData[] = [
  ...BROADCAST_RECORDS,
  PROGRESS_MESSAGES,
  BROADCAST_LEASE,
];

/**
 * Broadcasts of admins to users: drafts and confirmed broadcasts.
 * @example
 * const draft = await broadcasts.drafts.change(admin, () => ({ audience: { who: 'everybody' } }));
 * // When the admin confirms a complete draft:
 * if (draft) await broadcasts.start(draft);
 */
export interface Broadcasts {
  drafts: BroadcastDrafts;
  /** Returns the number of recipients. Rejects if they can't be read: an unknown audience isn't empty. */
  count(audience: Audience, admin: number): Promise<number>;
  /** Returns the shortest duration of `count` messages, in milliseconds. */
  durationMs(count: number): number;
  /** Starts or schedules a complete draft, at most once. `busy`: another broadcast is active. */
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
  /** Renders the progress with the buttons of the current state. */
  view(words: Words, broadcast: Broadcast): View;
  /** Registers a message in an admin's chat that shows the progress from now on. */
  addProgressMessage(id: string, admin: number, message: number): Promise<void>;
}

/** Maximum wait for a control request, in milliseconds. It usually takes effect within a second. */
const MAX_CONTROL_WAIT_MS = 2_000;
/** Maximum wait for another admin's test, in milliseconds. */
const MAX_TEST_WAIT_MS = 3_000;
const CHECK_INTERVAL_MS = 50;
const INITIAL_PROGRESS = {
  total: 0,
  settled: 0,
  sent: 0,
  blocked: 0,
  deactivated: 0,
  unreachable: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
  deferred: [],
  openAttempts: [],
  rateLimitHits: 0,
  takeovers: 0,
  sendingMs: 0,
  revision: 0,
};

/** Default interval in which the active and due broadcasts are processed, in milliseconds. */
const RUN_INTERVAL_MS = 2_000;
const MAX_SCHEDULED = 200;

/** Creates the broadcasts module. Call before jobs start. */
export function createBroadcasts(deps: {
  storage: Storage;
  records: SignedRecords;
  leases: Leases;
  jobs: Jobs;
  users: Users;
  links: Pick<Links, 'find'>;
  sender: Sender;
  copier: Copier;
  outgoing: Pick<Outgoing, 'availableFrom'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  /** Returns the button row to opt out, below each copy. */
  optOut: (language: Language) => InlineKeyboardButton[];
  /** Notifies all admins that a broadcast has ended or is paused, once each. */
  notifyAdmins: (broadcast: Broadcast) => Promise<unknown>;
  /** Notifies all admins that an old record of a broadcast was put back and refused, once each. */
  notifyOfReplay: (broadcast: Broadcast) => Promise<unknown>;
  runMs: number | undefined;
  /** Waits for a time. By default, a real delay. */
  wait: Wait | undefined;
  now: () => number;
  log: Log;
}): Broadcasts & { close(): Promise<void> } {
  const { storage, jobs, admins, runMs, wait = delay, now } = deps;
  const isAdmin = (user: number) => admins.has(user);
  const view: Broadcasts['view'] = (words, broadcast) => progressView(words, broadcast, now());
  const store = createBroadcastStore(deps);
  const readAudience = createReadAudience(deps);
  const stopSignals = createStopSignals({ ...deps, store, isAdmin });
  const progress = createProgress({ ...deps, view, wait });
  const rateLimiter = createBulkRateLimiter(deps);
  const send = createSend({ ...deps, store, rateLimiter, stopSignals, wait });
  const continuity = () => storage.continuity();
  const runner = createRunner({ ...deps, store, stopSignals, readAudience, send, progress, continuity });
  jobs.every('broadcasts', runMs ?? RUN_INTERVAL_MS, runner.run);

  // Actions of admins may be repeated, concurrent, and simultaneous with the sending process.

  /** Returns whether it changed a record. `changesOf` returns `undefined` to change nothing. */
  const change = (id: string, changesOf: (broadcast: Broadcast) => Partial<Broadcast> | undefined) =>
    retryOnConflict(async () => {
      const stored = await store.find(id);
      // An old record that was put back is left to the runner, which refuses it.
      const changes = stored?.isReplayed === false ? changesOf(stored.broadcast) : undefined;
      if (stored === undefined || changes === undefined) return false;
      return (await store.replace(stored, changes)) ? true : undefined;
    });

  /** Requests a pause or stop, and waits briefly for the sending process to execute it. */
  async function requestControl(id: string, action: 'pause' | 'stop', by: number): Promise<boolean> {
    await store.requestControl(id, { action, by });
    // Makes the broadcast active again, in case the storage has lost that.
    await store.activate(id);
    for (let waitedMs = 0; waitedMs < MAX_CONTROL_WAIT_MS; waitedMs += CHECK_INTERVAL_MS) {
      const broadcast = (await store.find(id))?.broadcast;
      if (broadcast === undefined || isEnded(broadcast)) return broadcast?.state === 'stopped';
      if (broadcast.state === 'paused') break;
      await wait(CHECK_INTERVAL_MS);
    }
    return true;
  }

  /** Returns whether another broadcast is active. Waits for a test, which takes a moment. */
  async function isAnotherActive(id: string): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += CHECK_INTERVAL_MS) {
      const active = await store.active();
      if (active === undefined || active === id) return false;
      const broadcast = (await store.find(active))?.broadcast;
      // An unreadable broadcast can't continue, so it must not block others.
      if (broadcast === undefined) await store.archive({ id: active, endedAt: now() });
      const isShort = broadcast === undefined || isTest(broadcast);
      if (!isShort || waitedMs >= MAX_TEST_WAIT_MS) return true;
      await wait(CHECK_INTERVAL_MS);
    }
  }

  async function broadcastOf({ id, admin, contents, audience, at }: BroadcastDraft): Promise<Broadcast> {
    if (contents.default === undefined || audience === undefined) throw new Error('the draft is incomplete');
    return {
      ...INITIAL_PROGRESS,
      id,
      admin,
      audience,
      contents: contents as Contents,
      state: at === undefined ? 'gathering' : 'scheduled',
      createdAt: now(),
      startAt: at ?? now(),
      activeAt: now(),
      epoch: (await storage.continuity()).epoch,
    };
  }

  /** Cancels a scheduled broadcast. No process works on it yet. */
  async function cancelScheduled(broadcast: Broadcast): Promise<boolean> {
    const { id } = broadcast;
    const ended = { state: 'stopped', endedAt: now() } as const;
    if (!(await change(id, ({ state }) => (state === 'scheduled' ? ended : undefined)))) return false;
    await store.markEnded({ ...broadcast, ...ended });
    await store.archive({ id, ...ended });
    await progress.updateFinally({ ...broadcast, ...ended });
    return true;
  }

  async function findAll(ids: readonly string[], isWanted: (broadcast: Broadcast) => boolean) {
    const found = await Promise.all(ids.map(store.find));
    return found.flatMap((stored) => stored?.broadcast ?? []).filter(isWanted);
  }

  return {
    drafts: createBroadcastDrafts(deps),
    count: createCount({ readAudience, now }),
    durationMs,
    async start(draft) {
      const existing = (await store.find(draft.id))?.broadcast;
      const broadcast = existing ?? (await broadcastOf(draft));
      const { id, state, startAt } = broadcast;
      if (isEnded(broadcast)) return 'started';
      const isScheduled = state === 'scheduled';
      if (!isScheduled && (await isAnotherActive(id))) return 'busy';
      // Stored before it is scheduled or active: an id without a record can't be sent.
      if (existing === undefined) await store.add(broadcast);
      // Confirmed while another broadcast was running. The time since then doesn't count as an interruption.
      else if (state === 'gathering' && (await store.active()) !== id)
        await change(id, (present) => (present.state === 'gathering' ? { activeAt: now() } : undefined));
      if (isScheduled) {
        await store.schedule(id, startAt);
        return 'scheduled';
      }
      return (await store.activate(id)) ? 'started' : 'busy';
    },
    async pause(id, admin) {
      const state = (await store.find(id))?.broadcast.state;
      return (state === 'gathering' || state === 'sending') && requestControl(id, 'pause', admin);
    },
    async resume(id, admin) {
      if (!(await store.withdrawPause(id))) return false;
      await store.activate(id);
      const { epoch } = await storage.continuity();
      return change(id, (broadcast) => {
        if (broadcast.state !== 'paused') return undefined;
        return {
          state: broadcast.begunAt === undefined ? 'gathering' : 'sending',
          pause: undefined,
          activeAt: now(),
          epoch,
          admin: isAdmin(broadcast.admin) ? broadcast.admin : admin,
        };
      });
    },
    async stop(id, admin) {
      const broadcast = (await store.find(id))?.broadcast;
      if (broadcast === undefined || isEnded(broadcast)) return false;
      if (broadcast.state === 'scheduled') return cancelScheduled(broadcast);
      return requestControl(id, 'stop', admin);
    },
    find: async (id) => (await store.find(id))?.broadcast,
    async active() {
      const id = await store.active();
      const broadcast = id === undefined ? undefined : (await store.find(id))?.broadcast;
      return broadcast && !isEnded(broadcast) ? broadcast : undefined;
    },
    scheduled: async () =>
      findAll(await store.scheduled(Number.MAX_VALUE, MAX_SCHEDULED), ({ state }) => state === 'scheduled'),
    ended: async (limit) => findAll(await store.latestEnded(limit), isEnded),
    view,
    addProgressMessage: progress.addMessage,
    close: runner.close,
  };
}
