import {
  ADDRESS_WAIT_MS,
  type AddressAnnouncement,
  type AddressAnnouncements,
} from '../accounts/address-announcements.ts';
import type { Links } from '../accounts/links.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { NotificationContent } from './kinds.ts';
import type { Outbox } from './outbox.ts';

/**
 * Notifies all holders of an account, except those that `except` selects. `id` identifies the notification within its
 * kind; repeated calls notify each holder once.
 */
export type NotifyHolders = (
  account: number,
  notification: NotificationContent,
  options?: { except: (user: number) => boolean },
) => Promise<unknown>;

export function createNotifyHolders(deps: {
  links: Pick<Links, 'holders'>;
  outbox: Pick<Outbox, 'add'>;
}): NotifyHolders {
  return async (account, notification, { except } = { except: () => false }) => {
    const holders = (await deps.links.holders(account)).filter((user) => !except(user));
    await Promise.all(holders.map((chat) => deps.outbox.add({ ...notification, chat, account })));
  };
}

const JOB_NAME = 'address-announcements';
const RUN_INTERVAL_MS = 10_000;
const BATCH = 100;

interface AddressNotifications {
  /** Notifies the other holders of the account that a user wants to withdraw to a new address. */
  announced(announcement: AddressAnnouncement): Promise<unknown>;
  /** Notifies the user who announced an address that another holder has removed it. */
  struck(announcement: AddressAnnouncement): Promise<unknown>;
}

/**
 * Creates notifications about withdrawal addresses of accounts without 2FA. When the waiting period of an address ends,
 * the user who announced it is offered the withdrawal card. Call before jobs start.
 */
export function createAddressNotifications(deps: {
  jobs: Jobs;
  addressAnnouncements: Pick<AddressAnnouncements, 'due' | 'dequeue'>;
  outbox: Pick<Outbox, 'add'>;
  notifyHolders: NotifyHolders;
  /** Replaces the interval at which ended waiting periods are read, in milliseconds. */
  runIntervalMs?: number | undefined;
}): AddressNotifications {
  const { jobs, addressAnnouncements, outbox, notifyHolders, runIntervalMs = RUN_INTERVAL_MS } = deps;

  const notificationOf = (
    what: 'announced' | 'struck' | 'offered',
    { id, address, trx, at }: AddressAnnouncement,
  ) =>
    ({
      kind: 'address',
      // An unused address can be announced again, which needs a new notification.
      id: `${what}:${id}:${at}`,
      data: { what, id, address, trx, from: at + ADDRESS_WAIT_MS },
    }) as const;

  const notifyAnnouncer = (what: 'struck' | 'offered', announcement: AddressAnnouncement) =>
    outbox.add({
      ...notificationOf(what, announcement),
      chat: announcement.user,
      account: announcement.account,
    });

  jobs.every(JOB_NAME, runIntervalMs, async () => {
    for (;;) {
      const due = await addressAnnouncements.due(BATCH);
      await Promise.all(
        due.map(async (announcement) => {
          await notifyAnnouncer('offered', announcement);
          await addressAnnouncements.dequeue(announcement);
        }),
      );
      if (due.length < BATCH) return;
    }
  });

  return {
    announced: (announcement) =>
      notifyHolders(announcement.account, notificationOf('announced', announcement), {
        except: (user) => user === announcement.user,
      }),
    struck: (announcement) => notifyAnnouncer('struck', announcement),
  };
}

/** Creates a function that notifies the other holders of an account of a withdrawal that one of them made. */
export function createNotifyWithdrawal(deps: { kinds: Kinds; notifyHolders: NotifyHolders }) {
  const { kinds, notifyHolders } = deps;
  return async ({ user, id, account, request }: Operation): Promise<void> => {
    const address = kinds.of(request).target(request);
    const data = { address, trx: String('trx' in request ? request.trx : '') };
    await notifyHolders(
      account,
      { kind: 'holder-withdrawal', id, data },
      { except: (holder) => holder === user },
    );
  };
}
