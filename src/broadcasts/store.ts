// Stores broadcasts, their audiences and drafts.

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

/** Number of users in each chunk of an audience except the last one. */
export const CHUNK_SIZE = 1_000;

/** Key prefixes of broadcasts, of control requests, and of the ids of progress messages. */
export const BROADCASTS = 'broadcast:';
export const BROADCAST_WISHES = 'broadcast-wish:';
export const BROADCAST_SHOWN = 'broadcast-shown:';
/** Key prefixes of audiences and of end markers. */
export const BROADCAST_AUDIENCES = 'broadcast-audience:';
export const BROADCAST_ENDS = 'broadcast-end:';

const ACTIVE = 'broadcast-active';
const SCHEDULED = 'broadcasts-scheduled';
const ENDED = 'broadcasts-ended';
const KEPT = { ttlMs: 90 * 24 * 3600_000 };
/** TTL of an end marker. It exceeds that of the record whose replay the marker reveals. */
const END_KEPT = { ttlMs: 180 * 24 * 3600_000 };
/** TTL of an audience. A broadcast can't be paused for longer. */
const AUDIENCE_KEPT = { ttlMs: 30 * 24 * 3600_000 };

const wishSchema = z.object({ wish: z.enum(['pause', 'stop']), by: z.number() });
const usersSchema = z.array(z.number());
const endSchema = broadcastSchema.pick({ state: true, endedAt: true });

/** Control request of an admin for a running broadcast. The process that sends the broadcast executes it. */
type Wish = z.infer<typeof wishSchema>;

/** Broadcast as it was read or written, with the record that a change is compared with. */
export interface Held {
  broadcast: Broadcast;
  record: SignedRecord;
  /**
   * Whether the stored record is an old version that was put back: the broadcast has ended, or this process has seen a
   * newer version. Nothing may be sent because of it. If the broadcast has ended, `broadcast` has the state of its end
   * marker.
   */
  isReplayed: boolean;
}

/** Broadcasts until 90 days after their last write, and their audiences. */
export interface BroadcastStore {
  add(broadcast: Broadcast): Promise<void>;
  find(id: string): Promise<Held | undefined>;
  /** Returns `undefined` if the record was changed in the meantime. */
  replace(held: Held, changes: Partial<Broadcast>): Promise<Held | undefined>;
  /** Makes this the active broadcast if there is none. Returns whether it is the active one. */
  activate(id: string): Promise<boolean>;
  active(): Promise<string | undefined>;
  /** Clears the active broadcast if it is this one. */
  deactivate(id: string): Promise<void>;
  /**
   * Writes the signed end marker of a broadcast. From then on, {@link find} marks a stored version that hasn't ended as
   * replayed. May be repeated.
   */
  markEnded(broadcast: Broadcast): Promise<void>;
  /** Removes a broadcast from the active and scheduled ones, and adds it to the ended ones. */
  ended(broadcast: Pick<Broadcast, 'id' | 'endedAt'>): Promise<void>;
  latest(limit: number): Promise<string[]>;
  schedule(id: string, at: number): Promise<void>;
  unschedule(id: string): Promise<void>;
  /** Returns the broadcasts that are scheduled up to `until` (epoch milliseconds), soonest first. */
  scheduled(until: number, limit: number): Promise<string[]>;
  /** Stores a control request. A pause never replaces a stop. */
  wish(id: string, wish: Wish): Promise<void>;
  /** Removes a pause that was executed or is withdrawn. Returns `false` if a stop was requested instead. */
  unwish(id: string): Promise<boolean>;
  wished(id: string): Promise<Wish | undefined>;
  /** Stores a chunk of the audience, numbered from 0. It fixes the place of each user. */
  putChunk(id: string, chunk: number, users: readonly number[]): Promise<void>;
  /** Returns `undefined` if the chunk doesn't exist, or if the bot didn't sign it for this broadcast and number. */
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
  /** Highest revision of each broadcast that this process has read or written. */
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

/** Key prefix of drafts. */
export const BROADCAST_DRAFTS = 'broadcast-draft:';
const TTL_MS = 24 * 3600_000;

const draftSchema = z.object({
  /** Id of the future broadcast, so that one draft makes only one. */
  id: z.string(),
  admin: z.number(),
  contents: contentsSchema.partial({ default: true }),
  audience: audienceSchema.optional(),
  /** Start time in epoch milliseconds. If missing, the broadcast starts at once. */
  at: z.number().optional(),
  /** Last message of the admin and its language, until its buttons are known. */
  source: contentSchema.pick({ message: true, hash: true }).extend({ language: z.string() }).optional(),
});

/** Broadcast that an admin hasn't confirmed yet. Each admin has one at a time, for a day after its last change. */
export type BroadcastDraft = z.infer<typeof draftSchema>;

export interface BroadcastDrafts {
  of(admin: number): Promise<BroadcastDraft | undefined>;
  /** Starts a new draft and discards the former one. */
  begin(admin: number): Promise<BroadcastDraft>;
  /** Changes the draft and returns it. Does nothing and returns `undefined` if the admin has none. */
  change(
    admin: number,
    to: (draft: BroadcastDraft) => Partial<Omit<BroadcastDraft, 'id' | 'admin'>>,
  ): Promise<BroadcastDraft | undefined>;
}

export function createBroadcastDrafts({ records }: { records: SignedRecords }): BroadcastDrafts {
  const keyOf = (admin: number) => `${BROADCAST_DRAFTS}{${admin}}`;
  const lifetime = { ttlMs: TTL_MS };

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
