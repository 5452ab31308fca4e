import { afterEach, describe, expect, vi } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY, accepted, profileOf } from '../operations/rental-stand-in.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { type Chat, OTHER_ADDRESS, openChat, sell, testWith } from './chat.ts';

afterEach(() => {
  vi.useRealTimers();
});

const test = testWith(() => openChat('en'));

test('does not link a key whose check was aborted by the time limit', async () => {
  const pauses: ((ms: number) => void)[] = [];
  const pause = vi.fn(async () => 0);
  const { tap, write, links, setup } = await openChat('en', {
    linked: false,
    keyAttempts: { waitMs: pause, recordRefusal: async () => {} },
  });
  await tap('link:open');
  pause.mockImplementationOnce(() => new Promise((resolve) => pauses.push(resolve)));
  vi.useFakeTimers();
  const cutOff = expect(write(API_KEY)).rejects.toThrow('more than 8000 ms');
  await vi.advanceTimersByTimeAsync(8_000);
  await cutOff;
  for (const goOn of pauses) goOn(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(setup.rental.profile).toHaveBeenCalledOnce();
  expect(await links.find(USER)).toBeUndefined();
});

test.each([
  ['null', { result: null }],
  ['an unexpected result', { result: false }],
  [
    'an error because the message is gone',
    { code: 400, description: 'Bad Request: message to delete not found' },
  ],
])('links without a warning when deleteMessage returns %s', async (_, answer) => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  chat.trouble('deleteMessage', answer);
  await chat.write(API_KEY);
  expect(await chat.links.find(USER)).toBeDefined();
  expect(chat.allHtml()).toContain('Account linked');
  expect(chat.allHtml()).not.toContain(chat.words.html('link-delete-failed'));
});

test('links a key whose message cannot be deleted, and advises to replace the key', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  chat.trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
  await chat.write(API_KEY);
  expect(await chat.links.find(USER)).toBeDefined();
  expect(chat.allHtml()).toContain('Account linked');
  expect(chat.allHtml()).toContain(chat.words.html('link-delete-failed'));
});

test('a link notifies the other holders, and its user of the withdrawals that they have announced', async () => {
  const chat = await openChat('en', { linked: false });
  const { setup, links } = chat;
  const { addressAnnouncements } = setup;
  for (const user of [USER + 1, USER + 2]) await links.link(user, ACCOUNT, API_KEY, 'en');
  for (const account of [ACCOUNT, ACCOUNT + 1]) {
    const request = { user: USER + 1, account, address: OTHER_ADDRESS, trx: '5.00' };
    const held = (await addressAnnouncements.draft(request)) ?? expect.fail('nothing was drafted');
    await addressAnnouncements.add(held);
  }
  await chat.input('link:open', API_KEY);
  const notified = async (user: number) =>
    (await storedKeys(setup.storage, `notification:{${user}}:`)).map((key) => key.split(':')[2]);
  expect([await notified(USER), await notified(USER + 1), await notified(USER + 2)]).toEqual([
    ['address'],
    ['holder-linked'],
    ['holder-linked'],
  ]);
});

test('names open invoices of a guest after linking, with a button to the invoice or the list', async () => {
  for (const count of [0, 1, 2]) {
    const chat = await openChat('en', { linked: false });
    const made = [];
    for (let at = 0; at < count; at++) made.push(await sell(chat, { shared: false }));
    await chat.tap('link:open');
    await chat.write(API_KEY);
    chat.shows('Account linked');
    expect(chat.allHtml().includes('can still be paid')).toBe(count > 0);
    const data = { 0: [], 1: [`invoice:show:${made[0]?.id}`], 2: ['invoices:only:open'] }[count];
    expect(chat.data().filter((one) => /^invoice:show|^invoices:only/.test(one))).toEqual(data);
  }
});

test('links at the third attempt while Telegram fails to delete the key', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  chat.trouble('deleteMessage', { code: 502, description: 'Bad Gateway' });
  await expect(chat.write(API_KEY)).rejects.toThrow('not deleted yet');
  await expect(chat.again()).rejects.toThrow('not deleted yet');
  expect(await chat.links.find(USER)).toBeUndefined();
  await chat.again();
  expect(await chat.links.find(USER)).toBeDefined();
  expect(chat.html()).toBe(chat.words.html('link-delete-failed'));
});

test('links at the third attempt while Telegram does not answer the deletion of the key', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  chat.hang('deleteMessage');
  vi.useFakeTimers();
  const tried = expect(chat.write(API_KEY)).rejects.toThrow('not deleted yet');
  await vi.advanceTimersByTimeAsync(2_000);
  await tried;
  const triedAgain = expect(chat.again()).rejects.toThrow('not deleted yet');
  await vi.advanceTimersByTimeAsync(2_000);
  await triedAgain;
  const last = chat.again();
  await vi.advanceTimersByTimeAsync(2_000);
  await last;
  expect(await chat.links.find(USER)).toBeDefined();
  expect(chat.html()).toBe(chat.words.html('link-delete-failed'));
});

test('says that the reply of the service was unexpected, and keeps no key', async () => {
  const unreadable = { kind: 'unknown', reason: 'unreadable', message: '' } as const;
  const [guest, holder] = [await openChat('en', { linked: false }), await openChat('en')];
  for (const { setup } of [guest, holder]) setup.rental.profile.mockResolvedValue(unreadable);
  await guest.tap('link:open');
  await guest.expectReply(API_KEY, guest.words.html('link-unexpected'));
  expect(await guest.links.find(USER)).toBeUndefined();
  await holder.expectReply('/account', holder.words.html('account-unreadable'));
});

test('explains a question instead of taking it as the key, and still waits for the key', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  await chat.expectReply('Where do I find it?', chat.words.html('link-question'));
  expect(chat.setup.rental.profile).not.toHaveBeenCalled();
  await chat.write(API_KEY);
  expect(await chat.links.find(USER)).toBeDefined();
});

test.each(['what is my link', 'resend the link to Bob'])(
  '%j shows a linked user the invoices',
  async (text) => {
    const chat = await openChat('en');
    await chat.expectReply(text, 'Invoices');
    await chat.expectReply('/link', 'API key');
  },
);

test.each([
  [ADDRESS, ADDRESS],
  [`${ADDRESS} Order 9`, ADDRESS],
  ['buy energy', 'Which address will'],
])('%j is no key and leaves the question for one', async (text, expected) => {
  const chat = await openChat('en');
  await chat.write('/link');
  chat.setup.rental.profile.mockClear();
  await chat.expectReply(text, expected);
  expect(chat.allHtml()).not.toContain("doesn't look like an API key");
  expect(chat.allHtml()).toContain(chat.words.html('flow-left'));
});

test.each([
  ['where is my money?', 'invoices-empty'],
  ['what does it cost?', 'prices-card'],
  ['history', 'history-title'],
  ['invoices', 'invoices-empty'],
] as const)('continues below the answer to another question: %s', async (text, shown) => {
  const chat = await openChat('en', { linked: false });
  await chat.input('link:open', text);
  const texts = chat.views().map(({ html }) => html);
  const reader = { reader: 'guest' };
  const answer = shown === 'invoices-empty' ? chat.words.html(shown, reader) : chat.words.html(shown);
  expect(texts).toContainEqual(expect.stringContaining(answer));
  chat.shows(chat.words.html('link-question'));
  await chat.expectReply(API_KEY, chat.words.html('link-done'));
});

test.each(['demo-key', 'merchant-key', 'rk_live_12', ' my-key-1 '])(
  'a short key without a question is deleted and explained: %s',
  async (text) => {
    const chat = await openChat('en', { linked: false });
    await chat.expectReply(text, chat.words.html('secret-unasked'));
    expect(chat.payloads('deleteMessage')).toHaveLength(1);
    expect(chat.data()).toContain('link:open');
  },
);

test.each(['api key', 'key', 'hot-wallet', 'demo-keyboard', 'keys'])(
  'keeps %s, which is no key',
  async (text) => {
    const chat = await openChat('en');
    await chat.write(text);
    expect(chat.payloads('deleteMessage')).toEqual([]);
  },
);

test.each(['link:cancel', 'Cancel'])('asks for no key and reads no text as one after %s', async (cancel) => {
  const chat = await openChat('en', { linked: false });
  await chat.write('/link');
  await (cancel === 'Cancel' ? chat.write(cancel) : chat.tapShown(cancel));
  chat.shows('Energy and bandwidth on TRON');
  expect(chat.toast()).toBeUndefined();
  await chat.expectReply('wrong-word-0001', "I didn't understand that");
  expect(chat.setup.rental.profile).not.toHaveBeenCalled();
});

const HOUR = 3600_000;
const OTHER_KEY = 'another-api-key-of-the-tests';
const linesOf = ({ last }: Chat) => last().html.split('\n');

/** Creates one invoice in each open status, and others that are settled or of another user. */
async function sellEach(chat: Chat): Promise<void> {
  await sell(chat, { stored: { status: 'delegated' } });
  await sell(chat, { stored: { status: 'failed' } });
  await sell(chat, { stored: { status: 'expired' }, price: '1.10' });
  await sell(chat, { stored: { status: 'paid' }, price: '2.20' });
  await sell(chat, { price: '3.30' });
  await sell(chat, { user: USER + 1 });
}

test.each([
  ['/balance', ['deposit:open', 'withdraw:open']],
  ['/link', ['link:cancel']],
  ['/unlink', ['account:unlink-yes', 'account:open']],
  ['/account', ['account:unlink', 'account:advanced']],
  ['account:advanced', ['webhook-log:open', 'account:open']],
])('%s offers %j', async (input, buttons) => {
  const chat = await openChat('en');
  await chat.input(input);
  expect(chat.data()).toEqual(expect.arrayContaining(buttons));
});

describe('the question before unlinking an account', () => {
  test('lists its open invoices with number, price and status', async ({ chat }) => {
    await sellEach(chat);
    await chat.tap('account:unlink');
    const lines = linesOf(chat);
    const at = lines.indexOf("⚠️ <b>Invoices I'd stop watching: 3</b>");
    expect(lines.slice(at + 1, at + 4)).toEqual([
      '🧾 <b>Awaiting payment</b> · Invoice 5 · 3.30 TRX or 1.50 USDT',
      '💰 <b>Paid</b> · Invoice 4 · 2.20 TRX or 1.50 USDT',
      '⌛ <b>Expired</b> · Invoice 3 · 1.10 TRX or 1.50 USDT',
    ]);
    expect(lines[at + 4]).toMatch(/can't be paid here any more.* still delivered/);
    expect(await chat.invoices.linkChanges.trackedInvoices({ user: USER, account: 1001 })).toHaveLength(3);
  });

  test('mentions no invoices if none is open or all ended a day ago', async ({ chat }) => {
    await chat.tap('account:unlink');
    expect(chat.html()).not.toContain('nvoice');
    const { expiresAt } = await sell(chat);
    chat.setup.clock.now = expiresAt + 24 * HOUR;
    await chat.tap('account:unlink');
    expect(chat.html()).not.toContain('nvoice');
  });

  test.each(LANGUAGES)('lists five of many invoices and counts the others: %s', async (language) => {
    const chat = await openChat(language);
    for (let made = 0; made < 7; made++) await sell(chat, { price: '999999999.999999' });
    await chat.tap('account:unlink');
    const { html } = chat.last();
    expect(html).toContain(': 7</b>');
    expect(html.match(/999.999.999.999999\sTRX/g)).toHaveLength(5);
    expect(html).toContain(language === 'en' ? '\n… and 2 more\n' : '\n… и ещё 2\n');
    expectWithinLimits(chat.last());
  });
});

test('unlinking lists what is followed until then, and its receipts promise nothing more', async ({
  chat,
}) => {
  const { setup } = chat;
  await chat.deps.notificationSettings.setMuted(USER, 'rentals', false);
  await setup.announced({ address: OTHER_ADDRESS });
  const request = { kind: 'withdrawal', address: OTHER_ADDRESS, trx: '5.00', cap: '100' } as const;
  const made = { id: 31, to_address: OTHER_ADDRESS, amount_trx: '5.00', status: 'pending' };
  setup.rental.withdraw.mockResolvedValueOnce(accepted(made));
  setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
  const all = [await setup.executed(), await setup.executed({ request }), await setup.lost()];
  await chat.deps.notificationSettings.setLowBalance(USER, '990');
  await chat.expectReply('account:unlink', "aren't finished", "These expiry reminders won't come");
  chat.shows('Your notification settings are reset: no more alert below 990.00 TRX.');
  expect(linesOf(chat).filter((line) => line.startsWith('•'))).toEqual([
    expect.stringContaining('65,000 energy'),
    expect.stringContaining('Withdrawal of 5.00 TRX'),
    expect.stringContaining('65,000 energy'),
    expect.stringMatching(/1 h → TR7NHq…gjLj6t · Order <b>7<\/b> · ⏰ Reminder: <tg-time/),
  ]);
  const promises = /I'll (tell|write)|I watch|I check|Reminder/;
  const receiptOf = async (at: number) => {
    const { receipt } = await setup.read(all[at] ?? expect.fail());
    return chat.payloads('editMessageText').findLast(({ message_id }) => message_id === receipt.card)?.text;
  };
  for (const one of all)
    expect((await chat.deps.card(chat.words, await setup.read(one))).html).toMatch(promises);
  await chat.tap('account:unlink-yes');
  expect(chat.allHtml()).toContain('Account unlinked');
  for (const at of all.keys()) {
    expect(await receiptOf(at)).toContain("Account 1001 isn't linked here any more");
    expect(await receiptOf(at)).not.toMatch(promises);
  }
});

test('after unlinking, says how many invoices are no longer checked, also at old buttons', async ({
  chat,
}) => {
  await sellEach(chat);
  const { id } = await sell(chat);
  await chat.expectReply(
    'account:unlink-yes',
    "Invoices of account 1001 that can't be paid here any more: 3",
  );
  expect(await chat.invoices.read({ user: USER, id })).toMatchObject({ unchecked: true });
  await chat.tap(`invoice:check:${id}`);
  expect(chat.toast()).toContain("can't be tracked any more");
  await chat.expectReply('/invoices', 'Not tracked any more');
});

test('linking another account warns about the same invoices before it replaces the present one', async ({
  chat,
}) => {
  await chat.tap('link:open');
  expect(chat.html()).not.toContain('nvoice');
  await chat.tap('link:cancel');
  await sellEach(chat);
  await chat.tap('link:open');
  chat.shows('Now linked: account 1001');
  const { profile } = chat.setup.rental;
  const answer = await profile('any key');
  if (answer.kind === 'accepted')
    profile.mockResolvedValue({ ...answer, value: { ...answer.value, id: 1002 } });
  await chat.write(OTHER_KEY);
  chat.shows("Invoices I'd stop watching: 3", "can't be paid here any more");
  await chat.tapShown(chat.dataWith('link:replace'));
  chat.shows('Account linked', "can't be paid here any more: 2");
  expect(await chat.invoices.linkChanges.trackedInvoices({ user: USER, account: 1001 })).toMatchObject(
    Array(3).fill({ unchecked: true }),
  );
});

describe('a key of another account than the linked one', () => {
  const PENDING = `pending-link:{${USER}}`;

  async function openAsked() {
    const chat = await openChat('en');
    const { profile } = chat.setup.rental;
    const { value } = profileOf('12.00');
    profile.mockImplementation(async (key) => accepted({ ...value, id: key === OTHER_KEY ? 1002 : ACCOUNT }));
    chat.setup.clock.now += 60_000;
    await chat.tap('link:open');
    await chat.write(OTHER_KEY);
    const linked = async () => (await chat.links.find(USER))?.account;
    return { ...chat, linked, replace: chat.dataOf(chat.dataWith('link:replace')) ?? '' };
  }

  test('replaces it after one tap on a question that names both, and is erased then', async () => {
    const chat = await openAsked();
    const { setup, linked } = chat;
    chat.shows('Now: account <b>1001</b>, key …', 'New: account <b>1002</b>, balance 12.00 TRX');
    chat.shows("News about account 1001 won't come here any more");
    expect(chat.labels()).toEqual(['🔁 Yes, link 1002', 'Keep 1001']);
    expect(await linked()).toBe(ACCOUNT);
    const stored = await setup.storage.get(PENDING);
    expect(stored).toBeDefined();
    expect(stored).not.toContain(OTHER_KEY);
    // A command that only shows something asks the same question again.
    await chat.write('/prices');
    chat.shows('Now: account <b>1001</b>', 'New: account <b>1002</b>');
    await chat.tap(chat.dataWith('link:replace'), { carried: true });
    chat.shows('Account linked');
    expect([await linked(), await setup.storage.get(PENDING)]).toEqual([1002, undefined]);
    // The same update again, as after a killed process, and a second tap on a question that is over.
    await chat.again();
    await chat.forge(chat.replace, { carried: true });
    expect(await linked()).toBe(1002);
    expect(chat.allHtml()).not.toContain(OTHER_KEY);
  });

  test.each(['link:keep', 'link:cancel', 'cancel', '/cancel', '/start', '/buy', 'nonsense'])(
    'changes nothing and is erased after %s',
    async (leaving) => {
      const chat = await openAsked();
      await chat.input(leaving);
      expect([await chat.linked(), await chat.setup.storage.get(PENDING)]).toEqual([ACCOUNT, undefined]);
      await chat.forge(chat.replace, { carried: true });
      chat.shows('This question is over. Nothing changed.');
      expect(await chat.linked()).toBe(ACCOUNT);
      expect(chat.allHtml()).not.toContain('Account linked');
    },
  );

  test('asks again if the linked account or that of the key has changed since', async () => {
    const chat = await openAsked();
    await chat.links.link(USER, 1003, 'yet-another-key', 'en');
    await chat.forge(chat.replace, { carried: true });
    chat.shows('Now: account <b>1003</b>', 'New: account <b>1002</b>');
    const { value } = profileOf('1.00');
    chat.setup.rental.profile.mockImplementation(async () => accepted({ ...value, id: 1004 }));
    await chat.tapShown(chat.dataWith('link:replace'));
    chat.shows('Now: account <b>1003</b>', 'New: account <b>1004</b>');
    expect(await chat.linked()).toBe(1003);
  });

  test('is not linked during maintenance, nor after ten minutes', async () => {
    const chat = await openAsked();
    await chat.deps.maintenance.turnOn(USER);
    await chat.forge(chat.replace, { carried: true });
    chat.shows(chat.words.html('maintenance'));
    await chat.deps.maintenance.turnOff();
    await chat.tap('link:open');
    await chat.write(OTHER_KEY);
    const late = chat.dataWith('link:replace');
    chat.setup.clock.now += 11 * 60_000;
    await chat.tapShown(late);
    expect(await chat.linked()).toBe(ACCOUNT);
  });
});

test('the operator account replaces another one only after the same question', async () => {
  const chat = await openChat('en', { admins: new Set([USER]) });
  vi.spyOn(chat.deps.operator, 'account').mockResolvedValue(1000);
  await chat.write('/buy');
  await chat.expectReply('operator:link', 'Now: account <b>1001</b>', 'New: operator account <b>1000</b>');
  await chat.expectReply('link:keep', 'Account 1001 stays linked');
  await chat.tap('operator:link');
  await chat.tapShown('operator:replace:1001');
  chat.shows('Operator account linked');
  expect(await chat.links.find(USER)).toMatchObject({ account: 1000, usesOperatorAccount: true });
});

test('says that the account of a key is linked already, and replaces only its key', async ({ chat }) => {
  chat.setup.clock.now += 60_000;
  await chat.tap('link:open');
  await chat.write(API_KEY);
  chat.shows('Account 1001 is already linked</b>, with this key. Nothing changed.');
  await chat.tap('link:open');
  await chat.write(OTHER_KEY);
  chat.shows(`Account 1001 is already linked</b>. Its key is now …${OTHER_KEY.slice(-4)}`);
  expect((await chat.links.readAhead(USER).open())?.apiKey).toBe(OTHER_KEY);
});

test('another key of the same account keeps the invoices checked', async ({ chat }) => {
  const { id } = await sell(chat);
  await chat.tap('link:open');
  await chat.write(OTHER_KEY);
  expect(chat.html()).not.toContain("can't be paid here");
  expect(await chat.invoices.read({ user: USER, id })).not.toHaveProperty('unchecked');
});
