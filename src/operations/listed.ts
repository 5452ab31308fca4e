import type { Result } from './kinds/kind.ts';
import type { Notify } from './notifier.ts';
import type { Orders } from './orders.ts';
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
 * user; `undefined` where nobody made it through the bot, as far as is known by now.
 */
export type NoteListed = (
  name: ListedName,
  standing: Pick<Result, 'status' | 'txHash'>,
) => Promise<number | undefined>;

export function createNoteListed(deps: {
  orders: Pick<Orders, 'ownerOf'>;
  store: Pick<OperationStore, 'change'>;
  notify: Notify;
}): NoteListed {
  const { orders, store, notify } = deps;
  return async (name, standing) => {
    const owner = await orders.ownerOf(name);
    if (owner === undefined) return undefined;
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
