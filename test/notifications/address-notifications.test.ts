import { expect, test, vi } from 'vitest';
import { createAddressAnnouncements } from '../../src/accounts/address-announcements.ts';
import { createAddressNotifications, createNotifyHolders } from '../../src/notifications/notify-holders.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import type { Jobs } from '../../src/platform/jobs.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';

const OTHER = USER + 1;
const TEN_MINUTES = 10 * 60_000;

/** Opens the notifications about announced addresses, with jobs and an outbox that a test controls. */
async function openNews() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const addressAnnouncements = createAddressAnnouncements({ storage, records: signedRecords(storage), now });
  const every = vi.fn<Jobs['every']>();
  const add = vi.fn<Outbox['add']>(async () => {});
  const links = { holders: vi.fn(async () => [USER, OTHER]) };
  const news = createAddressNotifications({
    jobs: {
      ...{ define() {}, add: async () => {}, every, start: async () => {}, stop: async () => {} },
      overdueMs: async () => undefined,
    },
    ...{
      addressAnnouncements,
      outbox: { add },
      notifyHolders: createNotifyHolders({ links, outbox: { add } }),
    },
  });
  const made = await addressAnnouncements.draft({
    user: USER,
    account: ACCOUNT,
    address: ADDRESS,
    trx: '5.00',
  });
  if (made === undefined) throw new Error('too many addresses are waiting');
  await addressAnnouncements.add(made);
  return {
    ...{ clock, addressAnnouncements, news, made, add, links },
    look: async () => every.mock.calls[0]?.[2](),
    /** Returns each notification once, as the outbox would send it. */
    told: () => [...new Map(add.mock.calls.map(([one]) => [`${one.chat}/${one.id}`, one])).values()],
  };
}

test('notifies other holders of the address and when it becomes usable', async () => {
  const { news, made, told, clock } = await openNews();
  await news.announced(made);
  const from = clock.now + TEN_MINUTES;
  const data = { what: 'announced', id: made.id, address: ADDRESS, trx: '5.00', from };
  expect(told()).toEqual([{ kind: 'address', id: expect.any(String), chat: OTHER, account: ACCOUNT, data }]);
});

test('offers the card to its user once the address is usable', async () => {
  const { clock, made, look, add } = await openNews();
  await look();
  expect(add).not.toHaveBeenCalled();
  clock.now += TEN_MINUTES;
  for (let times = 0; times < 2; times += 1) await look();
  expect(add.mock.calls).toMatchObject([
    [{ chat: USER, account: ACCOUNT, data: { what: 'offered', id: made.id, address: ADDRESS } }],
  ]);
});

test('gives each notification its own id, which stays the same when it is repeated', async () => {
  const { clock, news, made, look, told } = await openNews();
  for (let times = 0; times < 2; times += 1) {
    await news.announced(made);
    await news.struck(made);
  }
  clock.now += TEN_MINUTES;
  await look();
  expect(told().map(({ chat, data }) => [chat, Reflect.get(data, 'what')])).toEqual([
    [OTHER, 'announced'],
    [USER, 'struck'],
    [USER, 'offered'],
  ]);
});

test('notifies again of an address that was announced anew', async () => {
  const { news, made, told } = await openNews();
  await news.announced(made);
  await news.announced({ ...made, at: made.at + 1 });
  expect(told()).toHaveLength(2);
});

test('repeats an offer that could not be stored', async () => {
  const { clock, add, look } = await openNews();
  clock.now += TEN_MINUTES;
  add.mockRejectedValueOnce(new Error('away'));
  await expect(look()).rejects.toThrow('away');
  await look();
  await look();
  expect(add).toHaveBeenCalledTimes(2);
});

test('notifies the user that another holder removed the address', async () => {
  const { news, made, told } = await openNews();
  await news.struck(made);
  expect(told()).toMatchObject([{ chat: USER, account: ACCOUNT, data: { what: 'struck' } }]);
});
