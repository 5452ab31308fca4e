import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SignedRecords } from '../storage/signed-records.ts';

/** What the keys of proposed decisions begin with. */
export const PROPOSALS = 'proposal:';

/** For so long the card of a decision may be decided on. */
const KEPT_MS = 15 * 60_000;
const NAME_LENGTH = 24;

const proposalSchema = z.object({
  /** The operation's user, and its number. */
  user: z.number(),
  id: z.string(),
  outcome: z.enum(['done', 'not-done']),
  reason: z.string(),
});

export type Proposal = z.infer<typeof proposalSchema>;

/** Decisions by hand that wait for *Decide*: signed, as they end operations. An admin finds their own alone. */
export interface Proposals {
  /** Answers the name by which it is found again. */
  keep(admin: number, proposal: Proposal): Promise<string>;
  find(admin: number, name: string): Promise<Proposal | undefined>;
}

export function createProposals({ records }: { records: Pick<SignedRecords, 'set' | 'get'> }): Proposals {
  const keyOf = (admin: number, name: string) => `${PROPOSALS}{${admin}}:${name}`;
  return {
    async keep(admin, proposal) {
      const content = JSON.stringify(proposal);
      // The same update makes the same card, however often it comes.
      const name = createHash('sha256').update(content).digest('hex').slice(0, NAME_LENGTH);
      await records.set(keyOf(admin, name), content, { ttlMs: KEPT_MS });
      return name;
    },
    async find(admin, name) {
      const record = await records.get(keyOf(admin, name));
      return record && proposalSchema.parse(JSON.parse(record.content));
    },
  };
}
