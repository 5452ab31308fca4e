import { describe, expect, vi } from 'vitest';
import type { AllFeatureDeps } from '../../src/features/features.ts';
import { formatAmount, LANGUAGES, type Language } from '../../src/i18n/texts.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS, API_KEY, accepted, OFFLINE, profileOf } from '../operations/rental-stand-in.ts';
import { NO_OPERATOR } from '../support/no-operator.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { OPERATOR_ACCOUNT, OPERATOR_KEY, OTHER_ADDRESS, openChat, testWith } from './chat.ts';

/** Opens the chat of an admin or another user. The service knows only the operator account. */
async function openOperated({
  admin = true,
  language = 'en' as Language,
  ...more
}: Partial<AllFeatureDeps> & { admin?: boolean; language?: Language } = {}) {
  const chat = await openChat(language, { linked: false, admins: new Set(admin ? [USER] : []), ...more });
  chat.setup.rental.profile.mockResolvedValue(profileOf('500.00', OPERATOR_ACCOUNT));
  const operatorAccountChanged = vi.spyOn(chat.deps.adminAlerts, 'operatorAccountChanged');
  const operatorKeySent = vi.spyOn(chat.deps.adminAlerts, 'operatorKeySent');
  return {
    ...chat,
    operatorAccountChanged,
    operatorKeySent,
    changes: () => operatorAccountChanged.mock.calls.map(([, data]) => data.what),
    /** Returns the logged actions, sorted because they have the same time. */
    loggedActions: async () =>
      (await chat.deps.adminLog.latest(10)).map(({ action: act, about }) => `${act} ${about}`).toSorted(),
  };
}

const test = testWith(() => openOperated());

describe('the operator screen', () => {
  test.each(LANGUAGES)('shows the account, balance, limits and linked admins in %s', async (language) => {
    const chat = await openOperated({ language });
    await chat.tap('operator:link');
    await chat.deps.operatorLimits.setAlert('50.00');
    await chat.write('/operator');
    const amounts = ['500.00', '100.00', '0.00', '50.00'].map((amount) => formatAmount(amount, language));
    for (const part of ['1000', ...amounts, String(USER)]) expect(chat.html()).toContain(part);
    expect(chat.data()).toEqual([
      'account:unlink',
      'operator:cap',
      'operator:alert',
      'reports:operator',
      'operator:open',
      'menu:admin',
      'menu:open',
    ]);
    expectWithinLimits(chat.last());
  });

  test('says what is missing without a key or a response of the service', async () => {
    const keyless = await openOperated({ operatorKey: undefined });
    await keyless.expectReply('/operator', 'RENTAL_API_KEY');
    const away = await openOperated({ operator: NO_OPERATOR });
    await away.expectReply('/operator', away.words.html('operator-unreachable'));
    await away.tap('operator:link');
    expect(away.html()).toBe(away.words.html('operator-unreachable'));
    expect(await away.links.find(USER)).toBeUndefined();
  });

  test('is shown even if the balance cannot be read', async ({ chat }) => {
    chat.setup.rental.profile.mockResolvedValue(OFFLINE);
    await chat.expectReply('/operator', 'Balance: unavailable');
    expect(chat.html()).not.toContain('RENTAL_API_KEY');
  });

  test.each(LANGUAGES)('says in %s that the service refuses the key', async (language) => {
    const chat = await openOperated({ language });
    await chat.tap('operator:link');
    chat.setup.rental.profile.mockResolvedValue({
      ...{ kind: 'rejected', status: 401, code: 'UNAUTHORIZED', message: 'no such key' },
    });
    await chat.write('/operator');
    const why = chat.words.html('account-key-refused', { tail: 'operators' });
    chat.shows(chat.words.html('operation-no-balance'), why);
  });
});

test('logs and notifies of linking, unlinking and changed limits', async ({ chat }) => {
  await chat.input('operator:link', 'operator:link', 'operator:cap');
  await chat.expectReply('12,5', 'of 12.50 TRX');
  await chat.input('operator:alert', '40', 'account:unlink-yes');
  expect(chat.changes()).toEqual(['linked', 'cap', 'alert', 'unlinked']);
  expect(chat.operatorAccountChanged.mock.calls.map(([, , but]) => but?.except)).toEqual([
    undefined,
    USER,
    USER,
    undefined,
  ]);
  expect(await chat.loggedActions()).toEqual([
    'operator-alert 0 → 40.00 TRX',
    'operator-cap 100.00 → 12.50 TRX',
    'operator-linked 1000',
    'operator-unlinked 1000',
  ]);
  expect(await chat.deps.operatorLimits.get()).toEqual({ dailyCap: '12.50', alertBelow: '40.00' });
});

test('unlinking does not end the news of what was bought from the operator account', async () => {
  const chat = await openChat('en', { admins: new Set([USER]) });
  const { setup, links } = chat;
  const lost = await setup.lost();
  await setup.store.change(lost, (present) => ({
    ...present,
    account: OPERATOR_ACCOUNT,
    usesOperatorAccount: true,
  }));
  expect(await setup.read(lost)).toMatchObject({ state: 'unknown', usesOperatorAccount: true });
  await links.unlink(USER);
  await links.linkOperatorAccount(USER, OPERATOR_ACCOUNT, 'en');
  await chat.expectReply('account:unlink', 'Unlink the operator account?');
  expect(chat.html()).not.toContain("aren't finished");
  await chat.tap('account:unlink-yes');
  expect(chat.allHtml()).toContain('Operator account unlinked');
  const unlinked = chat.views().find(({ html }) => html.includes('Operator account unlinked'));
  expect(JSON.stringify(unlinked)).toContain('operator:open');
  expect(chat.allHtml()).not.toContain("isn't linked here any more");
});

test('turns the alerts of the operator account on once', async ({ chat }) => {
  const { configureWebhook } = chat.setup.rental;
  configureWebhook.mockImplementation(async (_key, { url }) =>
    accepted({ url, secret: 'whsec_0123456789abcdef', active: true, created_at: undefined }),
  );
  await chat.input('reports:operator-on', 'reports:operator-on');
  expect(configureWebhook).toHaveBeenCalledOnce();
  chat.shows('Instant alerts are already on');
});

describe('a key of the operator account', () => {
  test('is linked to an admin as a reference, even if it is not the configured key', async () => {
    for (const key of [OPERATOR_KEY, 'a-second-key-of-it']) {
      const chat = await openOperated();
      await chat.tap('link:open');
      expect(chat.data()).toContain('operator:link');
      await chat.write(key);
      expect(await chat.links.find(USER)).toMatchObject({ usesOperatorAccount: true, tail: '' });
      expect(chat.operatorKeySent).not.toHaveBeenCalled();
      expect(chat.changes()).toEqual(['linked']);
    }
  });

  test('is rejected from other users, and the admins are notified', async () => {
    for (const key of [OPERATOR_KEY, `my key ${OPERATOR_KEY}`, 'a-second-key-of-it']) {
      const chat = await openOperated({ admin: false });
      await chat.tap('link:open');
      expect(chat.data()).not.toContain('operator:link');
      await chat.write(key);
      expect(chat.html()).toBe(chat.words.html('link-not-here'));
      expect(chat.payloads('deleteMessage')).not.toEqual([]);
      expect(await chat.links.find(USER)).toBeUndefined();
      expect(chat.operatorKeySent).toHaveBeenCalledWith(USER);
    }
  });

  test.each([
    `my key: ${OPERATOR_KEY}.`,
    `RENTAL_API_KEY="${OPERATOR_KEY}"`,
    `/link ${OPERATOR_KEY}`,
    `/start ${OPERATOR_KEY}`,
    `is it ${OPERATOR_KEY}?`,
  ])('is deleted, rejected and reported to admins if unrequested: %s', async (text) => {
    const chat = await openOperated({ admin: false });
    await chat.write(text);
    expect(chat.payloads('deleteMessage')).not.toEqual([]);
    expect(chat.html()).toBe(chat.words.html('secret-not-here'));
    expect(chat.operatorKeySent).toHaveBeenCalledExactlyOnceWith(USER);
  });

  test('sent unrequested by an admin is deleted without a notification', async ({ chat }) => {
    await chat.write(OPERATOR_KEY);
    expect(chat.payloads('deleteMessage')).not.toEqual([]);
    expect(chat.html()).toContain(chat.words.plain('button-link'));
    expect(chat.operatorKeySent).not.toHaveBeenCalled();
    expect(await chat.links.find(USER)).toBeUndefined();
  });

  test('is reported and not linked even if its message cannot be deleted', async () => {
    const chat = await openOperated({ admin: false });
    await chat.tap('link:open');
    chat.trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
    await chat.write(OPERATOR_KEY);
    expect(chat.allHtml()).toContain(chat.words.html('link-delete-failed'));
    expect(chat.operatorKeySent).toHaveBeenCalledWith(USER);
  });
});

test('a copied operator key is rejected for other users until they link another key', async () => {
  const chat = await openOperated({ admin: false });
  await chat.links.link(USER, OPERATOR_ACCOUNT, OPERATOR_KEY, 'en');
  for (const text of ['/start', '/account', '/buy']) {
    await chat.write(text);
    expect(chat.html(), text).toContain(chat.words.html('operator-void'));
  }
  chat.setProfile('5.00');
  await chat.input('link:open', API_KEY, '/start');
  expect(chat.html()).not.toContain(chat.words.html('operator-void'));
});

test('withdrawals from the operator account are rejected everywhere, even on earlier cards', async () => {
  const chat = await openOperated();
  const { operator } = chat.deps;
  const known = { ...operator };
  Object.assign(operator, NO_OPERATOR);
  const { value } = profileOf('500.00', OPERATOR_ACCOUNT);
  chat.setup.rental.profile.mockResolvedValue(accepted({ ...value, totp_enabled: true }));
  await chat.links.link(USER, OPERATOR_ACCOUNT, API_KEY, 'en');
  for (const text of ['/withdraw', '12.5', OTHER_ADDRESS]) await chat.write(text);
  const confirm = chat.dataWith('confirm');
  Object.assign(operator, known, { isKey: (key: string) => key === API_KEY });
  await chat.tapShown(confirm);
  expect(chat.toast()).toBe(chat.words.plain('toast-operator-never'));
  expect((await storedKeys(chat.setup.storage, 'operation:')).length).toBeGreaterThan(0);
  await chat.write('/withdraw');
  expect(chat.html()).toBe(chat.words.html('refusal-operator'));
  await chat.tap('menu:balance');
  expect(chat.data()).not.toContain('withdraw:open');
  expect(chat.data()).toContain('deposit:open');
});

test('rejects a purchase above the admin limit, also on its card after a reduction', async ({ chat }) => {
  await chat.links.linkOperatorAccount(USER, OPERATOR_ACCOUNT, 'en');
  const toCard = () => chat.write(`/buy ${ADDRESS} 65000 1h`);
  await toCard();
  const confirm = chat.dataWith('confirm');
  await chat.deps.operatorLimits.setCap('1.00');
  await chat.tapShown(confirm);
  expect(chat.toast()).toBe(chat.words.plain('toast-operator-cap', { cap: '1.00', left: '1.00' }));
  await toCard();
  expect(chat.html()).toContain('this costs 2.32 TRX, and 1.00 of 1.00 TRX are left');
});

test('notifies admins of a purchase from the operator account', async ({ chat }) => {
  await chat.links.linkOperatorAccount(USER, OPERATOR_ACCOUNT, 'en');
  const { setup } = chat;
  const bought = await setup.executed({ account: OPERATOR_ACCOUNT, usesOperatorAccount: true });
  expect(await setup.read(bought)).toMatchObject({ state: 'done' });
  const stored = await storedKeys(setup.storage, `notification:{${USER}}:`);
  expect(stored).toEqual([expect.stringContaining(bought.id)]);
});

test('reports that the account of the operator key is unknown, without asking to relink', async () => {
  const chat = await openOperated();
  vi.spyOn(chat.deps.operator, 'account').mockResolvedValue(undefined);
  await chat.links.linkOperatorAccount(USER, OPERATOR_ACCOUNT, 'en');
  for (const text of ['/account', '/buy']) {
    await chat.write(text);
    expect(chat.html(), text).toBe(chat.words.html('operator-key-unknown'));
  }
});

test('offers no withdrawal to a pasted address with the operator account', async ({ chat }) => {
  await chat.input('operator:link', OTHER_ADDRESS);
  await chat.tapShown(chat.dataWith('operation:more'));
  const offered = chat.data().join();
  expect(offered).toContain('bandwidth:to:');
  expect(offered).not.toContain('withdraw:to:');
});
