import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createUnlinkAccount,
  createUnlinkForErasure,
  type UnlinkAccount,
} from '../../src/accounts/erase-user.ts';
import { createLinks } from '../../src/accounts/links.ts';
import type { TurnOffResult } from '../../src/accounts/webhook-subscriptions.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

const [USER, OTHER, ACCOUNT, KEY] = [502, 503, 1001, 'an-api-key-of-the-tests'];

describe('unlinking an account', () => {
  const done: string[] = [];
  let holders: number[];
  let isActive: boolean;
  const owns = vi.fn<(account: number) => Promise<boolean | undefined>>();
  const turnOff = vi.fn<() => Promise<TurnOffResult>>();
  const forgetNoticesOf = vi.fn(async () => {});
  const unlinkAccount = createUnlinkAccount({
    links: { holders: async () => holders },
    webhookSubscriptions: {
      isActive: async () => isActive,
      deactivate: async () => {
        done.push('deactivated');
        isActive = false;
      },
    },
    webhookSwitch: { turnOff },
    operator: { owns },
    addressAnnouncements: { forgetNoticesOf },
  });
  const endLink = async () => {
    done.push('unlinked');
    holders = holders.filter((user) => user !== USER);
  };
  const unlink = (more: Partial<Parameters<UnlinkAccount>[0]> = {}, end = endLink) =>
    unlinkAccount({ user: USER, account: ACCOUNT, apiKey: KEY, ...more }, end);

  beforeEach(() => {
    done.length = 0;
    holders = [USER];
    isActive = true;
    owns.mockReset().mockResolvedValue(false);
    turnOff.mockReset().mockImplementation(async () => {
      done.push('turned off');
      isActive = false;
      return { kind: 'off' };
    });
  });

  test('removes the webhook URL with the last link, before its key is erased', async () => {
    expect(await unlink()).toBe('off');
    expect(done).toEqual(['turned off', 'unlinked']);
    expect(turnOff).toHaveBeenCalledExactlyOnceWith({ account: ACCOUNT, apiKey: KEY });
  });

  test('removes only the link of a reference to the operator account, even if its id is unknown', async () => {
    owns.mockResolvedValue(undefined);
    expect(await unlink({ usesOperatorAccount: true })).toBe('unchanged');
    expect(done).toEqual(['unlinked']);
  });

  test.each<[string, { holders?: number[]; isActive?: boolean; isOperators?: boolean }]>([
    ['another user holds the account', { holders: [OTHER, USER] }],
    ['events are not active here, so the URL at the service is not ours', { isActive: false }],
    ['it is the operator’s, whose events do not depend on links', { isOperators: true }],
  ])('removes only the link if %s', async (_, { isOperators = false, ...present }) => {
    ({ holders = [USER], isActive = true } = present);
    owns.mockResolvedValue(isOperators);
    expect(await unlink()).toBe('unchanged');
    expect(done).toEqual(['unlinked']);
  });

  test.each<[string, TurnOffResult]>([
    ['rejects the request', { kind: 'possibly-on', failure: { kind: 'refused', reason: 'no' } }],
    ['does not respond', { kind: 'possibly-on', failure: { kind: 'unclear' } }],
    ['is busy with another change', { kind: 'busy' }],
  ])('deactivates the webhook and removes the link if the service %s', async (_, outcome) => {
    turnOff.mockResolvedValue(outcome);
    expect(await unlink()).toBe('possibly-on');
    expect(done).toEqual(['deactivated', 'unlinked']);
  });

  test('leaves the URL at the service if the API key cannot be decrypted', async () => {
    expect(await unlink({ apiKey: undefined })).toBe('possibly-on');
    expect(turnOff).not.toHaveBeenCalled();
    expect(done).toEqual(['deactivated', 'unlinked']);
  });

  test('removes the link even if the service does not return the operator account', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    owns.mockReturnValue(new Promise(() => {}));
    const unlinked = unlink();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await unlinked).toBe('off');
  });

  test('removes the URL if the other holder unlinks at the same time', async () => {
    holders = [OTHER, USER];
    const endBoth = async () => {
      await endLink();
      holders = [];
    };
    expect(await unlink({}, endBoth)).toBe('off');
    expect(done).toEqual(['unlinked', 'turned off']);
  });

  test('passes the time limit on', async () => {
    await unlink({ timeoutMs: 2_000 });
    expect(turnOff).toHaveBeenCalledWith({ account: ACCOUNT, apiKey: KEY, timeoutMs: 2_000 });
  });
});

describe('unlinking the account of a user whose data is erased', () => {
  function open() {
    const storage = createMemoryStorage();
    const clock = { now: 1_000 };
    const admins = new Set([USER]);
    const operator = { account: async () => ACCOUNT, knownAccount: () => undefined, isKey: () => false };
    const links = createLinks({
      ...{ storage, operator, operatorKey: 'the-key-of-the-operator' },
      records: signedRecords(storage),
      seal: createSeal([Buffer.alloc(32, 7)]),
      isAdmin: (user) => admins.has(user),
      now: () => clock.now,
    });
    const unlinkAccount = vi.fn<UnlinkAccount>(async (_link, unlink) => {
      await unlink();
      return 'off';
    });
    const notifyOperatorUnlinked = vi.fn(async () => undefined);
    const unlink = createUnlinkForErasure({
      ...{ links, unlinkAccount, notifyOperatorUnlinked },
      linkChanges: { endLink: async (_of, end) => ({ result: await end(), unchecked: 3 }) },
    });
    /** Unlinks upon a request that was made when the user had the link from `linkedAt`. */
    const unlinkSince = (linkedAt: number | undefined) => unlink({ user: USER, update: 7, linkedAt });
    return { storage, clock, admins, links, unlinkAccount, notifyOperatorUnlinked, unlinkSince };
  }
  const UNLINKED = { account: ACCOUNT, events: 'off', unchecked: 3 };

  test('uses the user’s API key', async () => {
    const { links, unlinkAccount, notifyOperatorUnlinked, storage, unlinkSince } = open();
    await links.link(USER, ACCOUNT, KEY, 'en');
    expect(await unlinkSince(1_000)).toEqual(UNLINKED);
    const link = { user: USER, account: ACCOUNT, usesOperatorAccount: undefined, apiKey: KEY };
    expect(unlinkAccount.mock.calls).toEqual([[link, expect.any(Function)]]);
    expect(notifyOperatorUnlinked).not.toHaveBeenCalled();
    for (const prefix of ['link', 'holders']) expect(await storedKeys(storage, prefix)).toEqual([]);
  });

  test('keeps a link to any account that was made after the request', async () => {
    const { links, unlinkAccount, clock, unlinkSince } = open();
    for (const account of [ACCOUNT, ACCOUNT + 1]) {
      clock.now += 1;
      await links.link(USER, account, KEY, 'en');
      for (const linkedAt of [1_000, undefined]) expect(await unlinkSince(linkedAt)).toBe('another');
      expect(await links.holders(account)).toEqual([USER]);
    }
    expect(unlinkAccount).not.toHaveBeenCalled();
  });

  test('does nothing without a link, also when repeated', async () => {
    const { links, unlinkAccount, unlinkSince } = open();
    expect(await unlinkSince(undefined)).toBe('none');
    await links.link(USER, ACCOUNT, KEY, 'en');
    await unlinkSince(1_000);
    expect(await unlinkSince(1_000)).toBe('none');
    expect(unlinkAccount).toHaveBeenCalledOnce();
  });

  test('notifies all admins when an admin unlinks the operator account', async () => {
    const { links, unlinkAccount, notifyOperatorUnlinked, unlinkSince } = open();
    await links.linkOperatorAccount(USER, ACCOUNT, 'en');
    expect(await unlinkSince(1_000)).toEqual({ ...UNLINKED, usesOperatorAccount: true });
    expect(notifyOperatorUnlinked).toHaveBeenCalledExactlyOnceWith(USER, ACCOUNT, 7);
    expect(unlinkAccount.mock.calls[0]?.[0]).toMatchObject({ usesOperatorAccount: true });
  });

  test('removes a link that is no longer usable without requests about its account', async () => {
    const { links, unlinkAccount, admins, storage, unlinkSince } = open();
    await links.linkOperatorAccount(USER, ACCOUNT, 'en');
    admins.clear();
    expect(await unlinkSince(1_000)).toBe('none');
    expect(unlinkAccount).not.toHaveBeenCalled();
    for (const prefix of ['link', 'holders']) expect(await storedKeys(storage, prefix)).toEqual([]);
  });
});
