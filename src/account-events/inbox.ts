import { randomUUID } from 'node:crypto';
import type { Tally } from '../notifications/metrics.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecord, SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createWorkQueue } from '../platform/work-queue.ts';
import type { RentalEvent } from '../rental-api/webhook.ts';
import { type Arrival, arrivalSchema, type EventType } from './event.ts';

const DUE = 'events:due';
/** Time for which an event is remembered, in milliseconds. Copies within it are ignored. */
export const KNOWN_MS = 30 * 24 * 3600_000;
/** Time until an event is due again if the process that handles it crashes, in milliseconds. */
const LEASE_MS = 10_000;
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000, 300_000, 1_800_000, 3_600_000];
/** Number of attempts, over more than a day, after which an event is given up. */
const TRIES = 36;
const BATCH = 200;
const CONCURRENCY = 64;
const WAITING = 2_000;
/** Stored in place of an event that was handled or given up. */
const OVER = 'over';

/** Key prefix of events. */
export const EVENTS = 'event:';

/** Stored events of the service, from their arrival until they are handled. */
export interface Inbox {
  /**
   * Resolves once the event is stored. It is handled afterwards, even if this process crashes. Returns `known` if it
   * arrived before, within {@link KNOWN_MS}. Rejects if the storage is unavailable: then the event wasn't received.
   */
  take(account: number, event: RentalEvent, how: Arrival['how']): Promise<'new' | 'known'>;
  /** Returns whether the event has arrived, as a webhook request or through the log. */
  knows(account: number, event: RentalEvent): Promise<boolean>;
  /** Starts handling the events that are due. */
  run(): Promise<void>;
  close(): Promise<void>;
}

export function createInbox(deps: {
  storage: Pick<Storage, 'index'>;
  records: SignedRecords;
  types: readonly EventType[];
  tally: Pick<Tally, 'handled'>;
  now: () => number;
  log: Log;
}): Inbox {
  const { records, types, tally, now, log } = deps;
  const { index } = deps.storage;
  const nameOf = (account: number, event: Pick<RentalEvent, 'id'>) => `${account}/${event.id}`;
  const keyOf = (name: string) => `${EVENTS}${name.replace('/', ':')}`;

  /** Stores an event. Returns whether it is new. Overwrites a record that fails verification. */
  async function store(name: string, content: string): Promise<boolean> {
    const [key, kept] = [keyOf(name), { ttlMs: KNOWN_MS }];
    if (await records.add(key, content, kept)) return true;
    if ((await records.get(key)) !== undefined) return false;
    await records.set(key, content, kept);
    return true;
  }

  async function over(name: string): Promise<void> {
    // Stored before the event leaves the queue: after a crash in between, the event is still due.
    await records.set(keyOf(name), OVER, { ttlMs: KNOWN_MS });
    await index.remove(DUE, name);
  }

  async function putOff(name: string, record: SignedRecord, arrival: Arrival, err: unknown): Promise<void> {
    const tries = arrival.tries + 1;
    const { account, event } = arrival;
    if (tries >= TRIES) {
      log.error({ account, event: event.type, err }, 'an event could not be handled and is given up');
      return over(name);
    }
    log.warn({ account, event: event.type, err, tries }, 'an event could not be handled yet');
    await records.replace(keyOf(name), record, JSON.stringify({ ...arrival, tries }), { ttlMs: KNOWN_MS });
    await index.scheduleIn(
      DUE,
      name,
      RETRY_DELAYS_MS[Math.min(tries, RETRY_DELAYS_MS.length) - 1] ?? LEASE_MS,
    );
  }

  async function handle(name: string): Promise<void> {
    const record = await records.get(keyOf(name));
    if (record === undefined || record.content === OVER) return index.remove(DUE, name);
    const { data: arrival } = arrivalSchema.safeParse(JSON.parse(record.content));
    if (arrival === undefined) {
      log.error({ name }, 'ignoring an event in an unknown format, perhaps stored by another version');
      return index.remove(DUE, name);
    }
    const { account, event, how, cameAt } = arrival;
    try {
      await types.find(({ hears }) => hears(event.type))?.heard(account, event, how);
    } catch (err) {
      return putOff(name, record, arrival, err);
    }
    await over(name);
    tally.handled(now() - cameAt);
  }

  const atOnce = createWorkQueue({
    work: handle,
    ...{ limit: CONCURRENCY, most: WAITING, failed: 'handling an event failed; it will be retried', log },
  });

  return {
    async take(account, event, how) {
      const name = nameOf(account, event);
      const before = await records.get(keyOf(name));
      if (before?.content === OVER) return 'known';
      // Queued before it is stored, so that the event is handled even if this process crashes in between.
      await index.scheduleNoLaterThan(DUE, name, LEASE_MS);
      const arrival: Arrival = { account, event, how, cameAt: now(), tries: 0, nonce: randomUUID() };
      const isNew = before === undefined && (await store(name, JSON.stringify(arrival)));
      if (isNew) atOnce.begin(name);
      return isNew ? 'new' : 'known';
    },
    knows: async (account, event) => (await records.get(keyOf(nameOf(account, event)))) !== undefined,
    async run() {
      const due = await index.due(DUE, BATCH);
      for (const name of due) {
        await index.scheduleIn(DUE, name, LEASE_MS);
        atOnce.begin(name);
      }
    },
    close: atOnce.close,
  };
}
