import type { AddressBook } from '../accounts/address-book.ts';
import type { AnnouncedAddresses } from '../accounts/announced-addresses.ts';
import type { Log } from '../log.ts';
import type { Kinds } from './kinds/kinds.ts';
import { isUncertain, type Operation } from './operation.ts';
import type { OperationStore, Stored } from './store.ts';

/**
 * Has those told whom it concerns besides its user: everybody else who holds the account that money may have left, or who
 * takes care of what was made. Answers whether that is still to do: the operation says so itself until it is done, and is
 * looked at again.
 */
export type Announce = (stored: Stored) => Promise<{ stored: Stored; isDue: boolean }>;

export function createAnnounce(deps: {
  store: OperationStore;
  kinds: Kinds;
  announced: Pick<AnnouncedAddresses, 'use'>;
  addressBook: Pick<AddressBook, 'remember'>;
  /** Who has unlinked the account, or was forgotten, while it was under way keeps no address of it. */
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Has them told, durably. */
  tell: (operation: Operation) => Promise<unknown>;
  log: Log;
}): Announce {
  const { store, kinds, announced, addressBook, tell, log } = deps;

  /** Where money went is known from now on, and not for having been on a card. */
  async function learn({ user, account, request, warnings, state }: Operation): Promise<void> {
    const kind = kinds.of(request);
    if (kind.takesOut === undefined || (await deps.apiKey(user, account)) === undefined) return;
    const address = kind.target(request);
    await announced.use({ user, account, address });
    // What may be a trap is never offered by a button.
    if (warnings?.lookalike !== undefined) return;
    // An unknown outcome proves no withdrawal.
    const withdrawnFrom = state === 'done' ? account : undefined;
    await addressBook.remember(user, address, { withdrawnFrom });
  }

  return async (stored) => {
    const { operation } = stored;
    const hasLeft = operation.state === 'done' || isUncertain(operation);
    if (operation.untold !== true || !hasLeft) return { stored, isDue: false };
    try {
      await learn(operation);
      await tell(operation);
      const told = await store.change(stored, ({ untold: _, ...present }) => present);
      return { stored: told ?? stored, isDue: false };
    } catch (err) {
      log.warn({ err, operation: operation.id }, 'those whom it concerns could not be told yet');
      return { stored, isDue: true };
    }
  };
}
