import { z } from 'zod';
import { untilWritten } from '../storage/contention.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';
import { type Announced, announcedSchema, isKept, keptUntil } from './announced-address.ts';
import { ANNOUNCED, DUE, nameOf } from './announced-addresses.ts';

const listSchema = z.array(announcedSchema);

/**
 * Forgets where a user has withdrawn to, of whichever account. What they have announced within a day, or others have struck
 * out, goes when that day is over: it protects who else holds the account from being asked again and again. None of it is
 * offered to them any more.
 */
export function createForgetAnnounced(deps: {
  storage: Pick<Storage, 'keys' | 'delete' | 'index'>;
  records: Pick<SignedRecords, 'get' | 'has' | 'replace'>;
  now: () => number;
}): (user: number) => Promise<void> {
  const { storage, records, now } = deps;

  const stays = (one: Announced) =>
    isKept(one, now()) && (one.usedAt === undefined || one.struckAt !== undefined);

  async function forgetAt(key: string, user: number): Promise<void> {
    await untilWritten(async () => {
      const record = await records.get(key);
      const list = record === undefined ? [] : listSchema.parse(JSON.parse(record.content));
      const own = list.filter((one) => one.user === user);
      if (record === undefined || own.length === 0) return true;
      await storage.index.remove(DUE, ...own.map(nameOf));
      const rest = list.filter((one) => one.user !== user || stays(one));
      if (rest.length === 0) {
        await storage.delete(key, record.text);
        return (await records.has(key)) ? undefined : true;
      }
      const ttlMs = Math.max(...rest.map(keptUntil)) - now();
      return (await records.replace(key, record, JSON.stringify(rest), { ttlMs })) && true;
    });
  }

  return async (user) => {
    for (const key of await storage.keys(ANNOUNCED)) await forgetAt(key, user);
  };
}
