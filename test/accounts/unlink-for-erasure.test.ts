import { beforeEach, expect, test, vi } from 'vitest';
import type { EventsAfterUnlink, UnlinkAccount } from '../../src/accounts/erase-user.ts';
import { createUnlinkForErasure } from '../../src/accounts/erase-user.ts';
import { createLinks } from '../../src/accounts/links.ts';
import type { OperatorAccess } from '../../src/accounts/operator.ts';
import type { LinkChanges } from '../../src/invoices/polling.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';

const [USER, ACCOUNT, KEY] = [502, 1001, 'an-api-key-of-the-tests'];

function open() {
  const storage = createMemoryStorage();
  const records = signedRecords(storage);
  const clock = { now: 1_000 };
  const operatorAccess: OperatorAccess = {
    isCopy: () => false,
    isAllowed: () => true,
    check: vi.fn<OperatorAccess['check']>(async () => ({ kind: 'granted', apiKey: 'operators' })),
  };
  const links = createLinks({
    ...{ storage, records, operatorAccess, now: () => clock.now },
    seal: createSeal([Buffer.alloc(32, 7)]),
  });
  const { linkedAt } = links;
  const unlinkAccount = vi.fn<UnlinkAccount>(async (_link, unlink): Promise<EventsAfterUnlink> => {
    await unlink();
    return 'off';
  });
  const operatorsLeft = vi.fn(async () => undefined);
  const linkChanges: Pick<LinkChanges, 'endLink'> = {
    endLink: async (_of, end) => ({ result: await end(), unchecked: 3 }),
  };
  const leave = createUnlinkForErasure({
    links,
    unlinkAccount,
    linkChanges,
    notifyOperatorUnlinked: operatorsLeft,
  });
  const forget = (at: number | undefined) => leave({ user: USER, update: 7, linkedAt: at });
  return { storage, clock, operatorAccess, links, linkedAt, unlinkAccount, operatorsLeft, forget };
}

let setup: ReturnType<typeof open>;
beforeEach(() => {
  setup = open();
});

test('unlinks the account with the user’s API key', async () => {
  const { links, linkedAt, unlinkAccount, operatorsLeft, storage, forget } = setup;
  await links.link(USER, ACCOUNT, KEY, 'en');
  expect(await forget(await linkedAt(USER))).toEqual({ account: ACCOUNT, events: 'off', unchecked: 3 });
  const about = { user: USER, account: ACCOUNT, operators: undefined, apiKey: KEY };
  expect(unlinkAccount).toHaveBeenCalledExactlyOnceWith(about, expect.any(Function));
  expect(operatorsLeft).not.toHaveBeenCalled();
  expect(await storage.keys('')).toEqual([]);
});

test('keeps a link to any account that was made after the request', async () => {
  const { links, linkedAt, unlinkAccount, clock, forget } = setup;
  await links.link(USER, ACCOUNT, KEY, 'en');
  const meant = await linkedAt(USER);
  for (const account of [ACCOUNT, ACCOUNT + 1]) {
    clock.now += 1;
    await links.link(USER, account, KEY, 'en');
    for (const at of [meant, undefined]) expect(await forget(at)).toBe('another');
    expect(await links.holders(account)).toEqual([USER]);
  }
  expect(unlinkAccount).not.toHaveBeenCalled();
});

test('does nothing without a link, also when repeated', async () => {
  const { links, linkedAt, unlinkAccount, forget } = setup;
  expect(await forget(undefined)).toBe('none');
  await links.link(USER, ACCOUNT, KEY, 'en');
  const meant = await linkedAt(USER);
  await forget(meant);
  expect(await forget(meant)).toBe('none');
  expect(unlinkAccount).toHaveBeenCalledOnce();
});

test('notifies all admins when an admin unlinks the operator account', async () => {
  const { links, linkedAt, unlinkAccount, operatorsLeft, forget } = setup;
  await links.linkOperatorAccount(USER, ACCOUNT, 'en');
  expect(await forget(await linkedAt(USER))).toEqual({ account: ACCOUNT, events: 'off', unchecked: 3 });
  expect(operatorsLeft).toHaveBeenCalledExactlyOnceWith(USER, ACCOUNT, 7);
  expect(unlinkAccount.mock.calls[0]?.[0]).toMatchObject({ operators: true });
});

test('removes a link that is no longer valid without leaving the account', async () => {
  const { links, linkedAt, unlinkAccount, operatorAccess, storage, forget } = setup;
  await links.linkOperatorAccount(USER, ACCOUNT, 'en');
  vi.mocked(operatorAccess.check).mockResolvedValue({ kind: 'denied' });
  expect(await forget(await linkedAt(USER))).toBe('none');
  expect(unlinkAccount).not.toHaveBeenCalled();
  expect(await storage.keys('')).toEqual([]);
});
