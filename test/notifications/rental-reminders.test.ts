import { expect, test, vi } from 'vitest';
import { createAddressBook } from '../../src/accounts/address-book.ts';
import { createNotificationSettings } from '../../src/accounts/notification-settings.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import {
  createRentalReminders,
  REMINDERS,
  reminderLeadMs,
} from '../../src/notifications/rental-reminders.ts';
import { createDueQueue } from '../../src/platform/due-queue.ts';
import {
  ACTIVATION,
  BANDWIDTH,
  CARD,
  ENERGY,
  FILLED,
  START,
  setUpOperations,
  USER,
} from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { OTHER_ADDRESS } from '../rental-api/fixture.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { keysTagged } from '../support/tagged.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Opens reminders of the user's purchases, with an outbox that a test controls. */
async function openReminders({ isOn = true } = {}) {
  const setup = setUpOperations();
  const { storage, kinds, clock } = setup;
  const notificationSettings = createNotificationSettings({ records: signedRecords(storage) });
  if (isOn) await notificationSettings.setMuted(USER, 'rentals', false);
  const addressBook = createAddressBook({ records: signedRecords(storage) });
  const add = vi.fn<Outbox['add']>(async () => {});
  let run = async () => {};
  const canFollow = vi.fn(async () => true);
  const reminders = createRentalReminders({
    ...{ storage, kinds, notificationSettings, addressBook, now: () => clock.now },
    links: { canFollow },
    findOperation: setup.find,
    confirmedSince: setup.operations.history.since,
    outbox: { add },
    recurringWork: {
      every(_name, _intervalMs, work) {
        run = work;
      },
    },
  });
  setup.show.mockImplementation(async (operation) => {
    await reminders.schedule(operation);
    return { kind: 'shown', card: CARD };
  });
  const queue = createDueQueue(REMINDERS, { storage });
  return {
    ...{ ...setup, reminders, notificationSettings, addressBook, add, canFollow },
    scheduled: () => queue.scheduled(10),
    /** Runs the work every hour, as the longest delay of the queue asks for, and once at the end. */
    async pass(ms: number) {
      for (let leftMs = ms; leftMs > 0; leftMs -= HOUR) {
        clock.now += Math.min(leftMs, HOUR);
        await run();
      }
    },
  };
}

test.each([
  [1, 10],
  [2, 20],
  [3, 30],
  [6, 60],
  [24, 60],
  [720, 60],
])('the reminder of %i hours comes %i minutes before their end', (hours, minutes) => {
  expect(reminderLeadMs(hours)).toBe(minutes * MINUTE);
});

test.each([false, true])('a receipt offers no reminder once its account was left; on: %s', async (isOn) => {
  const { outcome, reminders, notificationSettings, canFollow } = await openReminders();
  await notificationSettings.setMuted(USER, 'rentals', !isOn);
  const operation = await outcome();
  expect(await reminders.onReceipt(operation)).toEqual(isOn ? expect.any(Number) : 'off');
  canFollow.mockResolvedValue(false);
  expect(await reminders.onReceipt(operation)).toBeUndefined();
});

test.each([
  ['energy for an hour', ENERGY, 50 * MINUTE],
  ['bandwidth for a day', BANDWIDTH, 23 * HOUR],
])('queues the reminder of %s once', async (_name, request, afterMs) => {
  const { executed, pass, add, scheduled, clock } = await openReminders();
  const end = clock.now + request.duration_hours * HOUR;
  const { id } = await executed({ request });
  await pass(afterMs - 1_000);
  expect(add).not.toHaveBeenCalled();
  await pass(1_000);
  const ending = [{ id, request, order: 7, delivered: undefined }];
  const data = { id, request, until: end, receipt: CARD, ending, staying: [] };
  expect(add.mock.calls).toEqual([[{ kind: 'rental-ends', id, chat: USER, data }]]);
  await pass(HOUR);
  expect(add).toHaveBeenCalledOnce();
  expect(await scheduled()).toEqual([]);
});

test('reminds by the name under which the user saved the address', async () => {
  const { executed, pass, add, addressBook } = await openReminders();
  await addressBook.setName(USER, ENERGY.address, 'Hot wallet');
  await executed();
  await pass(50 * MINUTE);
  const data = expect.objectContaining({ savedName: 'Hot wallet' });
  expect(add.mock.calls).toEqual([[expect.objectContaining({ data })]]);
});

test('reminds of the amount that was delivered, counted from its delivery', async () => {
  const { executed, pass, add, clock, operations } = await openReminders();
  const start = clock.now;
  await executed();
  clock.now += 5 * MINUTE;
  await operations.settlement.report(ACCOUNT, { ...FILLED, at: clock.now, amount: 32_500 });
  await pass(50 * MINUTE);
  const ending = [expect.objectContaining({ delivered: 32_500 })];
  const data = expect.objectContaining({ ending, until: start + HOUR + 5 * MINUTE });
  expect(add.mock.calls).toEqual([[expect.objectContaining({ data })]]);
});

test('queues one reminder for all rentals of an address that end in a minute, with those that stay', async () => {
  const { executed, pass, add, clock, scheduled } = await openReminders();
  const elsewhere = await executed({ request: { ...ENERGY, address: OTHER_ADDRESS } });
  const first = await executed();
  clock.now += 20_000;
  const second = await executed();
  clock.now += 2 * MINUTE;
  const later = await executed();
  await pass(51 * MINUTE);
  const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  const sent = add.mock.calls.map(([{ id, data }]) => {
    const { ending, staying } = data as Record<'ending' | 'staying', { id: string }[]>;
    return [id, idsOf(ending), idsOf(staying)];
  });
  // The outbox sends a notification once, even if it is added twice.
  expect(new Set(sent.map(([id]) => id)).size).toBe(3);
  expect(sent).toContainEqual([elsewhere.id, [elsewhere.id], []]);
  expect(sent).toContainEqual([first.id, [first.id, second.id], [later.id]]);
  expect(sent).toContainEqual([later.id, [later.id], []]);
  expect(await scheduled()).toEqual([]);
});

test('queues a reminder again with the same id if the process ended before it was removed', async () => {
  const { executed, pass, add, storage, scheduled } = await openReminders();
  const { id } = await executed();
  vi.spyOn(storage.index, 'remove').mockRejectedValueOnce(new Error('the process ended'));
  await expect(pass(51 * MINUTE)).rejects.toThrow('the process ended');
  await pass(MINUTE);
  expect(add.mock.calls.map(([notification]) => notification.id)).toEqual([id, id]);
  expect(await scheduled()).toEqual([]);
});

test('tries again if the outbox cannot store the notification', async () => {
  const { executed, pass, add } = await openReminders();
  await executed();
  add.mockRejectedValueOnce(new Error('unreachable'));
  await expect(pass(51 * MINUTE)).rejects.toThrow('unreachable');
  await pass(MINUTE);
  expect(add).toHaveBeenCalledTimes(2);
});

test('moves when it comes due if the order was delivered after it was scheduled', async () => {
  const { executed, pass, add, operations, show } = await openReminders();
  await executed();
  show.mockImplementation(async () => ({ kind: 'shown', card: CARD }));
  await pass(30 * MINUTE);
  await operations.settlement.report(ACCOUNT, { ...FILLED, at: START + 30 * MINUTE });
  await pass(21 * MINUTE);
  expect(add).not.toHaveBeenCalled();
  await pass(29 * MINUTE);
  expect(add).toHaveBeenCalledWith(
    expect.objectContaining({ data: expect.objectContaining({ until: START + 90 * MINUTE }) }),
  );
});

test('is not sent after the end', async () => {
  const { executed, pass, add, scheduled } = await openReminders();
  await executed();
  await pass(HOUR);
  expect(add).not.toHaveBeenCalled();
  expect(await scheduled()).toEqual([]);
});

test('is not scheduled while reminders are off, nor sent after they were turned off', async () => {
  const off = await openReminders({ isOn: false });
  await off.executed();
  expect(await off.scheduled()).toEqual([]);
  const { executed, pass, add, reminders, scheduled } = await openReminders();
  await executed();
  await reminders.turnOff(USER);
  await pass(51 * MINUTE);
  expect(add).not.toHaveBeenCalled();
  expect(await scheduled()).toEqual([]);
});

test('stores no settings of a user who turns off what is off', async () => {
  const { reminders, storage } = await openReminders({ isOn: false });
  await reminders.turnOff(USER);
  expect(await storedKeys(storage, 'notification-settings:')).toEqual([]);
});

test('is not scheduled for an unresolved purchase, nor for an operation that rents nothing', async () => {
  const { lost, executed, reminders, read, scheduled } = await openReminders();
  const unresolved = await read(await lost());
  expect(await reminders.schedule(unresolved)).toBe('none');
  expect(await reminders.turnOn(unresolved)).toBe('none');
  await executed({ request: ACTIVATION });
  expect(await scheduled()).toEqual([]);
});

test('erases the reminders of a user', async () => {
  const { executed, reminders, storage, scheduled } = await openReminders();
  await executed();
  expect(await scheduled()).toHaveLength(1);
  await reminders.eraseUser(await keysTagged(storage, USER));
  expect(await scheduled()).toEqual([]);
});
