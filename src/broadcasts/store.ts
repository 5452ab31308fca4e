import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { LANGUAGES } from '../i18n/texts.ts';
import { DAY_MS } from '../platform/clock.ts';
import { defineRecord, type SignedRecord, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** TTL of broadcasts and of what belongs to them, in milliseconds from the last write. */
export const BROADCAST_TTL_MS = 90 * DAY_MS;

/** `active`: active within the last `days` days, today included. `me`: a test for the author. */
const audienceSchema = z.discriminatedUnion('who', [
  z.object({ who: z.enum(['everybody', 'holders', 'guests', 'merchants', 'me']) }),
  z.object({ who: z.literal('language'), language: z.enum(LANGUAGES) }),
  z.object({ who: z.literal('active'), days: z.number().int().positive() }),
]);
export type Audience = z.infer<typeof audienceSchema>;

/** The bot's copy of an admin's message. Further copies lose its buttons, so they are stored. */
const contentSchema = z.object({
  chat: z.number(),
  message: z.number(),
  buttons: z.array(
    z.object({
      text: z.string(),
      url: z.string(),
      /** Labels by language, of a button whose label is the bot's own. */
      texts: z.record(z.string(), z.string()).optional(),
    }),
  ),
  /** Hash of the message's text, media and links. */
  hash: z.string(),
});
export type Content = z.infer<typeof contentSchema>;

/** Message for each language. `default` is for users whose language has no separate message. */
const contentsSchema = z.object({
  default: contentSchema,
  ...(Object.fromEntries(LANGUAGES.map((language) => [language, contentSchema.optional()])) as {
    [language in (typeof LANGUAGES)[number]]: z.ZodOptional<typeof contentSchema>;
  }),
});
export type Contents = z.infer<typeof contentsSchema>;

/** `resolving`: the audience is being resolved. `missed`: more than an hour late, so never started. */
export const STATES = ['scheduled', 'resolving', 'sending', 'paused', 'done', 'stopped', 'missed'] as const;

/**
 * Reasons of a pause.
 * - `gone`: the message to copy doesn't exist any more.
 * - `refused`: Telegram refuses the message for all recipients.
 * - `lost`: several responses of Telegram were lost since the last delivery.
 * - `audience`: the stored audience can't be read any more.
 * - `former-admin`: the admin who confirmed it is no longer an admin.
 * - `outdated`: its record is older than that of a running broadcast can be.
 * - `rolled-back`: Redis may have lost its latest progress. Some users could get the message twice.
 */
const PAUSES = [
  'admin',
  'gone',
  'refused',
  'lost',
  'audience',
  'former-admin',
  'outdated',
  'rolled-back',
] as const;

const broadcastSchema = z.object({
  id: z.string(),
  /** Admin who confirmed it, or who resumed it when the former admin was no longer an admin. */
  admin: z.number(),
  contents: contentsSchema,
  audience: audienceSchema,
  state: z.enum(STATES),
  pause: z
    .object({
      why: z.enum(PAUSES),
      by: z.number().optional(),
      reason: z.string().optional(),
      at: z.number().optional(),
    })
    .optional(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  startAt: z.number(),
  begunAt: z.number().optional(),
  endedAt: z.number().optional(),
  /** Admin who stopped or cancelled it. */
  stoppedBy: z.number().optional(),
  /** Number of recipients: as counted for the confirmation, and exact once the audience is resolved. */
  total: z.number(),
  /** Recipients with a result, from the start of the audience: counted below, or listed in `deferred`. */
  settled: z.number(),
  sent: z.number(),
  blocked: z.number(),
  deactivated: z.number(),
  unreachable: z.number(),
  failed: z.number(),
  /** Telegram's response was lost. These users may have the message and don't get it again. */
  unknown: z.number(),
  /** Users who had opted out or were unreachable when their turn came. */
  skipped: z.number(),
  /** Places in the audience that are deferred, and tried again at the end. */
  deferred: z.array(z.number()),
  /** Attempts without a recorded result, as places in the audience. One entry per attempt. */
  openAttempts: z.array(z.number()).default([]),
  /** Time before which nothing is sent, in epoch milliseconds. */
  waitUntil: z.number().optional(),
  rateLimitHits: z.number(),
  /** Random id of the process that works on it. It makes the writes of two processes different. */
  processId: z.string().optional(),
  /** Number of takeovers after a process had died. */
  takeovers: z.number(),
  sendingMs: z.number(),
  /** Last time that an admin started or resumed it, or that a process worked on it (epoch milliseconds). */
  activeAt: z.number().default(0),
  /** Epoch of the stored data in which an admin last started or resumed it. */
  epoch: z.string().optional(),
  /** Counts the writes of this record. An older version that was put back has a lower number. */
  revision: z.number().default(0),
});
export type Broadcast = z.infer<typeof broadcastSchema>;

export type Pause = NonNullable<Broadcast['pause']>;

export const isEnded = ({ state }: Pick<Broadcast, 'state'>) =>
  state === 'done' || state === 'stopped' || state === 'missed';

/** Returns whether this is a test, which only its author receives. */
export const isTest = ({ audience }: Pick<Broadcast, 'audience'>) => audience.who === 'me';

/** Number of users in each chunk of an audience except the last one. */
export const CHUNK_SIZE = 1_000;

/** Control request of an admin. The process that sends the broadcast executes it. */
const controlRequestSchema = z.object({ action: z.enum(['pause', 'stop']), by: z.number() });

const BROADCAST = defineRecord({
  keys: 'broadcast:id',
  content: 'Confirmed broadcast: content, audience, progress',
  schema: broadcastSchema,
  ttlMs: BROADCAST_TTL_MS,
  signed: true,
  retained: { ofAdmins: true },
});

/** The TTL bounds the duration of a pause, because a broadcast can't continue without its audience. */
const BROADCAST_AUDIENCE = defineRecord({
  keys: 'broadcast-audience:id:chunk',
  content: 'A thousand recipients, signed for this broadcast and this position',
  schema: z.array(z.number()),
  ttlMs: 30 * DAY_MS,
  expiry: 'until its end, 30 days at most',
  signed: true,
  retained: { elsewhere: 'kept-others' },
});

const BROADCAST_END = defineRecord({
  keys: 'broadcast-end:id',
  content:
    'End marker: the broadcast has ended, and how. A record that was put back is refused because of it',
  schema: broadcastSchema.pick({ state: true, endedAt: true }),
  ttlMs: 180 * DAY_MS,
  expiry: '180 days, longer than the record',
  signed: true,
});

const BROADCAST_CONTROL_REQUEST = defineRecord({
  keys: 'broadcast-control-request:id',
  content: 'An admin wants it paused or stopped',
  schema: controlRequestSchema,
  ttlMs: BROADCAST_TTL_MS,
  expiry: 'until that is done, 90 days at most',
  signed: true,
  retained: { ofAdmins: true },
});

const ACTIVE = {
  keys: 'broadcast-active',
  content: 'Broadcast that is in progress or paused',
  expiry: '90 days',
} as const satisfies StoredData;

const SCHEDULED = {
  keys: 'broadcasts-scheduled',
  content: 'Index of the scheduled broadcasts by start time',
  expiry: '90 days',
} as const satisfies StoredData;

const ENDED = {
  keys: 'broadcasts-ended',
  content: 'Index of the latest ended broadcasts',
  expiry: '90 days',
} as const satisfies StoredData;

/** Broadcast as it was read or written, with the record that a change is compared with. */
export interface StoredBroadcast {
  broadcast: Broadcast;
  record: SignedRecord;
  /**
   * An old version was put back: the broadcast has ended, or this process has seen a newer one. Nothing may
   * be sent because of it. If the broadcast has ended, `broadcast` has the state of its end marker.
   */
  isReplayed: boolean;
}

export type BroadcastStore = ReturnType<typeof createBroadcastStore>;

export function createBroadcastStore(deps: {
  storage: Pick<Storage, 'get' | 'add' | 'delete' | 'index'>;
  records: SignedRecords;
  /** Called after each write of a record in place of another one. */
  onProgress?: ((before: Broadcast, after: Broadcast) => void) | undefined;
}) {
  const { storage, records, onProgress } = deps;
  const { index } = storage;
  const broadcasts = records.store(BROADCAST);
  const audiences = records.store(BROADCAST_AUDIENCE);
  const ends = records.store(BROADCAST_END);
  const requests = records.store(BROADCAST_CONTROL_REQUEST);
  const lifetime = { ttlMs: BROADCAST_TTL_MS };
  /** Highest revision of each broadcast that this process has read or written. */
  const revisions = new Map<string, number>();

  return {
    add: (broadcast: Broadcast) => broadcasts.add({ id: broadcast.id }, broadcast),

    async find(id: string): Promise<StoredBroadcast | undefined> {
      const [stored, marker] = await Promise.all([broadcasts.read({ id }), ends.get({ id })]);
      if (stored === undefined) return undefined;
      const { value: broadcast, record } = stored;
      if (marker && !isEnded(broadcast))
        return { broadcast: { ...broadcast, ...marker, pause: undefined }, record, isReplayed: true };
      const newest = Math.max(revisions.get(id) ?? 0, broadcast.revision);
      revisions.set(id, newest);
      // With the newest revision, so that the next write of this version gets a higher one.
      return {
        broadcast: { ...broadcast, revision: newest },
        record,
        isReplayed: broadcast.revision < newest && !isEnded(broadcast),
      };
    },

    /** Returns `undefined` if the record was changed in the meantime. */
    async replace(
      { broadcast, record }: StoredBroadcast,
      changes: Partial<Broadcast>,
    ): Promise<StoredBroadcast | undefined> {
      const next = { ...broadcast, ...changes, revision: broadcast.revision + 1 };
      const written = await broadcasts.replace({ id: next.id }, { value: broadcast, record }, next);
      if (written === undefined) return undefined;
      revisions.set(next.id, next.revision);
      onProgress?.(broadcast, next);
      return { broadcast: next, record: written.record, isReplayed: false };
    },

    /** Makes this the active broadcast if there is none. Returns whether it is the active one. */
    activate: async (id: string) =>
      (await storage.add(ACTIVE.keys, id, lifetime)) || (await storage.get(ACTIVE.keys)) === id,
    active: () => storage.get(ACTIVE.keys),
    /** Clears the active broadcast if it is this one. */
    deactivate: (id: string) => storage.delete(ACTIVE.keys, id),

    /** Writes the end marker. From then on, `find` marks a record that hasn't ended as replayed. */
    markEnded: ({ id, state, endedAt }: Broadcast) => ends.set({ id }, { state, endedAt }),

    /** Moves a broadcast from the active and scheduled ones to the ended ones. */
    async archive({ id, endedAt = 0 }: Pick<Broadcast, 'id' | 'endedAt'>): Promise<void> {
      await index.put(ENDED.keys, id, endedAt, lifetime);
      await Promise.all([index.remove(SCHEDULED.keys, id), requests.delete({ id })]);
      await storage.delete(ACTIVE.keys, id);
    },
    latestEnded: (limit: number) => index.last(ENDED.keys, limit),

    schedule: (id: string, at: number) => index.put(SCHEDULED.keys, id, at, lifetime),
    unschedule: (id: string) => index.remove(SCHEDULED.keys, id),
    /** Returns the broadcasts that are scheduled up to `until` (epoch milliseconds), soonest first. */
    scheduled: (until: number, limit: number) => index.upTo(SCHEDULED.keys, until, limit),

    /** Stores a control request. A pause never replaces a stop. */
    async requestControl(id: string, request: z.infer<typeof controlRequestSchema>): Promise<void> {
      if (request.action === 'stop') await requests.set({ id }, request);
      else await requests.add({ id }, request);
    },
    /** Removes a pause that was executed or is withdrawn. Returns `false` if a stop was requested instead. */
    async withdrawPause(id: string): Promise<boolean> {
      const stored = await requests.read({ id });
      if (stored === undefined) return true;
      if (stored.value.action === 'stop') return false;
      await requests.delete({ id }, stored);
      return true;
    },
    controlRequest: (id: string) => requests.get({ id }),

    /** Stores a chunk of the audience, numbered from 0. It fixes the place of each user. */
    setAudienceChunk: (id: string, chunk: number, users: number[]) => audiences.set({ id, chunk }, users),
    /** Returns `undefined` if the chunk is missing or isn't signed for this broadcast and number. */
    audienceChunk: (id: string, chunk: number) => audiences.get({ id, chunk }),
    async deleteAudience(id: string): Promise<void> {
      const isStored = async (chunk: number) =>
        (await storage.get(audiences.keyOf({ id, chunk }))) !== undefined;
      for (let chunk = 0; await isStored(chunk); chunk += 1) await audiences.delete({ id, chunk });
    },
  };
}

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

const BROADCAST_DRAFT = defineRecord({
  keys: 'broadcast-draft:{user}',
  content: 'Draft of an admin',
  schema: draftSchema,
  ttlMs: DAY_MS,
  signed: true,
});

export const BROADCAST_RECORDS = [
  ...[BROADCAST_DRAFT, BROADCAST, BROADCAST_AUDIENCE, BROADCAST_END, BROADCAST_CONTROL_REQUEST],
  ...[ACTIVE, SCHEDULED, ENDED],
] as const;

/** Unconfirmed broadcast. Each admin has one at a time, for a day after its last change. */
export type BroadcastDraft = z.infer<typeof draftSchema>;

export function createBroadcastDrafts({ records }: { records: SignedRecords }) {
  const drafts = records.store(BROADCAST_DRAFT);
  return {
    find: (admin: number) => drafts.get({ user: admin }),
    /** Starts a new draft and discards the former one. */
    async begin(admin: number): Promise<BroadcastDraft> {
      const draft: BroadcastDraft = { id: randomUUID(), admin, contents: {} };
      await drafts.set({ user: admin }, draft);
      return draft;
    },
    /** Changes the draft and returns it. Does nothing and returns `undefined` if the admin has none. */
    change: (
      admin: number,
      changesOf: (draft: BroadcastDraft) => Partial<Omit<BroadcastDraft, 'id' | 'admin'>>,
    ) => drafts.update({ user: admin }, (draft) => draft && { ...draft, ...changesOf(draft) }),
  };
}
