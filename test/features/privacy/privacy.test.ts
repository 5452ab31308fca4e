import { expect, vi } from 'vitest';
import type { Broadcast } from '../../../src/broadcasts/store.ts';
import { LANGUAGES, shortenAddress } from '../../../src/i18n/texts.ts';
import type { History } from '../../../src/operations/queries.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { RETENTION_REASONS } from '../../../src/platform/records.ts';
import { StorageUnavailable } from '../../../src/platform/storage.ts';
import { OPERATOR_ACCOUNT } from '../../../src/rental-api/client.ts';
import { expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { FILLED, START, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY, accepted } from '../../operations/rental-stand-in.ts';
import { fileIn, OTHER_ADDRESS, openChat, sell, testWith } from '../chat.ts';

const chatTest = testWith(() => openChat('en'));
const test = testWith(() => openForget());

test.each(LANGUAGES)('the privacy text is shown in %s, to guests too', async (language) => {
  for (const linked of [true, false]) {
    const chat = await openChat(language, { linked });
    chat.speak(language);
    await chat.write('/privacy');
    expectWithinLimits(chat.last());
    expect(chat.html()).toContain(language === 'en' ? '90 days' : '90 дней');
    expect(chat.data()).toEqual(['privacy:details', 'privacy:copy', 'forget:open', 'menu:open']);
    await chat.tap('privacy:details');
    expectWithinLimits(chat.last());
    for (const key of ['privacy-details', 'privacy-elsewhere'] as const) chat.shows(chat.words.html(key));
    expect(chat.data()).toEqual(['privacy:open', 'menu:open']);
  }
});

chatTest('the copy contains all stored data of the user and no secrets', async ({ chat }) => {
  const { storage } = chat.setup;
  const { records } = chat.deps;
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.deps.notificationSettings.setLowBalance(USER, '50');
  await chat.deps.keyAttempts.recordRefusal(USER);
  await chat.deps.adminLog.add(504, 'person-banned', String(USER));
  await chat.deps.adminLog.add(504, 'person-banned', String(USER + 1));
  const deposit = { kind: 'deposit', id: '7', account: 1001, isMoney: true, data: { amount: '9' }, at: 1 };
  await records.set(`notification:{${USER}}:deposit:1001:7`, JSON.stringify({ ...deposit, tries: 0 }));
  await records.set(`notification:{${USER}}:deposit:1001:6`, '"delivered"');
  await storage.set(`a later kind:{${USER}}:x`, '{"says":"this"}');
  await chat.input('settings:language:ru', 'settings:language:en');
  for (const user of [USER, USER + 1]) {
    const address = user === USER ? ADDRESS : OTHER_ADDRESS;
    const made = await chat.deps.addressAnnouncements.draft({ user, account: 1002, address, trx: '5' });
    if (made) await chat.deps.addressAnnouncements.add(made);
  }
  const customers = { chat: USER + 1, message: 5, language: 'en', isForMaker: false } as const;
  const own = { chat: USER, message: 6, language: 'en', isForMaker: true } as const;
  const invoice = await sell(chat, { note: 'Order 17', stored: { cards: [customers, own] } });
  const bought = await chat.setup.claimed();
  await chat.setup.advance(bought);
  const draft = await chat.setup.draft();
  await chat.input('/buy', 'privacy:copy');
  const { name, text } = fileIn(chat);
  expect(name).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/);
  const copy = JSON.parse(text);
  expect(copy).toMatchObject({
    user: USER,
    person: { language: 'en', firstDay: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    link: { account: 1001, key: 'encrypted, not included' },
    addresses: { addresses: [{ address: ADDRESS }] },
    notices: { lowBalance: '50' },
    session: { language: 'en' },
    openQuestion: { flow: expect.stringMatching(/^energy@/) },
    invoices: [{ id: invoice.id, note: 'Order 17', status: 'pending', cards: [own] }],
    other: {
      'refused-keys': { value: { count: 1 } },
      'a later kind': { x: { says: 'this' } },
      attempt: { [bought.id]: { state: 'sent' } },
    },
  });
  expect(copy.withdrawnTo).toMatchObject([{ address: ADDRESS, trx: '5' }]);
  expect(copy.adminActs).toMatchObject([{ act: 'person-banned', about: String(USER) }]);
  expect(copy.notifications).toMatchObject([
    { name: 'deposit:1001:6', sent: true },
    { kind: 'deposit', account: 1001, data: { amount: '9' }, at: '1970-01-01T00:00:00.001Z' },
  ]);
  // No time is left as a number of milliseconds.
  expect(text.match(/^.*: 17\d{11}\b.*/gm)).toBeNull();
  expect(copy.invoices).toMatchObject([{ expiresAt: new Date(invoice.expiresAt).toISOString() }]);
  const states = copy.operations.map(({ id, state }: { id: string; state: string }) => [id, state]);
  expect(Object.fromEntries(states)).toEqual({
    [bought.id]: 'done',
    [invoice.id]: expect.any(String),
    [draft.id]: 'draft',
  });
  const secrets = [API_KEY, invoice.share ?? 'none', chat.invoices.shares.tokenOf(invoice) ?? 'none'];
  expect(secrets).not.toContain('none');
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(new RegExp(`\\b${customers.chat}\\b`));
});

chatTest('omits a record with an invalid signature from the copy', async ({ chat }) => {
  await chat.setup.storage.set(`addresses:{${USER}}`, `s1.${'A'.repeat(43)}.{"addresses":[]}`);
  await chat.tap('privacy:copy');
  expect(JSON.parse(fileIn(chat).text)).not.toHaveProperty('addresses');
});

chatTest('limits copies to five in ten minutes', async ({ chat }) => {
  const files = () => chat.payloads('sendDocument').length;
  for (let count = 0; count < 6; count += 1) await chat.tap('privacy:copy');
  expect(files()).toBe(5);
  expect(chat.toast()).toBe(chat.words.plain('toast-privacy-wait', { minutes: 10 }));
  chat.setup.clock.now += 10 * 60_000;
  await chat.tap('privacy:copy');
  expect(files()).toBe(6);
});

test('the copy contains no data of other users', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.deps.addressBook.remember(USER + 1, ADDRESS);
  await chat.links.link(USER + 1, 1001, API_KEY, 'en');
  await chat.input('/privacy', 'privacy:copy');
  const copy = JSON.parse(fileIn(chat).text);
  expect(copy).toMatchObject({ user: USER, notifications: [], operations: [], invoices: [], adminActs: [] });
  expect(copy).not.toHaveProperty('addresses');
  expect(copy).not.toHaveProperty('link');
});

chatTest('the copy contains more operations than one page', async ({ chat }) => {
  const history = chat.deps.operations.history as History;
  for (let count = 0; count < 60; count += 1)
    await history.recordConfirmed({ ...(await chat.setup.claimed()), claimedAt: 0 });
  await chat.input('/privacy', 'privacy:copy');
  expect(JSON.parse(fileIn(chat).text).operations).toHaveLength(60);
});

const subscription = (id: number, more: object) => ({
  id,
  address: ADDRESS,
  label: null,
  status: 'active',
  bw_guarantee: true,
  created_at: new Date(START).toISOString(),
  ...more,
});

/** Opens a chat whose erasure requests are recorded by mocks. */
async function openForget(language: 'en' | 'ru' = 'en', more: Parameters<typeof openChat>[1] = {}) {
  const begin = vi.fn(async () => {});
  const hasBegun = vi.fn(async () => false);
  const chat = await openChat(language, {
    userErasure: { request: begin, hasStarted: hasBegun, wasConfirmedSince: async () => false },
    ...more,
  });
  chat.speak(language);
  return {
    ...chat,
    begin,
    hasBegun,
    /** Returns the data of the confirm button in the latest view, or `''`. */
    yes: () => chat.dataWith('forget:yes'),
  };
}

test.each(LANGUAGES)(
  'the question leads to a list of every kind of data that is retained of the user, in %s',
  async (language) => {
    for (const linked of [true, false]) {
      const chat = await openForget(language, { linked });
      await chat.input('/privacy', 'forget:open');
      expectWithinLimits(chat.last());
      expect(chat.data()).toEqual([
        expect.stringMatching(/^forget:yes:/),
        ...['forget:stays', 'privacy:open', 'menu:open'],
      ]);
      await chat.tap('forget:stays');
      expectWithinLimits(chat.last());
      const reader = linked ? 'holder' : 'guest';
      for (const reason of RETENTION_REASONS)
        expect(chat.html().includes(chat.words.html(reason, { reader })), reason).toBe(
          linked || reason !== 'kept-account',
        );
      expect(chat.html()).not.toContain(chat.words.html('kept-admin'));
      expect(chat.data()).toEqual(['forget:open', 'menu:open']);
      expect(chat.begin).not.toHaveBeenCalled();
    }
  },
);

test('shows no warning if nothing is pending, and makes no request for a guest', async ({ chat }) => {
  await chat.write('/forget');
  expect(chat.html()).not.toContain('⚠️');
  const guest = await openForget('en', { linked: false });
  await guest.write('/forget');
  expect(guest.html()).not.toContain('⚠️');
  expect(guest.setup.rental.subscriptions).not.toHaveBeenCalled();
});

test.each(LANGUAGES)('lists pending operations by title and number, in %s', async (language) => {
  const chat = await openForget(language);
  const history = chat.deps.operations.history as unknown as {
    recordConfirmed(of: object): Promise<void>;
  };
  const [going, lost] = [await chat.setup.claimed(), await chat.setup.lost()];
  const done = await chat.setup.claimed();
  await chat.setup.advance(done);
  await history.recordConfirmed(await chat.setup.read(going));
  await chat.expectReply('/forget', chat.words.html('leaving-operations', { reader: 'user' }));
  const short = shortenAddress(ADDRESS);
  for (const { id } of [going, lost]) expect(chat.html()).toMatch(new RegExp(`• ⚡.* → ${short} · .*${id}`));
  // As its receipt names it.
  const order = chat.words.html('operation-order', { order: '7' });
  expect(chat.html()).toMatch(new RegExp(`• ⚡.* → ${short} · ${order}`));
  expect(chat.html()).not.toContain(done.id);
  await chat.setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  await chat.expectReply('/forget', chat.words.html('leaving-refunds', { reader: 'user' }));
  expect(chat.html()).toMatch(/• ⚡.*<b>7<\/b>/);
  // Another account's operations can't be waited for.
  const elsewhere = await chat.setup.claimed({ account: ACCOUNT + 1 });
  await history.recordConfirmed(await chat.setup.read(elsewhere));
  await chat.write('/forget');
  expect(chat.html()).not.toContain(elsewhere.id);
  expectWithinLimits(chat.last());
});

test.each(LANGUAGES)(
  'lists all Smart Mode subscriptions except deactivated ones, in %s',
  async (language) => {
    const chat = await openForget(language);
    chat.setup.rental.subscriptions.mockResolvedValue(
      accepted([
        subscription(1, { label: '<b>Shop</b>' }),
        subscription(2, { address: OTHER_ADDRESS, status: 'paused' }),
        subscription(3, { label: 'gone', status: 'deactivated' }),
        subscription(4, { label: 'odd', status: 'sleeping' }),
      ]),
    );
    await chat.write('/forget');
    const { html } = chat.last();
    const [active, paused] = html.split(chat.words.html('leaving-subscriptions-paused'));
    expect(active).toContain(chat.words.html('leaving-subscriptions', { reader: 'user' }));
    expect(active).not.toContain('TLx8h8');
    expect(html).toContain('&#60;b&#62;Shop');
    expect(paused).toContain(
      chat.words.html('leaving-subscription', { what: 'TLx8h8…SiLGg4', status: 'paused' }),
    );
    expect(html).toContain('sleeping');
    expect(html).not.toContain('gone');
    expectWithinLimits(chat.last());
  },
);

test('shows the question even while the service hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const chat = await openForget();
  chat.setup.rental.subscriptions.mockImplementation(() => new Promise(() => {}));
  const asked = chat.write('/forget');
  await vi.advanceTimersByTimeAsync(3_000);
  await asked;
  vi.useRealTimers();
  expect(chat.html()).toContain(chat.words.html('leaving-subscriptions-unknown'));
});

test.each(LANGUAGES)('lists five open invoices and counts the others, in %s', async (language) => {
  const chat = await openForget(language);
  for (let number = 1; number <= 7; number += 1) await sell(chat);
  await sell(chat, { stored: { status: 'delegated' } });
  await chat.write('/forget');
  expect(chat.html()).toContain(chat.words.html('unlink-invoices', { about: 'unlink', count: 7 }));
  expect(chat.html()).toContain(chat.words.html('list-more', { count: 2 }));
  expectWithinLimits(chat.last());
});

test.each(LANGUAGES)(
  'lists what can be paid and what can change apart for a guest, in %s',
  async (language) => {
    const chat = await openForget(language, { linked: false });
    const account = OPERATOR_ACCOUNT;
    await sell(chat, { stored: { account, status: 'expired' } });
    await sell(chat, { stored: { account, status: 'paid' } });
    await sell(chat, { stored: { account } });
    await chat.write('/forget');
    const { words } = chat;
    const [, open, others] = chat.html().split(/(?=⚠️)/);
    const lineOf = (number: number) =>
      words.html('unlink-invoice', { number: String(number), trx: '5.00', usdt: '1.50' });
    expect(open).toContain(words.html('forget-invoices', { count: 1, reader: 'user' }));
    expect(open).toMatch(
      /You have one invoice that can .* I'll still tell you\.|У вас 1 счёт, который ещё можно/,
    );
    expect(open).toContain(lineOf(3));
    expect(others).toContain(words.html('forget-invoices-unpayable', { count: 2, reader: 'user' }));
    expect(others).toMatch(/2 invoices may still change|У вас 2 счёта, которые ещё могут измениться/);
    for (const [state, number] of [
      ['invoices-over', 1],
      ['invoices-paid', 2],
    ] as const)
      expect(others).toContain(`${words.html(state)} · ${lineOf(number)}`);
    expectWithinLimits(chat.last());
  },
);

test.each(LANGUAGES)(
  "warns of a seller's open invoice and of the loss of the list of opened ones, in %s",
  async (language) => {
    const chat = await openForget(language, { linked: false });
    const { words } = chat;
    const sold = await sell(chat, { user: USER + 1 });
    await chat.write(`/start invoice-${chat.invoices.shares.tokenOf(sold) ?? ''}`);
    const line = words.html('unlink-invoice', { number: '1', trx: '5.00', usdt: '1.50' });
    await chat.expectReply('/forget', words.html('forget-invoices', { count: 1, reader: 'user' }), line);
    chat.shows(
      language === 'en' ? 'list of invoices you opened by link' : 'список счетов, которые вы открыли',
    );
    await chat.invoices.shares.revoke(sold);
    await chat.expectReply(
      '/forget',
      words.html('forget-invoices-unpayable', { count: 1, reader: 'user' }),
      line,
    );
    chat.setup.clock.now = sold.expiresAt + DAY_MS;
    await chat.write('/forget');
    expect(chat.html()).not.toContain(line);
  },
);

test.each(LANGUAGES)(
  'shows an admin the retained admin data and the continuing broadcasts, in %s',
  async (language) => {
    const broadcast = { admin: USER } as Broadcast;
    const chat = await openForget(language, { admins: new Set([USER]) });
    const { broadcasts } = chat.deps;
    vi.spyOn(broadcasts, 'active').mockResolvedValue(broadcast);
    vi.spyOn(broadcasts, 'scheduled').mockResolvedValue([broadcast, { admin: USER + 1 } as Broadcast]);
    await chat.write('/forget');
    chat.shows(chat.words.html('forget-admin', { broadcasts: 2 }));
    expectWithinLimits(chat.last());
    await chat.tap('forget:stays');
    chat.shows(chat.words.html('kept-admin'));
    expectWithinLimits(chat.last());
  },
);

test('mentions the alerts that end with the account', async ({ chat }) => {
  await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'whsec_of-the-tests-alone');
  await chat.expectReply('/forget', chat.words.html('leaving-reports', { reader: 'user' }));
});

test('Yes schedules the erasure and leaves nothing in the session', async ({ chat }) => {
  await chat.input('/settings', 'settings:language:ru', 'settings:language:en', '/forget');
  await chat.tapShown(chat.yes());
  expect(chat.html()).toContain(chat.words.html('forget-begun'));
  expect(chat.buttons()).toEqual({});
  const { linkedAt } = (await chat.links.find(USER)) ?? {};
  const request = {
    user: USER,
    askedAt: START,
    at: START,
    language: 'en',
    linkedAt,
    update: expect.any(Number),
  };
  expect(chat.begin.mock.calls).toEqual([[request]]);
  const begun = await chat.setup.storage.chats.begin({ chat: USER, update: 1, token: 't', leaseMs: 0 });
  expect(begun).toEqual({ kind: 'granted', attempt: 1 });
});

test('Yes cancels an open card', async ({ chat }) => {
  await chat.write(ADDRESS);
  const card = chat.lastMessage();
  const [, id = ''] = /operation:confirm:(\w+)/.exec(JSON.stringify(chat.last().keyboard)) ?? [];
  expect(id).not.toBe('');
  await chat.expectReply('/forget', chat.words.html('leaving-draft', { confirm: '✅ Confirm' }));
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'draft' });
  await chat.tap(chat.yes());
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'cancelled' });
  const edits = chat.calls.filter(({ payload }) => payload.message_id === card);
  expect(edits.at(-1)?.payload.text).toContain(chat.words.html('cancelled'));
  await chat.tap(`operation:confirm:${id}`, { message: card, carried: true });
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'cancelled' });
});

test('the button expires ten minutes after the question', async ({ chat }) => {
  await chat.write('/forget');
  const [question, yes] = [chat.last(), chat.yes()];
  chat.setup.clock.now += 600_000;
  await chat.tap(yes);
  expect(chat.begin).not.toHaveBeenCalled();
  expect(chat.toast()).toBe(chat.words.plain('toast-button-expired'));
  expect(chat.last()).toEqual(question);
  await chat.write('/forget');
  await chat.tap(chat.yes());
  expect(chat.begin).toHaveBeenCalledOnce();
});

test('fails the update if the erasure cannot be scheduled; a repetition schedules it', async ({ chat }) => {
  await chat.write('/forget');
  const yes = chat.yes();
  chat.begin.mockRejectedValueOnce(new StorageUnavailable('no answer'));
  await expect(chat.tap(yes)).rejects.toThrow();
  await chat.again();
  expect(chat.begin).toHaveBeenCalledTimes(2);
});

test('a tap on an already answered question does not affect a later card', async ({ chat }) => {
  await chat.write('/forget');
  const [question, yes] = [chat.lastMessage(), chat.yes()];
  await chat.write(`/activate ${ADDRESS}`);
  const card = chat.last();
  chat.hasBegun.mockResolvedValue(true);
  await chat.tap(yes, { message: question, carried: true });
  expect(chat.begin).not.toHaveBeenCalled();
  expect(chat.last()).toEqual(card);
  expect(chat.toast()).toBe(chat.words.plain('toast-question-over'));
});
