import { describe, expect, test, vi } from 'vitest';
import { createAddressAnnouncements } from '../../src/accounts/address-announcements.ts';
import {
  createAddressNotifications,
  createNotifyHolders,
  createNotifyWithdrawal,
} from '../../src/notifications/notifications.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import { KINDS } from '../../src/operations/operations.ts';
import type { Jobs } from '../../src/platform/jobs.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { operationIn } from '../operations/cards.ts';
import { USER, WITHDRAWAL } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';

const OTHER = USER + 1;
const THIRD = USER + 2;
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
    ...{ addressAnnouncements, outbox: { add } },
    notifyHolders: createNotifyHolders({ links, outbox: { add } }),
  });
  const draft = { user: USER, account: ACCOUNT, address: ADDRESS, trx: '5.00' };
  const made = await addressAnnouncements.draft(draft);
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

describe('a withdrawal of a holder', () => {
  /** Opens the notifications for account holders, with an outbox that a test controls. */
  function openHolders(holders = [USER, OTHER, THIRD]) {
    const add = vi.fn<Outbox['add']>(async () => {});
    const find = vi.fn(async (_account: number) => holders);
    const notifyHolders = createNotifyHolders({ links: { holders: find }, outbox: { add } });
    return { tell: createNotifyWithdrawal({ kinds: createKinds(KINDS), notifyHolders }), add, find };
  }

  const withdrawn = operationIn('done', { request: WITHDRAWAL });

  test('is reported to the other holders with its amount and address', async () => {
    const { tell, add, find } = openHolders();
    await tell(withdrawn);
    expect(find).toHaveBeenCalledWith(ACCOUNT);
    expect(add.mock.calls.map(([notice]) => notice)).toEqual(
      [OTHER, THIRD].map((chat) => ({
        ...{ kind: 'holder-withdrawal', id: withdrawn.id, chat, account: ACCOUNT },
        data: { address: WITHDRAWAL.address, trx: WITHDRAWAL.trx },
      })),
    );
  });

  test('is reported to nobody if there is no other holder', async () => {
    const { tell, add } = openHolders([USER]);
    await tell(withdrawn);
    expect(add).not.toHaveBeenCalled();
  });

  test('can be reported again if one notification could not be stored', async () => {
    const { tell, add } = openHolders();
    add.mockRejectedValueOnce(new Error('the storage is away'));
    await expect(tell(withdrawn)).rejects.toThrow('the storage is away');
    await tell(withdrawn);
    expect(new Set(add.mock.calls.map(([{ chat, id }]) => `${chat}/${id}`)).size).toBe(2);
  });
});
