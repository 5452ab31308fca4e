import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { changeRecord } from '../storage/change-record.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import { audienceSchema, contentSchema, contentsSchema } from './broadcast.ts';

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
