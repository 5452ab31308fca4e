import { isSince, type LookedBefore, unknownOf } from '../look.ts';

interface WithStatus {
  id?: number | undefined;
  status: string;
  created_at?: string | undefined;
}

/**
 * What is news of a list whose items go from one status to another, under names that tell item and status: what was pending
 * and is done is news once more.
 */
export function newsByStatus<Item extends WithStatus>(
  items: readonly Item[],
  {
    identityOf,
    isNamed = () => true,
    statuses,
  }: {
    identityOf: (item: Item) => string;
    /** Of those that tell nothing but a status, one may be any other. */
    isNamed?: (item: Item) => boolean;
    /** What people are told; of others nobody knows what they mean. */
    statuses: readonly string[];
  },
  before: LookedBefore,
): { known: string[]; news: { name: string; item: Item }[] } {
  const nameOf = (item: Item) => `${identityOf(item)}:${item.status}`;
  const { known, fresh } = unknownOf(items, nameOf, before.known);
  // One from before the link that was seen to be on its way is followed to its end.
  const wasSeen = (item: Item) =>
    before.known?.some((name) => name.startsWith(`${identityOf(item)}:`)) === true;
  // What is over is not on its way again, whatever an older answer says.
  const isOld = (item: Item) => isNamed(item) && item.status === 'pending' && wasSeen(item);
  const news = fresh.filter(
    ({ item }) => statuses.includes(item.status) && !isOld(item) && (isSince(item, before) || wasSeen(item)),
  );
  return { known, news };
}
