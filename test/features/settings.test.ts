import { describe, expect } from 'vitest';
import { optOutRow } from '../../src/broadcasts/send.ts';
import { formatTime, LANGUAGES } from '../../src/i18n/texts.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { API_KEY, profileOf } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { TEXTS } from '../support/texts.ts';
import { type Chat, OTHER_ADDRESS, openChat, sell, testWith } from './chat.ts';

/** Callback data of the opt-out button below a broadcast. */
const OFF = '+announcements:off';
const BROADCAST = 40;

const isQuiet = async ({ users }: Chat) => (await users.find(USER))?.hasOptedOut ?? false;

const test = testWith(() => openChat('en'));

test('the opt-out button is in the language of the recipient', () => {
  const texts = TEXTS;
  const rows = LANGUAGES.map((language) => optOutRow(texts.in(language)));
  for (const row of rows) {
    expect(row).toMatchObject([{ callback_data: OFF }]);
    expectWithinLimits({ html: '-', keyboard: [row] });
  }
  expect(new Set(rows.map(([button]) => button?.text)).size).toBe(LANGUAGES.length);
});

test('lead to the notifications of an account', async ({ chat }) => {
  await chat.write('/settings');
  await chat.tapShown('notifications:open');
  chat.shows(chat.words.html('notifications-title'));
  const guest = await openChat('en', { linked: false });
  await guest.write('/settings');
  expect(guest.data()).not.toContain('notifications:open');
});

describe.each(LANGUAGES)('opting out of broadcasts (%s)', (language) => {
  test('works below a broadcast and can be undone in the reply', async () => {
    const chat = await openChat(language, { linked: false });
    await chat.write('/start');
    await chat.tap(OFF, { message: BROADCAST, carried: true });
    expect(await isQuiet(chat)).toBe(true);
    expect(chat.html()).toBe(chat.words.html('announcements-off'));
    expect(chat.lastMessage()).toBeGreaterThan(BROADCAST);
    expectWithinLimits(chat.last());
    await chat.tapShown('announcements:on');
    expect(await isQuiet(chat)).toBe(false);
    expect(chat.html()).toBe(chat.words.html('announcements-on'));
    expect(chat.calls.some(({ payload }) => payload.message_id === BROADCAST)).toBe(false);
  });

  test.each([true, false])('works in the settings, with an account: %s', async (linked) => {
    const chat = await openChat(language, { linked });
    await chat.write('/settings');
    for (const [data, quiet] of [
      ['settings:news:off', true],
      ['settings:news:on', false],
    ] as const) {
      expect(chat.data()).toContain(data);
      await chat.tapShown(data);
      expect(await isQuiet(chat)).toBe(quiet);
      expectWithinLimits(chat.last());
    }
  });
});

test('keeps the opt-out when other fields of the user change', async ({ chat }) => {
  await chat.write('/start');
  await chat.tap(OFF, { message: BROADCAST, carried: true });
  await chat.users.setUnreachable(USER, 'blocked');
  chat.setup.clock.now += 3 * 24 * 3600_000;
  await chat.write('/start');
  await chat.users.setBanned(USER, true);
  await chat.users.setBanned(USER, false);
  expect(await isQuiet(chat)).toBe(true);
  await chat.write('/settings');
  expect(chat.data()).toContain('settings:news:on');
  await chat.tapShown('settings:sell:yes');
  expect(chat.data()).toContain('settings:news:on');
});

test('accepts the opt-out of a user whose record was deleted', async ({ chat }) => {
  await chat.write('/start');
  await chat.users.erase(USER);
  await chat.tap(OFF, { message: BROADCAST, carried: true });
  expect(await isQuiet(chat)).toBe(true);
});

test('a tap below a broadcast does not close the open question', async ({ chat }) => {
  await chat.write('/buy');
  await chat.tap(OFF, { message: BROADCAST, carried: true });
  await chat.tapShown('answer=cancel');
  expect(chat.html()).toBe(chat.words.html('cancelled'));
});

test('the chosen language applies at once to messages that no update causes', async () => {
  const chat = await openChat('en');
  await chat.write('/settings');
  await chat.tapShown('settings:language:ru');
  expect(await chat.users.find(USER)).toMatchObject({ language: 'ru' });
  chat.shows('⚙️ Настройки', 'Язык: русский');
});

describe('the name of a language', () => {
  test.each([
    ['en', 'ru', ['русский', 'Russian', 'switch to Russian']],
    ['ru', 'en', ['english', 'Английский', 'на английском']],
  ] as const)('switches from %s to %s at once, with a button back', async (from, to, texts) => {
    for (const text of texts) {
      const chat = await openChat(from);
      await chat.expectReply(text, TEXTS.in(to).html('settings-card'));
      expect(await chat.users.find(USER)).toMatchObject({ language: to });
      await chat.tapShown(`settings:language:${from}`);
      chat.shows(TEXTS.in(from).html('settings-card'));
    }
  });

  test('shows the settings in the present language', async ({ chat }) => {
    await chat.expectReply('english', chat.words.html('settings-card'));
  });

  test.each([
    ['an open question', '/buy', TEXTS.in('ru').html('energy-address')],
    ['an open card', OTHER_ADDRESS, 'Проверьте и подтвердите'],
    ['the question for a key', '/link', TEXTS.in('ru').html('link-question')],
  ])('translates %s', async (_, input, translated) => {
    const chat = await openChat('en');
    await chat.input(input, 'русский');
    expect(chat.views().map(({ html }) => html)).toContainEqual(expect.stringContaining(translated));
    expect(chat.allHtml()).not.toContain(chat.words.html('flow-left'));
  });
});

describe('leaving seller mode', () => {
  test.each([
    ['en', ['stop selling', 'leave seller mode', "I don't want to sell any more"]],
    ['ru', ['перестать продавать', 'больше не продаю', 'выйти из режима продавца']],
  ] as const)('takes a word and a tap: %s', async (language, texts) => {
    const chat = await openChat(language);
    for (const text of texts) {
      await chat.expectReply(text, chat.words.html('seller-mode-state', { state: 'off' }));
      expect(chat.data()).toEqual(['menu:open']);
      await chat.links.setMerchant(USER, true);
      await chat.expectReply(text, chat.words.html('seller-mode-state', { state: 'on' }));
      await chat.tapShown('settings:sell:no');
      expect(await chat.links.find(USER)).not.toMatchObject({ isMerchant: true });
    }
  });
});

describe.each([
  ['en', ['invoice my customer', 'I want to sell energy to my customers', 'I want to bill a customer']],
  ['ru', ['выставить счёт покупателю', 'хочу продавать энергию клиентам', 'хочу выставить счёт']],
] as const)('a user without an account who wants to sell (%s)', (language, texts) => {
  test.each(texts)('links an account, and is offered seller mode then: %s', async (text) => {
    const chat = await openChat(language, { linked: false });
    await chat.expectReply(text, chat.words.html('seller-mode-guest'));
    await chat.tapShown('link:open');
    await chat.expectReply('a wrong key with spaces');
    await chat.expectReply(API_KEY, chat.words.html('link-done'), chat.words.html('settings-selling'));
    await chat.tapShown('settings:sell:yes');
    chat.shows(chat.words.html('seller-mode-on'));
    await chat.write(language === 'en' ? 'I want to sell' : 'хочу продавать энергию');
    chat.shows(chat.words.html('seller-mode-on'));
    expect(await chat.links.find(USER)).toMatchObject({ isMerchant: true });
    await chat.write('/menu');
    expect(chat.data()).not.toContain('settings:sell:yes');
  });
});

test.each([
  ['en', 'unlink'],
  ['ru', 'отвязать'],
] as const)(
  'unlinking says that seller mode is off, and linking the same account again turns it on (%s)',
  async (language, unlink) => {
    const chat = await openChat(language);
    await chat.links.setMerchant(USER, true);
    await chat.write(unlink);
    await chat.tapShown('account:unlink-yes');
    chat.shows(chat.words.html('unlinked'), chat.words.html('unlinked-seller'));
    await chat.tapShown('link:open');
    await chat.expectReply(API_KEY, chat.words.html('link-done'), chat.words.html('link-seller-again'));
    expect(chat.data()).not.toContain('settings:sell:yes');
    await chat.expectReply(OTHER_ADDRESS, chat.words.html('invoice-title', { amount: 65_000, hours: 1 }));
  },
);

test('seller mode is only offered after linking another account than the unlinked one', async () => {
  const chat = await openChat('en');
  await chat.links.setMerchant(USER, true);
  await chat.input('unlink', 'account:unlink-yes', 'link:open');
  chat.setup.rental.profile.mockResolvedValue(profileOf('1', 1002));
  await chat.expectReply(API_KEY, chat.words.html('link-done'), chat.words.html('settings-selling'));
  expect(await chat.links.find(USER)).not.toHaveProperty('isMerchant');
});

test("the chosen language applies to the cards of the user's open invoices, and to the text that is shared", async () => {
  const chat = await openChat('en');
  await sell(chat, { stored: { status: 'paid' } });
  const { expiresAt } = await sell(chat);
  const { editPhoto } = chat.sender;
  editPhoto.mockClear();
  await chat.write('/settings');
  await chat.tapShown('settings:language:ru');
  await eventually(() => expect(editPhoto).toHaveBeenCalled());
  const [, , { html = '', keyboard = [] } = {}] = editPhoto.mock.lastCall ?? [];
  expect(html).toContain('Ждёт оплаты');
  const shared = keyboard
    .flat()
    .map((one) => ('url' in one ? new URL(one.url).searchParams.get('text') : ''));
  expect(shared.join()).toContain(`оплатить до ${formatTime(expiresAt)}`);
});

describe('the chosen language applies to the open card', () => {
  const russian = TEXTS.in('ru');
  const toRussian = async (chat: Chat) => {
    await chat.write('/settings');
    await chat.tapShown('settings:language:ru');
  };

  test.each([
    ['an order', `/buy ${OTHER_ADDRESS} 65000 1h`],
    ['an invoice', `/invoice ${OTHER_ADDRESS} 65000 1h`],
    ['a withdrawal', `/withdraw 5 ${OTHER_ADDRESS}`],
  ])('the card of %s is sent again and can be confirmed', async (_, command) => {
    const chat = await openChat('en');
    chat.setProfile('1000.00', { codes: true });
    await chat.write(command);
    const confirm = chat.dataWith('operation:confirm');
    await toRussian(chat);
    const { text, reply_markup } = chat.payloads('sendMessage').at(-1) ?? {};
    expect(text).toContain(russian.html('operation-check'));
    expect(JSON.stringify(reply_markup)).toContain(confirm);
    await chat.tapShown(confirm);
    const id = confirm.split(':').at(-1) ?? '';
    const { state } = await chat.setup.read({ user: USER, id });
    expect(state).toBe(command.startsWith('/withdraw') ? 'awaiting' : 'claimed');
  });

  test('a card that awaits its code still accepts it', async () => {
    const chat = await openChat('en');
    chat.setProfile('1000.00', { codes: true });
    await chat.write(`/withdraw 5 ${OTHER_ADDRESS}`);
    const [confirm, card] = [chat.dataWith('operation:confirm'), chat.lastMessage()];
    await chat.tapShown(confirm);
    await toRussian(chat);
    const edits = chat.payloads('editMessageText').filter(({ message_id }) => message_id === card);
    expect(edits.at(-1)?.text).toContain(russian.html('operation-awaiting'));
    await chat.write('123456');
    const id = confirm.split(':').at(-1) ?? '';
    expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'claimed' });
  });

  test('the card of a withdrawal to an address on hold', async () => {
    const chat = await openChat('en');
    chat.setProfile('1000.00');
    await chat.write(`/withdraw 5 ${OTHER_ADDRESS}`);
    const hold = chat.lastMessage();
    await toRussian(chat);
    const [, message, { html = '', keyboard = [] } = {}] = chat.sender.edit.mock.lastCall ?? [];
    expect(message).toBe(hold);
    expect(html).toContain('Новый адрес: пауза 10 минут');
    expect(JSON.stringify(keyboard)).toContain('announced:cancel');
  });

  test('the card of an invoice of another user', async () => {
    const chat = await openChat('en');
    const { user, id } = await sell(chat, { user: USER + 1 });
    const link = (await chat.invoices.shares.share({ user, id })) ?? '';
    await chat.write(`/start invoice-${link}`);
    await chat.shownInvoice({ user, id });
    chat.sender.editPhoto.mockClear();
    await toRussian(chat);
    await eventually(() => expect(chat.sender.editPhoto).toHaveBeenCalled());
    expect(chat.sender.editPhoto.mock.lastCall?.[2].html).toContain('Оплатите');
  });
});

test.each(['invoice my customer', 'выставить счёт покупателю'])(
  '%j offers seller mode, and asks sellers for the address',
  async (text) => {
    const chat = await openChat('en');
    await chat.expectReply(text, chat.words.html('settings-selling'));
    expect(chat.data()).toContain('settings:sell:yes');
    await chat.links.setMerchant(USER, true);
    await chat.expectReply(text, chat.words.html('invoice-address-customer'));
    const guest = await openChat('en', { linked: false });
    await guest.expectReply(text, guest.words.html('seller-mode-guest'));
  },
);

describe.each([
  ...['seller mode', 'I am a merchant', 'how do I sell energy?', 'режим продавца', 'как продавать'],
  ...['I want to sell', 'how do I become a merchant?', 'I want to accept payments'],
  ...['sell', 'продавать', 'I want to sell energy to my customers'],
  ...['хочу продавать', 'хочу принимать оплату', 'как стать продавцом?'],
  ...[
    'I am a shop and want to accept payments for energy',
    'у меня магазин, хочу продавать энергию клиентам',
  ],
  'can my customers pay me for energy through you?',
  'могут ли клиенты платить мне за энергию?',
])('%j', (text) => {
  test('offers seller mode, says who gets the payments, and tells a guest what it needs', async ({
    chat,
  }) => {
    const payee = 'The payment goes to the service for the energy, not to your balance.';
    await chat.write(text);
    chat.shows(payee);
    expect(chat.data()).toContain('settings:sell:yes');
    await chat.tap('settings:sell:yes');
    expect(chat.labels()).toContain('☑ Seller mode');
    await chat.write(text);
    expect(chat.labels()).toContain('☑ Seller mode');
    const guest = await openChat('en', { linked: false });
    await guest.write(text);
    guest.shows('Seller mode is for users with a linked account');
    guest.shows(payee);
    expect(guest.data()).toContain('link:open');
  });
});
