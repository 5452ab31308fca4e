import { KEPT_KINDS, KEPT_OF_ADMINS, type KeptKind } from '../../src/accounts/kept-kinds.ts';
import { tagOf } from '../../src/storage/storage.ts';
import type { Stored } from './secrets.ts';

/**
 * What names somebody by one of these words, or by their number, and isn't among what the bot says that it keeps of who is
 * forgotten: each of theirs by a kind of their own, each of others' by a kind of others'.
 */
export function unsaidTraces(
  stored: readonly Stored[],
  { user, words, isAdmin = false }: { user: number; words: readonly string[]; isAdmin?: boolean },
): Stored[] {
  const kinds: readonly KeptKind[] = isAdmin ? [...KEPT_KINDS, KEPT_OF_ADMINS] : KEPT_KINDS;
  const [own, elsewhere] = [
    new Set(kinds.flatMap((kind) => kind.own)),
    new Set(kinds.flatMap((kind) => kind.elsewhere)),
  ];
  const isSaid = ({ key }: Stored) => {
    const [kind = ''] = key.split(':');
    return tagOf(key) === String(user) ? own.has(kind) : elsewhere.has(kind);
  };
  return traces(stored, [String(user), ...words]).filter((one) => !isSaid(one));
}

/** What holds one of these words, by itself: not within another word, a longer number, or something sealed. */
export function traces(stored: readonly Stored[], words: readonly string[]): Stored[] {
  const any = new RegExp(
    `(?<![\\w-])(?:${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})(?![\\w-])`,
  );
  return stored.filter(({ key, value }) => any.test(key) || any.test(value));
}
