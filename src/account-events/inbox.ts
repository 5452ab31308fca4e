import { randomUUID } from 'node:crypto';
import type { Tally } from '../notifications/metrics.ts';
import type { Log } from '../platform/log.ts';
import type { SignedRecord, SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createAtOnce } from '../platform/work-queue.ts';
import type { RentalEvent } from '../rental-api/webhook.ts';
import { type Arrival, arrivalSchema, type EventType } from './event.ts';

const DUE = 'events:due';
/** An event that was handled is known for so long: a copy of it changes nothing. */
export const KNOWN_MS = 30 * 24 * 3600_000;
/** Whoever takes one up has this long before another does. */
const TAKEN_MS = 10_000;
const AGAIN_MS = [1_000, 5_000, 15_000, 60_000, 300_000, 1_800_000, 3_600_000];
/** After so many tries, more than a day, it is given up. */
const TRIES = 36;
const BATCH = 200;
const AT_ONCE = 64;
const WAITING = 2_000;
/** What stands for an event that was handled. */
const OVER = 'over';

/** What the keys of events begin with. */
export const EVENTS = 'event:';

/** Events of the service, from their arrival until what they mean is done or stored elsewhere. */
export interface Inbox {
  /**
   * Resolves once the event is stored; what it means is done afterwards, whatever becomes of this process. `known`: it
   * came before, within {@link KNOWN_MS}. Rejects where the storage is away: then nothing was taken.
   */
  take(account: number, event: RentalEvent, how: Arrival['how']): Promise<'new' | 'known'>;
  /** Whether it has come, by whichever way. */
  knows(account: number, event: RentalEvent): Promise<boolean>;
  /** Takes up what has come due. */
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

  /** Answers whether it is the first. What isn't ours stands in nobody's way. */
  async function store(name: string, content: string): Promise<boolean> {
    const [key, kept] = [keyOf(name), { ttlMs: KNOWN_MS }];
    if (await records.add(key, content, kept)) return true;
    if ((await records.get(key)) !== undefined) return false;
    await records.set(key, content, kept);
    return true;
  }

  async function over(name: string): Promise<void> {
    // Before it leaves the index: one that is only out of it would be handled by nobody.
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
    await index.putIn(DUE, name, AGAIN_MS[Math.min(tries, AGAIN_MS.length) - 1] ?? TAKEN_MS);
  }

  async function handle(name: string): Promise<void> {
    const record = await records.get(keyOf(name));
    if (record === undefined || record.content === OVER) return index.remove(DUE, name);
    const { data: arrival } = arrivalSchema.safeParse(JSON.parse(record.content));
    if (arrival === undefined) {
      log.error({ name }, 'an event was kept by another version, and is left alone');
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

  const atOnce = createAtOnce({
    work: handle,
    ...{ limit: AT_ONCE, most: WAITING, failed: 'an event waits to be handled', log },
  });

  return {
    async take(account, event, how) {
      const name = nameOf(account, event);
      const before = await records.get(keyOf(name));
      if (before?.content === OVER) return 'known';
      // Whatever becomes of this process, it is due by the time that it is stored.
      await index.putWithin(DUE, name, TAKEN_MS);
      const arrival: Arrival = { account, event, how, cameAt: now(), tries: 0, nonce: randomUUID() };
      const isNew = before === undefined && (await store(name, JSON.stringify(arrival)));
      if (isNew) atOnce.begin(name);
      return isNew ? 'new' : 'known';
    },
    knows: async (account, event) => (await records.get(keyOf(nameOf(account, event)))) !== undefined,
    async run() {
      const due = await index.due(DUE, BATCH);
      for (const name of due) {
        await index.putIn(DUE, name, TAKEN_MS);
        atOnce.begin(name);
      }
    },
    close: atOnce.close,
  };
}
