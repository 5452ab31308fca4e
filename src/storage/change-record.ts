import { untilWritten } from './contention.ts';
import type { SignedRecords } from './signed-records.ts';
import type { Lifetime } from './storage.ts';

/**
 * Changes a record by what is in it, whoever else does so at once: `to` may be called again. `content` is `undefined` where
 * there is none, or none of ours. Rejects as {@link untilWritten} does.
 */
export async function changeRecord(
  records: Pick<SignedRecords, 'get' | 'set' | 'add' | 'replace' | 'has'>,
  key: string,
  to: (content: string | undefined) => string,
  lifetime: Lifetime,
): Promise<void> {
  await untilWritten(async () => {
    const record = await records.get(key);
    const content = to(record?.content);
    if (record && (await records.replace(key, record, content, lifetime))) return true;
    if (record === undefined && (await records.add(key, content, lifetime))) return true;
    // What doesn't verify counts for nothing, and must not be in the way for ever.
    if (record === undefined && (await records.get(key)) === undefined && (await records.has(key))) {
      await records.set(key, content, lifetime);
      return true;
    }
    return undefined;
  });
}
