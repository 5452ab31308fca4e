import { type AddressBook, nameOf } from '../accounts/address-book.ts';
import type { Links } from '../accounts/links.ts';
import { isMuted, type NotificationSettings } from '../accounts/notification-settings.ts';
import type { Kinds } from '../operations/kinds/kind.ts';
import { type Operation, type OperationRef, refOf, refOfKey } from '../operations/operation.ts';
import { rentedUntil } from '../operations/order-state.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import type { RecurringWork } from '../platform/recurring-work.ts';
import type { Storage } from '../platform/storage.ts';
import type { Outbox } from './outbox.ts';

export const REMINDERS = defineDueQueue({
  keys: 'rental-reminders',
  ref: { user: 'number', id: 'string' },
  // A reminder that is further away comes due every hour, and is rescheduled.
  longestMs: HOUR_MS,
  content: 'When each user is reminded of the end of a rental',
  expiry: 'none: a single key; due ones are removed',
});

const MIN_LEAD_MS = 10 * MINUTE_MS;
const MAX_LEAD_MS = HOUR_MS;
/** Lead as a share of the rented time. */
const LEAD_SHARE = 1 / 6;

/**
 * Returns how long before the end of a rental the reminder comes, in milliseconds: a sixth of the rented time, at least
 * ten minutes and at most an hour. So 10 minutes for 1 hour, 30 minutes for 3 hours, an hour from 6 hours on.
 */
export function reminderLeadMs(rentedHours: number): number {
  return Math.min(MAX_LEAD_MS, Math.max(MIN_LEAD_MS, rentedHours * HOUR_MS * LEAD_SHARE));
}

/** Returns what a reminder says of one rental. `delivered`: the delivered amount, if it is less than ordered. */
function partOf(operation: Operation) {
  const { order, delivered } = operation.state === 'done' ? operation.result : {};
  return { id: operation.id, request: operation.request, order, delivered };
}

const RUN_INTERVAL_MS = 10_000;
/** Time that one attempt to queue a reminder may take, in milliseconds. */
const LEASE_MS = 30_000;
const BATCH = 100;
/** Age of the oldest operation that may still rent something, in milliseconds: the longest rental, and its delivery. */
const LONGEST_RENTAL_MS = 31 * DAY_MS;
/** Maximum operations of a user that are searched for other rentals of an address. */
const MAX_SEARCHED = 100;
/** A reminder that is due within this time is sent at once: the clocks of storage and process may differ. */
const TOLERANCE_MS = 2_000;

export interface RentalRemindersDeps {
  storage: Pick<Storage, 'index'>;
  kinds: Kinds;
  notificationSettings: Pick<NotificationSettings, 'get' | 'setMuted'>;
  addressBook: Pick<AddressBook, 'get'>;
  /** Returns an operation in any state; `undefined` if it is missing or unreadable. */
  findOperation: (ref: OperationRef) => Promise<Operation | undefined>;
  /** Returns the latest operations that a user has confirmed since a time (epoch milliseconds), latest first. */
  confirmedSince: (user: number, time: number, count: number) => Promise<Operation[]>;
  links: Pick<Links, 'canFollow'>;
  outbox: Pick<Outbox, 'add'>;
  recurringWork: Pick<RecurringWork, 'every'>;
  /** Replaces the interval at which due reminders are sent, in milliseconds. */
  runIntervalMs?: number | undefined;
  now: () => number;
}

/**
 * Result of scheduling a reminder.
 *
 * - `too-late`: the rental has ended, or ends sooner than a reminder would come.
 * - `none`: the operation rents nothing, or it isn't certain that it does.
 * - `off`: the user has reminders off. Only returned if one could still be scheduled.
 */
type Scheduled = 'scheduled' | 'too-late' | 'none' | 'off';

export type RentalReminders = ReturnType<typeof createRentalReminders>;

/**
 * Creates the reminders before the end of rented energy or bandwidth. They are off until the user turns them on. The
 * queue only holds operations: when one comes due, its current end decides whether and when its user is reminded. A
 * reminder buys nothing. Call before recurring work starts.
 *
 * @example
 * await rentalReminders.turnOn(operation); // 'scheduled'
 */
export function createRentalReminders(deps: RentalRemindersDeps) {
  const {
    kinds,
    notificationSettings,
    links,
    addressBook,
    findOperation,
    confirmedSince,
    outbox,
    recurringWork,
    now,
  } = deps;
  const reminders = createDueQueue(REMINDERS, deps);

  /** Returns the end of the rental and the time of its reminder, in epoch milliseconds. */
  function timesOf(operation: Operation): { until: number; remindAt: number } | undefined {
    const kind = kinds.of(operation.request);
    const until = rentedUntil(kind, operation);
    const hours = kind.rentedHours?.(operation.request);
    if (until === undefined || hours === undefined) return undefined;
    return { until, remindAt: until - reminderLeadMs(hours) };
  }

  const isOn = async (user: number) => !isMuted(await notificationSettings.get(user), 'rentals');

  async function schedule(operation: Operation): Promise<Scheduled> {
    const times = timesOf(operation);
    if (times === undefined) return 'none';
    if (now() >= times.remindAt) return 'too-late';
    if (!(await isOn(operation.user))) return 'off';
    await reminders.scheduleIn(refOf(operation), times.remindAt - now());
    return 'scheduled';
  }

  /** Returns the running rentals of the same resource for the same address, with their ends, oldest first. */
  async function rentalsBeside(operation: Operation): Promise<{ rental: Operation; until: number }[]> {
    const { request, user } = operation;
    const { target } = kinds.of(request);
    const recent = await confirmedSince(user, now() - LONGEST_RENTAL_MS, MAX_SEARCHED);
    const all = [...recent.filter(({ id }) => id !== operation.id), operation];
    return all
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .flatMap((rental) => {
        const isSame = rental.request.kind === request.kind && target(rental.request) === target(request);
        const until = isSame ? timesOf(rental)?.until : undefined;
        return until === undefined || until <= now() ? [] : [{ rental, until }];
      });
  }

  /**
   * Queues the notification of a due reminder, or moves it: the order may have been delivered after it was accepted. It
   * names all rentals of the same address that end in the same minute.
   */
  async function remind(ref: OperationRef): Promise<void> {
    const operation = await findOperation(ref);
    const times = operation && timesOf(operation);
    if (operation && times && now() < times.until && (await isOn(ref.user))) {
      if (times.remindAt > now() + TOLERANCE_MS) return void (await schedule(operation));
      const minuteOf = (time: number) => Math.floor(time / MINUTE_MS);
      const [rentals, book] = await Promise.all([rentalsBeside(operation), addressBook.get(ref.user)]);
      const ending = rentals.filter(({ until }) => minuteOf(until) === minuteOf(times.until));
      const staying = rentals.filter(({ until }) => minuteOf(until) > minuteOf(times.until));
      const { id, request, user: chat, receipt } = ending[0]?.rental ?? operation;
      const data = {
        ...{ id, request, until: times.until, receipt: receipt.card },
        savedName: nameOf(book, kinds.of(request).target(request)),
        ending: ending.map(({ rental }) => partOf(rental)),
        staying: staying.map(({ rental, until }) => ({ ...partOf(rental), until })),
      };
      // The oldest one names the notification, so that the others' reminders don't repeat it.
      await outbox.add({ kind: 'rental-ends', id, chat, data });
      await Promise.all(ending.map(({ rental }) => reminders.remove(refOf(rental))));
    }
    await reminders.remove(ref);
  }

  recurringWork.every('rental-reminders', deps.runIntervalMs ?? RUN_INTERVAL_MS, () =>
    reminders.takeDue({ leaseMs: LEASE_MS, limit: BATCH }, remind),
  );

  return {
    /** Schedules the reminder of a purchase, or moves it to a later end, if its user has reminders on. */
    schedule,
    /**
     * Returns what a receipt says of the reminder: its time in epoch milliseconds, or `off` if the receipt offers to
     * turn reminders on. `undefined` if there is nothing to remind of, it is too late, or the user has left the account.
     */
    async onReceipt(operation: Operation): Promise<'off' | number | undefined> {
      const at = timesOf(operation)?.remindAt;
      if (at === undefined || now() >= at || !(await links.canFollow(operation))) return undefined;
      return (await isOn(operation.user)) ? at : 'off';
    },
    /** Turns reminders on for the user of a purchase, and schedules its own. Does nothing if it rents nothing. */
    async turnOn(operation: Operation): Promise<Scheduled> {
      if (timesOf(operation) === undefined) return 'none';
      await notificationSettings.setMuted(operation.user, 'rentals', false);
      return schedule(operation);
    },
    /** Turns reminders off for a user. Scheduled ones aren't sent. */
    async turnOff(user: number): Promise<void> {
      if (await isOn(user)) await notificationSettings.setMuted(user, 'rentals', true);
    },
    /** Erases the reminders of the operations among `keys`, which are all keys of a user. */
    async eraseUser(keys: readonly string[]): Promise<void> {
      const refs = keys.map(refOfKey).filter((ref) => ref !== undefined);
      await Promise.all(refs.map(reminders.remove));
    },
  };
}
