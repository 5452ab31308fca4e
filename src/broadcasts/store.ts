import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { changeRecord, readJson, type SignedRecord, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import {
  audienceSchema,
  type Broadcast,
  broadcastSchema,
  contentSchema,
  contentsSchema,
  isEnded,
} from './broadcast.ts';

/** So many people are in a chunk, but for the last. */
export const CHUNK_SIZE = 1_000;

/** What the keys of broadcasts, and of what admins wish of them, begin with. */
export const BROADCASTS = 'broadcast:';
export const BROADCAST_WISHES = 'broadcast-wish:';
export const BROADCAST_SHOWN = 'broadcast-shown:';
/** Prefixes of the keys of audiences and of end markers. */
export const BROADCAST_AUDIENCES = 'broadcast-audience:';
export const BROADCAST_ENDS = 'broadcast-end:';

const ACTIVE = 'broadcast-active';
const SCHEDULED = 'broadcasts-scheduled';
const ENDED = 'broadcasts-ended';
const KEPT = { ttlMs: 90 * 24 * 3600_000 };
/** Lifetime of an end marker: longer than that of the record whose replay it reveals. */
const END_KEPT = { ttlMs: 180 * 24 * 3600_000 };
/** So long somebody may hold it up. */
const AUDIENCE_KEPT = { ttlMs: 30 * 24 * 3600_000 };

const wishSchema = z.object({ wish: z.enum(['pause', 'stop']), by: z.number() });
const usersSchema = z.array(z.number());
const endSchema = broadcastSchema.pick({ state: true, endedAt: true });

/** What an admin wants of a broadcast that is under way; whoever is at it does so. */
type Wish = z.infer<typeof wishSchema>;

/** One as it was read or written: what a change is compared with. */
export interface Held {
  broadcast: Broadcast;
  record: SignedRecord;
  /**
   * The stored record is an old version that was put back: the broadcast has ended, or this process has seen a newer
   * version. Nothing may be sent because of it. If the broadcast has ended, `broadcast` has the state of its end marker.
   */
  isReplayed: boolean;
}

/** Broadcasts, from their confirmation until 90 days after, and who gets them. */
export interface BroadcastStore {
  add(broadcast: Broadcast): Promise<void>;
  find(id: string): Promise<Held | undefined>;
  /** `undefined` where somebody else was quicker. */
  replace(held: Held, changes: Partial<Broadcast>): Promise<Held | undefined>;
  /** Makes this the one that is under way; answers whether it is. */
  activate(id: string): Promise<boolean>;
  active(): Promise<string | undefined>;
  /** Clears which broadcast is under way if it is this one. */
  deactivate(id: string): Promise<void>;
  /**
   * Writes the signed end marker of a broadcast. From then on {@link find} returns a record of it that hasn't ended as
   * replayed. May be repeated.
   */
  markEnded(broadcast: Broadcast): Promise<void>;
  /** It is under way no more, nor waits for its time, but can be looked up among those that have ended. */
  ended(broadcast: Pick<Broadcast, 'id' | 'endedAt'>): Promise<void>;
  latest(limit: number): Promise<string[]>;
  schedule(id: string, at: number): Promise<void>;
  unschedule(id: string): Promise<void>;
  /** Those whose time comes up to then (epoch milliseconds), soonest first. */
  scheduled(until: number, limit: number): Promise<string[]>;
  /** That it is to stop is never overruled. */
  wish(id: string, wish: Wish): Promise<void>;
  /** That it is to be held up is done, or taken back; answers whether it isn't to stop. */
  unwish(id: string): Promise<boolean>;
  wished(id: string): Promise<Wish | undefined>;
  /** Where in the audience whom stands is fixed: from 0, in chunks. */
  putChunk(id: string, chunk: number, users: readonly number[]): Promise<void>;
  /** Returns `undefined` if the chunk is gone, or if the bot didn't sign it for this broadcast and this number. */
  chunk(id: string, chunk: number): Promise<number[] | undefined>;
  forgetAudience(id: string): Promise<void>;
}

export function createBroadcastStore(deps: {
  storage: Pick<Storage, 'get' | 'set' | 'add' | 'delete' | 'index'>;
  records: SignedRecords;
}): BroadcastStore {
  const { storage, records } = deps;
  const { index } = storage;
  const keyOf = (id: string) => `${BROADCASTS}${id}`;
  const wishOf = (id: string) => `${BROADCAST_WISHES}${id}`;
  const endOf = (id: string) => `${BROADCAST_ENDS}${id}`;
  const chunkOf = (id: string, chunk: number) => `${BROADCAST_AUDIENCES}${id}:${chunk}`;
  /** The highest revision of each broadcast that this process has read or written. */
  const seen = new Map<string, number>();

  async function deactivate(id: string): Promise<void> {
    await storage.delete(ACTIVE, id);
  }

  return {
    async add(broadcast) {
      await records.add(keyOf(broadcast.id), JSON.stringify(broadcast), KEPT);
    },
    async find(id) {
      const [record, marker] = await Promise.all([records.get(keyOf(id)), records.get(endOf(id))]);
      const broadcast = readJson(broadcastSchema, record?.content);
      if (record === undefined || broadcast === undefined) return undefined;
      const end = isEnded(broadcast) ? undefined : readJson(endSchema, marker?.content);
      if (end) return { broadcast: { ...broadcast, ...end, pause: undefined }, record, isReplayed: true };
      const newest = Math.max(seen.get(id) ?? 0, broadcast.revision);
      seen.set(id, newest);
      // With the newest revision, so that the next write of this version gets a higher one.
      return {
        broadcast: { ...broadcast, revision: newest },
        record,
        isReplayed: broadcast.revision < newest && !isEnded(broadcast),
      };
    },
    async replace({ broadcast, record }, changes) {
      const next = broadcastSchema.parse({ ...broadcast, ...changes, revision: broadcast.revision + 1 });
      const written = await records.replace(keyOf(next.id), record, JSON.stringify(next), KEPT);
      if (written === undefined) return undefined;
      seen.set(next.id, next.revision);
      return { broadcast: next, record: written, isReplayed: false };
    },
    async activate(id) {
      return (await storage.add(ACTIVE, id, KEPT)) || (await storage.get(ACTIVE)) === id;
    },
    active: () => storage.get(ACTIVE),
    deactivate,
    async markEnded({ id, state, endedAt }) {
      await records.set(endOf(id), JSON.stringify({ state, endedAt }), END_KEPT);
    },
    async ended({ id, endedAt = 0 }) {
      await index.put(ENDED, id, endedAt, KEPT);
      await Promise.all([index.remove(SCHEDULED, id), records.delete(wishOf(id))]);
      await deactivate(id);
    },
    latest: (limit) => index.last(ENDED, limit),
    schedule: (id, at) => index.put(SCHEDULED, id, at, KEPT),
    unschedule: (id) => index.remove(SCHEDULED, id),
    scheduled: (until, limit) => index.upTo(SCHEDULED, until, limit),
    async wish(id, wish) {
      if (wish.wish === 'stop') await records.set(wishOf(id), JSON.stringify(wish), KEPT);
      else await records.add(wishOf(id), JSON.stringify(wish), KEPT);
    },
    async unwish(id) {
      const record = await records.get(wishOf(id));
      if (record === undefined) return true;
      if (readJson(wishSchema, record.content)?.wish === 'stop') return false;
      await storage.delete(wishOf(id), record.text);
      return true;
    },
    wished: async (id) => readJson(wishSchema, (await records.get(wishOf(id)))?.content),
    async putChunk(id, chunk, users) {
      await records.set(chunkOf(id, chunk), JSON.stringify(users), AUDIENCE_KEPT);
    },
    chunk: async (id, chunk) => readJson(usersSchema, (await records.get(chunkOf(id, chunk)))?.content),
    async forgetAudience(id) {
      for (let chunk = 0; (await storage.get(chunkOf(id, chunk))) !== undefined; chunk += 1)
        await storage.delete(chunkOf(id, chunk));
    },
  };
}

/** What the keys of drafts begin with. */
export const BROADCAST_DRAFTS = 'broadcast-draft:';
const KEPT_MS = 24 * 3600_000;

const draftSchema = z.object({
  /** The broadcast's, once it is confirmed: so that one draft makes one. */
  id: z.string(),
  admin: z.number(),
  contents: contentsSchema.partial({ default: true }),
  audience: audienceSchema.optional(),
  /** Epoch milliseconds; at once where it isn't said. */
  at: z.number().optional(),
  /** What was brought last, until its buttons are known: a message of the admin, and for which language. */
  source: contentSchema.pick({ message: true, hash: true }).extend({ language: z.string() }).optional(),
});

/** A broadcast that an admin makes, until they confirm it: one at a time, for a day. */
export type BroadcastDraft = z.infer<typeof draftSchema>;

export interface BroadcastDrafts {
  of(admin: number): Promise<BroadcastDraft | undefined>;
  /** Begins anew: what they had is forgotten. */
  begin(admin: number): Promise<BroadcastDraft>;
  /** Changes it; nothing where they have none. Answers what it is then. */
  change(
    admin: number,
    to: (draft: BroadcastDraft) => Partial<Omit<BroadcastDraft, 'id' | 'admin'>>,
  ): Promise<BroadcastDraft | undefined>;
}

export function createBroadcastDrafts({ records }: { records: SignedRecords }): BroadcastDrafts {
  const keyOf = (admin: number) => `${BROADCAST_DRAFTS}{${admin}}`;
  const lifetime = { ttlMs: KEPT_MS };

  async function of(admin: number): Promise<BroadcastDraft | undefined> {
    const record = await records.get(keyOf(admin));
    return record && draftSchema.safeParse(JSON.parse(record.content)).data;
  }

  return {
    of,
    async begin(admin) {
      const draft: BroadcastDraft = { id: randomUUID(), admin, contents: {} };
      await records.set(keyOf(admin), JSON.stringify(draft), lifetime);
      return draft;
    },
    async change(admin, to) {
      if ((await of(admin)) === undefined) return undefined;
      let changed: BroadcastDraft | undefined;
      await changeRecord(
        records,
        keyOf(admin),
        (content) => {
          const before = draftSchema.parse(JSON.parse(content ?? '{}'));
          changed = draftSchema.parse({ ...before, ...to(before) });
          return JSON.stringify(changed);
        },
        lifetime,
      );
      return changed;
    },
  };
}
