import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Notify } from './notifier.ts';
import type { Operation } from './operation.ts';
import type { Orders } from './orders.ts';
import type { RecentAttempts } from './recent-attempts.ts';
import { withStatus } from './settle.ts';
import type { OperationStore } from './store.ts';

/** Something of a list of the service, by the numbering of its kind. */
export interface ListedName {
  account: number;
  numbering: string;
  order: number;
}

/**
 * The service's list was read, for whatever reason: whose operation made this learns how it stands there. Answers its
 * user; `undefined` where nobody made it through the bot, and `perhaps` where somebody may have, whose outcome isn't known yet.
 */
export type NoteListed = (
  name: ListedName,
  standing: Pick<Result, 'status' | 'txHash'>,
) => Promise<number | 'perhaps' | undefined>;

export function createNoteListed(deps: {
  kinds: Kinds;
  orders: Pick<Orders, 'ownerOf'>;
  recentAttempts: Pick<RecentAttempts, 'unresolvedOf'>;
  store: Pick<OperationStore, 'change'>;
  notify: Notify;
}): NoteListed {
  const { kinds, orders, recentAttempts, store, notify } = deps;
  return async (name, standing) => {
    // Before it is asked whose it is: what is settled in between is theirs by then.
    const open = await recentAttempts.unresolvedOf(name.account);
    const owner = await orders.ownerOf(name);
    const isLike = ({ request }: Operation) => kinds.of(request).numbering === name.numbering;
    if (owner === undefined) return open.some(isLike) ? 'perhaps' : undefined;
    // What has ended stays so: an answer that was long on its way takes nothing back.
    const changed = await store.change(owner, (present) =>
      present.result?.order === name.order && present.result.status === 'pending'
        ? withStatus(present, standing)
        : undefined,
    );
    // Also where it knew that before: its user may not, where the one who wrote it ended over it.
    await notify(changed ?? owner);
    return owner.user;
  };
}
