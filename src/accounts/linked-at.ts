import type { SignedRecords } from '../storage/signed-records.ts';
import { linkKey, linkSchema } from './link.ts';

/** When what a user has linked was linked, in epoch milliseconds, whatever it is worth now: by it one link is told from another. */
export type LinkedAt = (user: number) => Promise<number | undefined>;

export function createLinkedAt({ records }: { records: Pick<SignedRecords, 'get'> }): LinkedAt {
  return async (user) => {
    const record = await records.get(linkKey(user));
    return record && linkSchema.parse(JSON.parse(record.content)).linkedAt;
  };
}
