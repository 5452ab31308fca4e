import { randomUUID } from 'node:crypto';
import type { Leases } from '../platform/leases.ts';
import { createLogThrottle, type Log } from '../platform/log.ts';
import type { Continuity } from '../platform/storage.ts';
import type { ReadAudience } from './audience.ts';
import { type Broadcast, isEnded } from './broadcast.ts';
import type { Progress } from './progress.ts';
import type { Halt, Hear, SendAll, Turn } from './send.ts';
import { type BroadcastStore, CHUNK_SIZE, type Held } from './store.ts';

/** Maximum delay of a scheduled start, in milliseconds. A broadcast that is later isn't sent at all. */
const TOO_LATE_MS = 3600_000;
/** Time without work after which a broadcast continues only if an admin says so, in milliseconds. */
const OUTDATED_MS = 3600_000;
const DUE = 10;

interface Runner {
  /** Processes the due and active broadcasts, on one replica at a time. Called periodically. */
  run(): Promise<void>;
  /** Finishes the messages that are being sent, and leaves the rest to other replicas. */
  close(): Promise<void>;
}

/** Creates the runner. It takes broadcasts from their confirmation to their end, even if processes die. */
export function createRunner(deps: {
  store: BroadcastStore;
  leases: Leases;
  hear: Hear;
  gather: ReturnType<typeof createGather>;
  sendAll: SendAll;
  sendPutOff: SendAll;
  progress: Progress;
  /** Notifies all admins that it has ended or is paused. Repeating this has no effect. */
  tell: (broadcast: Broadcast) => Promise<unknown>;
  /**
   * Notifies all admins that an old record of an ended broadcast was put back and refused. Repeating this has no
   * effect.
   */
  tellReplayed: (broadcast: Broadcast) => Promise<unknown>;
  continuity: () => Promise<Pick<Continuity, 'epoch' | 'ageMs'>>;
  now: () => number;
  log: Log;
}): Runner {
  const { store, leases, hear, gather, sendAll, sendPutOff, progress, tell, tellReplayed, now, log } = deps;
  const { continuity } = deps;
  const quiet = createLogThrottle();
  let isClosing = false;
  let running: Promise<unknown> | undefined;
  /** Record of the paused broadcast that this process has already shown. */
  let heldUp: string | undefined;

  /** A test concerns only its author, who receives it. */
  const isTest = ({ audience }: Broadcast) => audience.who === 'me';

  /**
   * Reports that a broadcast has ended, and removes it. If the process ends in between, the next run repeats all of
   * this.
   */
  async function putAway({ broadcast, isReplayed }: Held): Promise<void> {
    if (isReplayed) {
      log.error(
        { broadcast: broadcast.id },
        'an old record of an ended broadcast was put back, and is refused',
      );
      await tellReplayed(broadcast);
    } else {
      await store.markEnded(broadcast);
      if (!isTest(broadcast)) await tell(broadcast);
      await progress.settled(broadcast);
    }
    await store.forgetAudience(broadcast.id);
    await store.ended(broadcast);
  }

  /** Returns whether this may be an old record that was put back. Such a broadcast waits for an admin's decision. */
  const isOutdated = ({ broadcast: { state, activeAt }, isReplayed }: Held) =>
    isReplayed || ((state === 'gathering' || state === 'sending') && now() - activeAt > OUTDATED_MS);

  /**
   * Returns whether the record may lack messages that were sent before Redis lost data. A scheduled broadcast is sent
   * only after its start time, so only a later loss matters.
   */
  async function isRolledBack({ broadcast: { epoch, state, startAt } }: Held): Promise<boolean> {
    if (epoch === undefined || (state !== 'scheduled' && state !== 'gathering' && state !== 'sending'))
      return false;
    const present = await continuity();
    return epoch !== present.epoch && (state !== 'scheduled' || now() - present.ageMs > startAt);
  }

  async function end(held: Held, state: 'done' | 'stopped' | 'missed'): Promise<void> {
    const ended = await store.replace(held, { state, endedAt: now(), holder: undefined, pause: undefined });
    if (ended === undefined) return;
    log.info({ broadcast: ended.broadcast.id, state }, 'a broadcast has ended');
    await putAway(ended);
  }

  async function halt(held: Held, halted: Halt): Promise<void> {
    if (halted.kind === 'stopped') return end(held, 'stopped');
    if (halted.kind === 'left') return void (await store.replace(held, { holder: undefined }));
    const pause = { ...halted.pause, at: now() };
    const paused = await store.replace(held, { state: 'paused', pause, holder: undefined });
    if (paused === undefined) return;
    const { id } = paused.broadcast;
    await store.unwish(id);
    log.info({ broadcast: id, why: pause.why }, 'a broadcast is held up');
    await stay(paused);
  }

  /**
   * Notifies the admins of a pause and shows it, once per process: an earlier process may have died before doing so.
   */
  async function stay(held: Held): Promise<void> {
    const { broadcast, record } = held;
    if ((await store.wished(broadcast.id))?.wish === 'stop') return end(held, 'stopped');
    if (heldUp === record.text) return;
    if (broadcast.pause?.why !== 'admin') await tell(broadcast);
    await progress.settled(broadcast);
    heldUp = record.text;
  }

  async function gathered(held: Held, turn: Turn): Promise<Held | undefined> {
    if (held.broadcast.state === 'sending') return held;
    const found = await gather(held, turn);
    if (found.kind === 'gathered')
      return store.replace(held, {
        ...{ state: 'sending', begunAt: now(), activeAt: now(), total: found.total },
      });
    if (found.kind !== 'lost') await halt(held, found);
    return undefined;
  }

  const showAll = (broadcast: Broadcast) =>
    progress
      .open(broadcast)
      .catch((err: unknown) => log.warn({ err }, 'the progress could not be shown to all admins'));

  async function send(found: Held, turn: Turn): Promise<void> {
    const { broadcast } = found;
    const retaken = broadcast.retaken + (broadcast.holder ? 1 : 0);
    const taken = await store.replace(found, { holder: randomUUID(), retaken, activeAt: now() });
    if (taken === undefined) return;
    if (!isTest(taken.broadcast)) await showAll(taken.broadcast);
    const held = await gathered(taken, turn);
    if (held === undefined) return;
    progress.changed(held.broadcast);
    let sent = await sendAll(held, turn, progress.changed);
    if (sent.kind === 'all') sent = await sendPutOff(sent.held, turn, progress.changed);
    if (sent.kind === 'all') await end(sent.held, 'done');
    else if (sent.kind !== 'lost') await halt(sent.held, sent);
  }

  async function work(id: string, turn: Turn): Promise<void> {
    const held = await store.find(id);
    if (held === undefined) {
      // A newer version may have written the record. The broadcast is left to that version, until an admin starts
      // another one.
      const said = quiet(id);
      if (said) log.error({ broadcast: id, ...said }, 'the active broadcast can’t be read');
      return;
    }
    if (isEnded(held.broadcast)) return putAway(held);
    if (isOutdated(held)) return halt(held, { kind: 'held up', pause: { why: 'outdated' } });
    if (await isRolledBack(held)) return halt(held, { kind: 'held up', pause: { why: 'rolled-back' } });
    if (held.broadcast.state === 'paused') return stay(held);
    // A scheduled broadcast starts only at its start time.
    if (held.broadcast.state === 'scheduled') return store.deactivate(id);
    const halted = await hear.now(held.broadcast, turn);
    await (halted ? halt(held, halted) : send(held, turn));
  }

  /** Starts due broadcasts, one at a time. The others wait, and are dropped when they are too late. */
  async function beginDue(due: readonly string[]): Promise<void> {
    for (const id of due) {
      const held = await store.find(id);
      if (held === undefined) await store.unschedule(id);
      else if (isEnded(held.broadcast)) await putAway(held);
      else if (held.isReplayed || held.broadcast.state !== 'scheduled') await store.unschedule(id);
      else if (now() - held.broadcast.startAt > TOO_LATE_MS) await end(held, 'missed');
      else if (await store.activate(id)) {
        const isHeldUp = await isRolledBack(held);
        if (isHeldUp) await halt(held, { kind: 'held up', pause: { why: 'rolled-back' } });
        else
          await store.replace(held, {
            ...{ state: 'gathering', activeAt: now(), epoch: (await continuity()).epoch },
          });
        await store.unschedule(id);
      }
    }
  }

  async function run(): Promise<void> {
    if (isClosing) return;
    // Usually there is nothing to do, and this takes one round trip.
    const [due, active] = await Promise.all([store.scheduled(now(), DUE), store.active()]);
    await beginDue(due);
    const id = due.length > 0 ? await store.active() : active;
    if (id === undefined) return;
    // Replicas that don't send also read the record, so that each of them can recognise an older version later.
    await store.find(id);
    await leases.withLease('broadcast-turn', (isHeld) => work(id, { isHeld, isClosing: () => isClosing }));
  }

  return {
    async run() {
      running = run();
      await running;
    },
    async close() {
      isClosing = true;
      await running?.catch(() => undefined);
    },
  };
}

type Gathered = { kind: 'gathered'; total: number } | Halt | { kind: 'lost' };

/**
 * Resolves the audience and stores it. Users who come later aren't included. If a process dies during this, the next
 * one starts again.
 */
export function createGather(deps: {
  store: Pick<BroadcastStore, 'putChunk'>;
  readAudience: ReadAudience;
  hear: Hear;
}) {
  const { store, readAudience, hear } = deps;

  return async ({ broadcast }: Held, turn: Turn): Promise<Gathered> => {
    const { id, audience, admin } = broadcast;
    let waiting: number[] = [];
    let chunks = 0;
    const heard = hear.often(broadcast, turn);
    for await (const users of readAudience(audience, admin)) {
      const halt = await heard();
      if (halt) return halt;
      if (!turn.isHeld()) return { kind: 'lost' };
      waiting.push(...users);
      while (waiting.length >= CHUNK_SIZE) {
        await store.putChunk(id, chunks, waiting.slice(0, CHUNK_SIZE));
        waiting = waiting.slice(CHUNK_SIZE);
        chunks += 1;
      }
    }
    if (waiting.length > 0) await store.putChunk(id, chunks, waiting);
    return { kind: 'gathered', total: chunks * CHUNK_SIZE + waiting.length };
  };
}
