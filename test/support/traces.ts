import { kindOf } from '../../src/platform/records.ts';
import { tagOf } from '../../src/platform/storage.ts';
import { allStoredData } from '../../src/stored-data.ts';
import type { Stored } from './secrets.ts';

/**
 * Returns the stored entries that contain the user's ID or one of these words, except data that the bot says it retains.
 * Keys of the user may be of the `own` kinds, other keys of the `elsewhere` kinds.
 */
export function unsaidTraces(
  stored: readonly Stored[],
  { user, words, isAdmin = false }: { user: number; words: readonly string[]; isAdmin?: boolean },
): Stored[] {
  const data = allStoredData();
  const own = new Set(data.flatMap(({ keys, retained }) => (retained?.own ? [kindOf(keys)] : [])));
  const elsewhere = new Set(
    data.flatMap(({ keys, retained }) =>
      retained?.elsewhere || (isAdmin && retained?.ofAdmins) ? [kindOf(keys)] : [],
    ),
  );
  const isSaid = ({ key }: Stored) => {
    const [kind = ''] = key.split(':');
    return tagOf(key) === String(user) ? own.has(kind) : elsewhere.has(kind);
  };
  return traces(stored, [String(user), ...words]).filter((one) => !isSaid(one));
}

/** Returns the stored entries that contain one of these words. Ignores it within a longer word, number or sealed text. */
export function traces(stored: readonly Stored[], words: readonly string[]): Stored[] {
  const any = new RegExp(
    `(?<![\\w-])(?:${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})(?![\\w-])`,
  );
  return stored.filter(({ key, value }) => any.test(key) || any.test(value));
}
