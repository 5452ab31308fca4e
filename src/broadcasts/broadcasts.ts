import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Links } from '../accounts/links.ts';
import type { UserCounts } from '../accounts/user-counts.ts';
import type { Users } from '../accounts/users.ts';
import type { Texts, Words } from '../i18n/texts.ts';
import { HOUR_MS } from '../platform/clock.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import { createLogThrottle, type Log } from '../platform/log.ts';
import { retryOnConflict, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { RecurringWork } from '../platform/recurring-work.ts';
import type { Storage } from '../platform/storage.ts';
import type { BulkLimit } from '../telegram/bulk-limit.ts';
import type { Copier, Sender } from '../telegram/sender.ts';
import type { View } from '../views/view.ts';
import { createReadAudience, createRecipientCounter, type ReadAudience } from './audience.ts';
import { createProgress, PROGRESS_MESSAGES, type Progress, progressView } from './progress.ts';
import {
  createSend,
  createStopSignals,
  durationMs,
  type Send,
  type SendLease,
  type StopReason,
  type StopSignals,
  type Wait,
} from './send.ts';
import {
  type Audience,
  BROADCAST_RECORDS,
  type Broadcast,
  type BroadcastDraft,
  type BroadcastStore,
  CHUNK_SIZE,
  type Contents,
  createBroadcastDrafts,
  createBroadcastStore,
  isEnded,
  isTest,
  type StoredBroadcast,
} from './store.ts';

const BROADCAST_LEASE = defineLease({
  keys: 'broadcast-lease',
  content: 'Lease of the sending process',
});

export const BROADCAST_DATA: readonly StoredData[] = [
  ...BROADCAST_RECORDS,
  PROGRESS_MESSAGES,
  BROADCAST_LEASE,
];

/** Maximum wait for a control request, in milliseconds. It usually takes effect within a second. */
const MAX_CONTROL_WAIT_MS = 2_000;
/** Maximum wait for another admin's test, in milliseconds. */
const MAX_TEST_WAIT_MS = 3_000;
const CHECK_INTERVAL_MS = 50;
const INITIAL_PROGRESS = {
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

const RUN_INTERVAL_MS = 2_000;
const MAX_SCHEDULED = 200;

interface BroadcastsDeps {
  storage: Storage;
  records: SignedRecords;
  leases: Leases;
  recurringWork: Pick<RecurringWork, 'every'>;
  users: Users;
  links: Pick<Links, 'find'>;
  userCounts: Pick<UserCounts, 'countEach'>;
  sender: Pick<Sender, 'send' | 'edit'>;
  copier: Copier;
  bulkLimit: Pick<BulkLimit, 'acquire'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  /** Notifies all admins that a broadcast has ended or is paused, once each. */
  notifyAdmins: (broadcast: Broadcast) => Promise<unknown>;
  /** Notifies all admins that an old record of a broadcast was put back and refused, once each. */
  notifyOfReplay: (broadcast: Broadcast) => Promise<unknown>;
  /** Called after each write of a broadcast's progress. */
  onProgress?: ((before: Broadcast, after: Broadcast) => void) | undefined;
  runMs: number | undefined;
  wait: Wait | undefined;
  now: () => number;
  log: Log;
}

export type Broadcasts = Omit<ReturnType<typeof createBroadcasts>, 'close'>;

/**
 * Creates the module of broadcasts from admins to users: drafts and confirmed broadcasts. Call before recurring work
 * starts.
 * @example
 * const draft = await broadcasts.drafts.change(admin, () => ({ audience: { who: 'everybody' } }));
 * // When the admin confirms a complete draft:
 * if (draft) await broadcasts.start(draft);
 */
export function createBroadcasts(deps: BroadcastsDeps) {
  const { storage, recurringWork, admins, runMs, wait = delay, now } = deps;
  const isAdmin = (user: number) => admins.has(user);
  const view = (words: Words, broadcast: Broadcast): View => progressView(words, broadcast, now());
  const store = createBroadcastStore(deps);
  const readAudience = createReadAudience(deps);
  const countRecipients = createRecipientCounter(deps);
  const stopSignals = createStopSignals({ ...deps, store, isAdmin });
  const progress = createProgress({ ...deps, view, wait });
  const send = createSend({ ...deps, store, stopSignals, wait });
  const runner = createRunner({ ...deps, store, stopSignals, readAudience, send, progress });
  recurringWork.every('broadcasts', runMs ?? RUN_INTERVAL_MS, runner.run);

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
    // Activates the broadcast again, in case the storage has lost the id of the active one.
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

  async function broadcastOf(
    { id, admin, contents, audience, at }: BroadcastDraft,
    total: number,
  ): Promise<Broadcast> {
    if (contents.default === undefined || audience === undefined) throw new Error('the draft is incomplete');
    return {
      ...INITIAL_PROGRESS,
      id,
      admin,
      audience,
      total,
      contents: contents as Contents,
      state: at === undefined ? 'resolving' : 'scheduled',
      createdAt: now(),
      startAt: at ?? now(),
      activeAt: now(),
      epoch: (await storage.continuity()).epoch,
    };
  }

  /** Cancels a scheduled broadcast. No process works on it yet. */
  async function cancelScheduled(broadcast: Broadcast, stoppedBy: number): Promise<boolean> {
    const { id } = broadcast;
    const ended = { state: 'stopped', endedAt: now(), stoppedBy } as const;
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
    countEach: countRecipients,
    async count(audience: Audience): Promise<number> {
      if (audience.who === 'me') return 1;
      const [count = 0] = await countRecipients([audience]);
      return count;
    },
    durationMs,
    /**
     * Starts or schedules a complete draft, at most once. `count`: number of recipients that the admin confirmed. `busy`:
     * another broadcast is active.
     */
    async start(draft: BroadcastDraft, count = 0): Promise<'started' | 'scheduled' | 'busy'> {
      const existing = (await store.find(draft.id))?.broadcast;
      const broadcast = existing ?? (await broadcastOf(draft, count));
      const { id, state, startAt } = broadcast;
      if (isEnded(broadcast)) return 'started';
      const isScheduled = state === 'scheduled';
      if (!isScheduled && (await isAnotherActive(id))) return 'busy';
      // Stored before it is scheduled or active: an id without a record can't be sent.
      if (existing === undefined) await store.add(broadcast);
      // The broadcast was confirmed while another one was running. The wait doesn't count as an interruption.
      else if (state === 'resolving' && (await store.active()) !== id)
        await change(id, (present) => (present.state === 'resolving' ? { activeAt: now() } : undefined));
      if (isScheduled) {
        await store.schedule(id, startAt);
        return 'scheduled';
      }
      return (await store.activate(id)) ? 'started' : 'busy';
    },
    /** Pauses a running broadcast. Returns whether this had an effect, like {@link resume} and {@link stop}. */
    async pause(id: string, admin: number): Promise<boolean> {
      const state = (await store.find(id))?.broadcast.state;
      return (state === 'resolving' || state === 'sending') && requestControl(id, 'pause', admin);
    },
    async resume(id: string, admin: number): Promise<boolean> {
      if (!(await store.withdrawPause(id))) return false;
      await store.activate(id);
      const { epoch } = await storage.continuity();
      return change(id, (broadcast) => {
        if (broadcast.state !== 'paused') return undefined;
        return {
          state: broadcast.begunAt === undefined ? 'resolving' : 'sending',
          pause: undefined,
          activeAt: now(),
          epoch,
          admin: isAdmin(broadcast.admin) ? broadcast.admin : admin,
        };
      });
    },
    async stop(id: string, admin: number): Promise<boolean> {
      const broadcast = (await store.find(id))?.broadcast;
      if (broadcast === undefined || isEnded(broadcast)) return false;
      if (broadcast.state === 'scheduled') return cancelScheduled(broadcast, admin);
      return requestControl(id, 'stop', admin);
    },
    find: async (id: string) => (await store.find(id))?.broadcast,
    /** Returns the broadcast that is running or paused. */
    async active() {
      const id = await store.active();
      const broadcast = id === undefined ? undefined : (await store.find(id))?.broadcast;
      return broadcast && !isEnded(broadcast) ? broadcast : undefined;
    },
    /** Returns the confirmed broadcasts that wait for their start time, soonest first. */
    scheduled: async () =>
      findAll(await store.scheduled(Number.MAX_VALUE, MAX_SCHEDULED), ({ state }) => state === 'scheduled'),
    ended: async (limit: number) => findAll(await store.latestEnded(limit), isEnded),
    view,
    addProgressMessage: progress.addMessage,
    close: runner.close,
  };
}

/** Maximum delay of a scheduled start, in milliseconds. A later broadcast isn't sent at all. */
const MAX_START_DELAY_MS = HOUR_MS;
/** Time without work after which an admin must decide whether a broadcast continues, in milliseconds. */
const OUTDATED_MS = HOUR_MS;
const MAX_DUE = 10;

/** Creates the runner. It processes broadcasts from confirmation to end, even if processes die. */
function createRunner(
  deps: BroadcastsDeps & {
    store: BroadcastStore;
    stopSignals: StopSignals;
    readAudience: ReadAudience;
    send: Send;
    progress: Progress;
  },
) {
  const { storage, store, leases, stopSignals, readAudience, send, progress, now, log } = deps;
  const unreadableLog = createLogThrottle();
  let isClosing = false;
  let running: Promise<unknown> | undefined;
  /** Record of the paused broadcast whose pause this process has already reported. */
  let reportedPause: string | undefined;

  /** Reports and archives an ended broadcast. If the process dies in between, the next run repeats this. */
  async function finish({ broadcast, isReplayed }: StoredBroadcast): Promise<void> {
    if (isReplayed) {
      const advice = 'Check who can write to Redis, unless you restored a backup.';
      log.error(
        { broadcast: broadcast.id, advice },
        'an old record of an ended broadcast was put back, and is refused',
      );
      await deps.notifyOfReplay(broadcast);
    } else {
      await store.markEnded(broadcast);
      if (!isTest(broadcast)) await deps.notifyAdmins(broadcast);
      await progress.updateFinally(broadcast);
    }
    await store.deleteAudience(broadcast.id);
    await store.archive(broadcast);
  }

  /** Returns whether this may be an old record that was put back. An admin then decides. */
  const isOutdated = ({ broadcast: { state, activeAt }, isReplayed }: StoredBroadcast) =>
    isReplayed || ((state === 'resolving' || state === 'sending') && now() - activeAt > OUTDATED_MS);

  /** Returns whether Redis may have lost data since the start, so that the record lacks sent messages. */
  async function isRolledBack({ broadcast: { epoch, state, startAt } }: StoredBroadcast): Promise<boolean> {
    if (epoch === undefined || (state !== 'scheduled' && state !== 'resolving' && state !== 'sending'))
      return false;
    const { cause, ...present } = await storage.continuity();
    if (epoch === present.epoch || cause === 'restarted') return false;
    return state !== 'scheduled' || now() - present.ageMs > startAt;
  }

  async function end(
    stored: StoredBroadcast,
    state: 'done' | 'stopped' | 'missed',
    stoppedBy?: number,
  ): Promise<void> {
    const changes = { state, stoppedBy, endedAt: now(), processId: undefined, pause: undefined };
    const ended = await store.replace(stored, changes);
    if (ended === undefined) return;
    log.info({ broadcast: ended.broadcast.id, state }, 'a broadcast has ended');
    await finish(ended);
  }

  async function stop(stored: StoredBroadcast, reason: StopReason): Promise<void> {
    if (reason.kind === 'stopped') return end(stored, 'stopped', reason.by);
    if (reason.kind === 'shutdown') return void (await store.replace(stored, { processId: undefined }));
    const pause = { ...reason.pause, at: now() };
    const paused = await store.replace(stored, { state: 'paused', pause, processId: undefined });
    if (paused === undefined) return;
    const { id } = paused.broadcast;
    await store.withdrawPause(id);
    if (pause.why === 'admin') log.info({ broadcast: id }, 'an admin has paused a broadcast');
    else log.warn({ broadcast: id, reason: pause.why }, 'a broadcast was paused until an admin decides');
    await stayPaused(paused);
  }

  /** Notifies admins of a pause once per process: an earlier process may have died before it did so. */
  async function stayPaused(stored: StoredBroadcast): Promise<void> {
    const { broadcast, record } = stored;
    const request = await store.controlRequest(broadcast.id);
    if (request?.action === 'stop') return end(stored, 'stopped', request.by);
    if (reportedPause === record.text) return;
    if (broadcast.pause?.why !== 'admin') await deps.notifyAdmins(broadcast);
    await progress.updateFinally(broadcast);
    reportedPause = record.text;
  }

  /**
   * Stores the recipients unless all of them are already stored. A process that takes over starts again. Later users
   * aren't included. Returns `undefined` if the broadcast can't be sent now.
   */
  async function storeAudience(stored: StoredBroadcast, lease: SendLease) {
    const { id, audience, admin, state } = stored.broadcast;
    if (state === 'sending') return stored;
    let unwritten: number[] = [];
    let chunks = 0;
    const checkStop = stopSignals.throttled(stored.broadcast, lease);
    for await (const users of readAudience(audience, admin)) {
      const reason = await checkStop();
      if (reason) await stop(stored, reason);
      if (reason || !lease.isHeld()) return undefined;
      unwritten.push(...users);
      while (unwritten.length >= CHUNK_SIZE) {
        await store.setAudienceChunk(id, chunks, unwritten.slice(0, CHUNK_SIZE));
        unwritten = unwritten.slice(CHUNK_SIZE);
        chunks += 1;
      }
    }
    if (unwritten.length > 0) await store.setAudienceChunk(id, chunks, unwritten);
    const total = chunks * CHUNK_SIZE + unwritten.length;
    return store.replace(stored, { state: 'sending', begunAt: now(), activeAt: now(), total });
  }

  async function work(stored: StoredBroadcast, lease: SendLease): Promise<void> {
    const { processId, takeovers } = stored.broadcast;
    const acquired = await store.replace(stored, {
      processId: randomUUID(),
      takeovers: takeovers + (processId ? 1 : 0),
      activeAt: now(),
    });
    if (acquired === undefined) return;
    if (!isTest(acquired.broadcast))
      await progress
        .sendToAdmins(acquired.broadcast)
        .catch((err: unknown) => log.warn({ err }, 'the progress could not be shown to all admins'));
    const ready = await storeAudience(acquired, lease);
    if (ready === undefined) return;
    progress.update(ready.broadcast);
    const sent = await send(ready, lease, progress.update);
    if (sent.kind === 'all') await end(sent.stored, 'done');
    else if (sent.kind !== 'lost') await stop(sent.stored, sent);
  }

  async function process(id: string, lease: SendLease): Promise<void> {
    const stored = await store.find(id);
    if (stored === undefined) {
      // A newer version may have written the record. It stays active until an admin starts another broadcast.
      const logged = unreadableLog(id);
      const advice =
        'If a newer version wrote it, start that version again. Otherwise start another broadcast.';
      if (logged) log.error({ broadcast: id, ...logged, advice }, "the active broadcast can't be read");
      return;
    }
    if (isEnded(stored.broadcast)) return finish(stored);
    if (isOutdated(stored)) return stop(stored, { kind: 'paused', pause: { why: 'outdated' } });
    if (await isRolledBack(stored)) return stop(stored, { kind: 'paused', pause: { why: 'rolled-back' } });
    if (stored.broadcast.state === 'paused') return stayPaused(stored);
    // A scheduled broadcast starts only at its start time.
    if (stored.broadcast.state === 'scheduled') return store.deactivate(id);
    const reason = await stopSignals.check(stored.broadcast, lease);
    await (reason ? stop(stored, reason) : work(stored, lease));
  }

  /** Starts due broadcasts, one at a time. The others wait, and are ended as missed if they are too late. */
  async function startDue(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const stored = await store.find(id);
      if (stored === undefined) await store.unschedule(id);
      else if (isEnded(stored.broadcast)) await finish(stored);
      else if (stored.isReplayed || stored.broadcast.state !== 'scheduled') await store.unschedule(id);
      else if (now() - stored.broadcast.startAt > MAX_START_DELAY_MS) await end(stored, 'missed');
      else if (await store.activate(id)) {
        if (await isRolledBack(stored)) await stop(stored, { kind: 'paused', pause: { why: 'rolled-back' } });
        else {
          const { epoch } = await storage.continuity();
          await store.replace(stored, { state: 'resolving', activeAt: now(), epoch });
        }
        await store.unschedule(id);
      }
    }
  }

  async function run(): Promise<void> {
    if (isClosing) return;
    // Usually there is nothing to do, and this takes one round trip.
    const [due, active] = await Promise.all([store.scheduled(now(), MAX_DUE), store.active()]);
    await startDue(due);
    const id = due.length > 0 ? await store.active() : active;
    if (id === undefined) return;
    // Other replicas also read the record, so that each of them can recognise an older version later.
    await store.find(id);
    await leases.withLease(BROADCAST_LEASE.keys, (isHeld) =>
      process(id, { isHeld, isClosing: () => isClosing }),
    );
  }

  return {
    /** Processes the due and active broadcasts, on one replica at a time. Called periodically. */
    async run(): Promise<void> {
      running = run();
      await running;
    },
    /** Finishes the messages that are being sent, and leaves the rest to other replicas. */
    async close(): Promise<void> {
      isClosing = true;
      await running?.catch(() => undefined);
    },
  };
}
