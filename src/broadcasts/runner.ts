import { randomUUID } from 'node:crypto';
import { defineLease, type Leases } from '../platform/leases.ts';
import { createLogThrottle, type Log } from '../platform/log.ts';
import type { Continuity } from '../platform/storage.ts';
import type { ReadAudience } from './audience.ts';
import type { Progress } from './progress.ts';
import type { Send } from './send.ts';
import type { SendLease, StopReason, StopSignals } from './send-control.ts';
import {
  type Broadcast,
  type BroadcastStore,
  CHUNK_SIZE,
  isEnded,
  isTest,
  type StoredBroadcast,
} from './store.ts';

/** Maximum delay of a scheduled start, in milliseconds. A later broadcast isn't sent at all. */
const MAX_START_DELAY_MS = 3600_000;
/** Time without work after which an admin must decide whether a broadcast continues, in milliseconds. */
const OUTDATED_MS = 3600_000;
/** Maximum number of due broadcasts that a run processes. */
const MAX_DUE = 10;

export const BROADCAST_LEASE = defineLease({
  keys: 'broadcast-lease',
  content: 'Lease of the sending process',
});

/** Creates the runner. It processes broadcasts from confirmation to end, even if processes die. */
export function createRunner(deps: {
  store: BroadcastStore;
  leases: Leases;
  stopSignals: StopSignals;
  readAudience: ReadAudience;
  send: Send;
  progress: Progress;
  /** Notifies all admins that it has ended or is paused. Repeating this has no effect. */
  notifyAdmins: (broadcast: Broadcast) => Promise<unknown>;
  /** Notifies all admins that an ended broadcast's old record was refused. Repeating this has no effect. */
  notifyOfReplay: (broadcast: Broadcast) => Promise<unknown>;
  continuity: () => Promise<Pick<Continuity, 'epoch' | 'ageMs'>>;
  now: () => number;
  log: Log;
}) {
  const { store, leases, stopSignals, readAudience, send, progress, continuity, now, log } = deps;
  const unreadableLog = createLogThrottle();
  let isClosing = false;
  let running: Promise<unknown> | undefined;
  /** Record of the paused broadcast whose pause this process has already reported. */
  let reportedPause: string | undefined;

  /** Reports and archives an ended broadcast. If the process dies in between, the next run repeats this. */
  async function finish({ broadcast, isReplayed }: StoredBroadcast): Promise<void> {
    if (isReplayed) {
      log.error(
        { broadcast: broadcast.id },
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
    isReplayed || ((state === 'gathering' || state === 'sending') && now() - activeAt > OUTDATED_MS);

  /** Returns whether Redis may have lost data since the start, so that the record lacks sent messages. */
  async function isRolledBack({ broadcast: { epoch, state, startAt } }: StoredBroadcast): Promise<boolean> {
    if (epoch === undefined || (state !== 'scheduled' && state !== 'gathering' && state !== 'sending'))
      return false;
    const present = await continuity();
    return epoch !== present.epoch && (state !== 'scheduled' || now() - present.ageMs > startAt);
  }

  async function end(stored: StoredBroadcast, state: 'done' | 'stopped' | 'missed'): Promise<void> {
    const changes = { state, endedAt: now(), processId: undefined, pause: undefined };
    const ended = await store.replace(stored, changes);
    if (ended === undefined) return;
    log.info({ broadcast: ended.broadcast.id, state }, 'a broadcast has ended');
    await finish(ended);
  }

  async function stop(stored: StoredBroadcast, reason: StopReason): Promise<void> {
    if (reason.kind === 'stopped') return end(stored, 'stopped');
    if (reason.kind === 'shutdown') {
      await store.replace(stored, { processId: undefined });
      return;
    }
    const pause = { ...reason.pause, at: now() };
    const paused = await store.replace(stored, { state: 'paused', pause, processId: undefined });
    if (paused === undefined) return;
    const { id } = paused.broadcast;
    await store.withdrawPause(id);
    log.info({ broadcast: id, why: pause.why }, 'a broadcast was paused');
    await stayPaused(paused);
  }

  /** Notifies admins of a pause once per process: an earlier process may have died before it did so. */
  async function stayPaused(stored: StoredBroadcast): Promise<void> {
    const { broadcast, record } = stored;
    if ((await store.controlRequest(broadcast.id))?.action === 'stop') return end(stored, 'stopped');
    if (reportedPause === record.text) return;
    if (broadcast.pause?.why !== 'admin') await deps.notifyAdmins(broadcast);
    await progress.updateFinally(broadcast);
    reportedPause = record.text;
  }

  /**
   * Stores the recipients unless they are already stored; a process that takes over starts again. Users who
   * come later aren't included. Returns `undefined` if the broadcast can't be sent now.
   */
  async function withAudience(stored: StoredBroadcast, lease: SendLease) {
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
    const ready = await withAudience(acquired, lease);
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
      if (logged) log.error({ broadcast: id, ...logged }, 'the active broadcast can’t be read');
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

  /** Starts due broadcasts, one at a time. The others wait until they are too late. */
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
          const { epoch } = await continuity();
          await store.replace(stored, { state: 'gathering', activeAt: now(), epoch });
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
