import { describe, expect, vi } from 'vitest';
import { MAX_NAMED } from '../../../src/accounts/address-book.ts';
import { defineFeature } from '../../../src/bot/feature.ts';
import { addressTail } from '../../../src/features/addresses/address-menus.ts';
import { addressesFeature } from '../../../src/features/addresses/addresses.ts';
import { menuFeature } from '../../../src/features/menu.ts';
import { LANGUAGES, type Variables } from '../../../src/i18n/texts.ts';
import { answerData } from '../../../src/views/callback-data.ts';
import { buttonsOf, expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { USER } from '../../operations/operations-setup.ts';
import { ADDRESS } from '../../operations/rental-stand-in.ts';
import { withPlainSpaces } from '../../support/plain-spaces.ts';
import { storedKeys } from '../../support/stored-keys.ts';
import { KNOWN, LOOKALIKE, OTHER_ADDRESS, openChat, testWith } from '../chat.ts';
import { openStateOf } from '../questions.ts';

const USE = 'What next?';
const CHECK = 'Review and confirm';

const test = testWith(() => openChat('en'));

describe.each(LANGUAGES)('in %s', (language) => {
  test('address views stay within the limits of Telegram and have at most eight buttons', async () => {
    const chat = await openChat(language);
    const { addressBook } = chat.deps;
    await chat.links.setMerchant(USER, true);
    await addressBook.setName(USER, ADDRESS, 'x'.repeat(24));
    await addressBook.setName(USER, OTHER_ADDRESS, '<b>&"');
    for (const address of [KNOWN, LOOKALIKE]) await addressBook.setName(USER, address, address.slice(0, 12));
    await addressBook.setDefault(USER, ADDRESS);
    for (const data of [
      'addresses:open',
      `addresses:one:${ADDRESS}`,
      `addresses:one:${OTHER_ADDRESS}`,
      `addresses:use:${OTHER_ADDRESS}`,
      `addresses:remove:${OTHER_ADDRESS}`,
    ]) {
      await chat.tap(data);
      expectWithinLimits(chat.last());
      const advice = `${data} has more than eight buttons: lower MAX_ACTIONS in address-menus.ts`;
      expect(chat.data().length, advice).toBeLessThanOrEqual(8);
    }
  });
});

test('the default address of the settings is set by pasting or picking one, and removed', async ({
  chat,
}) => {
  const { addressBook } = chat.deps;
  const current = async () => (await addressBook.readAhead(USER)()).defaultAddress;
  await chat.write('/settings');
  await chat.expectReply('addresses:default', '★ Default address</b>: none');
  await chat.expectReply(KNOWN, 'Default address set.', KNOWN);
  expect(await current()).toBe(KNOWN);
  await chat.input('addresses:default');
  await chat.expectReply(LOOKALIKE, 'Save this one too?');
  await chat.expectReply(answerData('yes'), 'Default address set.', LOOKALIKE);
  await chat.input('addresses:default');
  await chat.expectReply(answerData(KNOWN), 'Default address set.', KNOWN);
  await chat.input('addresses:default');
  await chat.expectReply(answerData('none'), 'No default address any more.');
  expect([await current(), chat.dataWith('confirm')]).toEqual([undefined, '']);
});

test('an address with more than six actions has the last ones below More', async () => {
  const started: string[] = [];
  const buttons = [
    'button-account',
    'button-balance',
    'button-help',
    'button-history',
    'button-prices',
    'button-privacy',
    'button-settings',
  ] as const;
  const startable = buttons.map((button) =>
    defineFeature(() => ({
      name: button,
      menu: { button, place: 'more', for: 'linked' },
      startWithAddress: async (_ctx, address) => started.push(`${button} ${address}`),
    })),
  );
  const chat = await openChat('en', { definitions: [addressesFeature, menuFeature, ...startable] });
  const to = (name: string) => `${name}:to:${OTHER_ADDRESS}`;
  await chat.tap(`addresses:use:${OTHER_ADDRESS}`);
  expect(chat.data().slice(0, 6)).toEqual([
    ...buttons.slice(0, 5).map(to),
    `addresses:more:${OTHER_ADDRESS}`,
  ]);
  expect(chat.data()).toHaveLength(8);
  await chat.tapShown(`addresses:more:${OTHER_ADDRESS}`);
  expect(chat.data()).toEqual([...buttons.slice(5).map(to), `addresses:use:${OTHER_ADDRESS}`, 'menu:open']);
  chat.shows(OTHER_ADDRESS);
  await chat.tapShown(to('button-settings'));
  expect(started).toEqual([`button-settings ${OTHER_ADDRESS}`]);
});

const { features } = await openChat('en');
/** Below its card, energy isn't offered again. */
const STARTABLE = features.flatMap(({ name, startWithAddress }) =>
  startWithAddress && name !== 'energy' ? [name] : [],
);

test.each(STARTABLE)('below the card of a pasted address, %s starts with it', async (name) => {
  const chat = await openChat('en');
  await chat.expectReply(`please use ${ADDRESS}`, CHECK, '65,000 energy · 1 h', `<code>${ADDRESS}</code>`);
  await chat.tapShown(chat.dataWith('operation:more'));
  chat.shows(USE, `<code>${ADDRESS}</code>`);
  const start = `${name}:to:${ADDRESS}`;
  if (!chat.data().includes(start)) await chat.tapShown(chat.dataWith('addresses:more'));
  await chat.tapShown(start);
  const { step } = await openStateOf(chat);
  expect(step).not.toBe('address');
  if (step === undefined) chat.shows(CHECK, ADDRESS);
  else expect(Object.values(await openStateOf(chat))).toContain(ADDRESS);
});

test.each([
  ['a guest', { linked: false }, false],
  ['a merchant', {}, true],
])('answers %s with an invoice', async (_, options, isMerchant) => {
  const chat = await openChat('en', options);
  if (isMerchant) await chat.links.setMerchant(USER, true);
  await chat.expectReply(`2 transfers, 24h: ${ADDRESS}`, 'Invoice · 130,000 energy · 24 h', 'Price: about');
});

describe('an order of a merchant', () => {
  test.each([
    [`${ADDRESS} Order 319 Bob`, '65,000 energy · 1 h', 'Order 319 Bob'],
    [`${ADDRESS}\n2 transfers 24h Order 319`, '130,000 energy · 24 h', 'Order 319'],
    [`${ADDRESS} Order 319 for Bob 131k 24h`, '131,000 energy · 24 h', 'Order 319 for Bob'],
    [`131k 1 day ${ADDRESS} Bob`, '131,000 energy · 24 h', 'Bob'],
    [`${ADDRESS} Order 104512`, '65,000 energy · 1 h', 'Order 104512'],
    [`Zoe ${ADDRESS}`, '65,000 energy · 1 h', 'Zoe'],
    [`for Zoe: ${ADDRESS} 131k`, '131,000 energy · 1 h', 'Zoe'],
    [`Order 319\n${ADDRESS}\n24h`, '65,000 energy · 24 h', 'Order 319'],
    [`131k for Zoe to ${ADDRESS}`, '131,000 energy · 1 h', 'Zoe'],
    [`invoice for Zoe Miller 24h ${ADDRESS}`, '65,000 energy · 24 h', 'Zoe Miller'],
    [`счёт для Зои: ${ADDRESS}`, '65,000 energy · 1 h', 'для Зои'],
    [`Zoe ${ADDRESS} order 5`, '65,000 energy · 1 h', 'Zoe order 5'],
    [`Send to Anna ${ADDRESS}`, '65,000 energy · 1 h', 'Anna'],
    [`send 131k to Anna ${ADDRESS}`, '131,000 energy · 1 h', 'Anna'],
    [`please make an invoice for my customer Anna ${ADDRESS} thanks`, '65,000 energy · 1 h', 'Anna'],
    [`счёт для моей клиентки Ани ${ADDRESS} спасибо`, '65,000 energy · 1 h', 'для Ани'],
    [`${ADDRESS} - Anna`, '65,000 energy · 1 h', 'Anna'],
    [`200000 energy for ${ADDRESS} for 3 days for Bob`, '200,000 energy · 24 h', 'Bob'],
    [`${ADDRESS} 6h for Zoe (desk 4)`, '65,000 energy · 24 h', 'Zoe (desk 4)'],
    [`${ADDRESS} Bob for 3 days`, '65,000 energy · 24 h', 'Bob'],
    [`${ADDRESS} для Боба на 3 дня`, '65,000 energy · 24 h', 'для Боба'],
    [`${ADDRESS} на 2 дня для Боба`, '65,000 energy · 24 h', 'для Боба'],
    [`energy for Bob for ${ADDRESS}`, '65,000 energy · 1 h', 'Bob'],
    [`счет на оплату для ${ADDRESS} Зоя стол 4`, '65,000 energy · 1 h', 'Зоя стол 4'],
    [`счёт на оплату для Зои ${ADDRESS}`, '65,000 energy · 1 h', 'для Зои'],
    [`ссылка на оплату для Зои ${ADDRESS}`, '65,000 energy · 1 h', 'для Зои'],
    [`payment link for Zoe ${ADDRESS}`, '65,000 energy · 1 h', 'Zoe'],
    [`/invoice ${ADDRESS} for 3 days for Bob`, '65,000 energy · 24 h', 'Bob'],
  ])('has the words beside the address as its note: %j', async (text, title, note) => {
    for (const before of [[], ['/invoice'], [`/invoice ${OTHER_ADDRESS}`]]) {
      const chat = await openChat('en');
      await chat.links.setMerchant(USER, true);
      await chat.input(...before);
      const shown = chat.views().length;
      await chat.write(text);
      const [card] = chat.views().slice(shown);
      for (const part of [
        `Invoice · ${title}`,
        `<code>${ADDRESS}</code>`,
        `Note for the customer: <code>${note}</code>`,
      ])
        expect(card?.html, before.join()).toContain(part);
      expect(card?.html).not.toContain('Taken as');
    }
  });

  test.each([
    ...[
      `${ADDRESS} for 131k`,
      `${ADDRESS} for 131k please`,
      `${ADDRESS} for 3 days`,
      `Hello! ${ADDRESS}`,
      `${ADDRESS} 2`,
      `2 ${ADDRESS}`,
      `order 65k to ${ADDRESS}`,
    ],
    ...[`Hi Bob, please send to ${ADDRESS}`, `Купи 65к на адрес ${ADDRESS}`, `My wallet: ${ADDRESS}`],
    ...[`10:45 ${ADDRESS}`, `price for ${ADDRESS}`, `цена для ${ADDRESS}`, `${ADDRESS} thanks`],
    `${ADDRESS} how much?`,
  ])('has no note: %j', async (text) => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await chat.expectReply(text, 'Review and confirm');
    expect(chat.html()).not.toContain('Note for the customer');
  });

  test.each(['Bob is a friend', 'Bob pays here', 'Anna from the shop on the corner of our street'])(
    'offers unclear words as its note: %j',
    async (words) => {
      for (const [answer, note] of [
        ['add', words],
        ['none', undefined],
      ] as const) {
        const chat = await openChat('en');
        await chat.links.setMerchant(USER, true);
        await chat.expectReply(
          `${words} ${ADDRESS} 2 transfers`,
          chat.words.html('invoice-note-offered', { note: words }),
        );
        await chat.expectReply(answerData(answer), 'Invoice · 130,000 energy', ADDRESS);
        const shown = `Note for the customer: <code>${words}</code>`;
        expect(chat.html().includes(shown)).toBe(note !== undefined);
      }
    },
  );

  test('explains why unclear words with a link can be no note', async () => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await chat.expectReply(
      `Bob pays here http://evil.com ${ADDRESS}`,
      chat.words.html('problem-invoice-note-link'),
    );
  });

  test('keeps the note while the merchant chooses one of several addresses', async () => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await chat.expectReply(`Zoe ${ADDRESS} ${OTHER_ADDRESS} 2 transfers`, 'address');
    await chat.expectReply(answerData(ADDRESS), 'Invoice · 130,000 energy', ADDRESS, '<code>Zoe</code>');
  });

  test.each(['buy energy', 'buy for myself 65k', 'купить себе', 'rent energy for my wallet'])(
    'is a purchase with %j, not an invoice',
    async (words) => {
      const chat = await openChat('en');
      await chat.links.setMerchant(USER, true);
      await chat.expectReply(`${words} ${ADDRESS}`, 'Review and confirm');
      expect(chat.html()).not.toContain('Invoice');
    },
  );

  test('asks for another note if the words can be none', async () => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await chat.expectReply(
      `${ADDRESS} ${'long '.repeat(30)}`,
      chat.words.html('invoice-note', { note: 'none', max: 100 }),
    );
  });

  test("takes no note from a customer's message that is forwarded", async () => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    const forward_origin = { type: 'hidden_user', sender_user_name: 'Bob', date: 1 } as const;
    await chat.bring({ text: `${ADDRESS} thanks in advance`, forward_origin });
    chat.shows('Review and confirm');
    expect(chat.html()).not.toContain('Note for the customer');
  });
});

test.each([
  [`${ADDRESS} 65000 1h`, '65,000 energy · 1 h'],
  [`131k ${ADDRESS} 24 hours`, '131,000 energy · 24 h'],
  [`3 transfers for ${ADDRESS}`, '195,000 energy · 1 h'],
  [`90 transfers for ${ADDRESS}`, '90 is too many: at most 76 transfers.'],
  [`1 day ${ADDRESS}`, '65,000 energy · 24 h'],
  [`${ADDRESS} 12 TRX`, '65,000 energy · 1 h'],
  [`Hi! Last time 131000 was not enough for ${ADDRESS}, so look at it`, 'Taken as 65,000 energy'],
  [`${ADDRESS} 24`, '65,000 energy · 24 h'],
  [`I need 131000 for ${ADDRESS} for a day, please`, '131,000 energy · 24 h'],
  [`65000 and 131000 ${ADDRESS}`, 'Taken as 65,000 energy. Another amount? Send it.'],
  [`please 500 energy ${ADDRESS}`, '500 is too little: at least 32,000.\nTaken as 65,000 energy.'],
  // Times, sums of money and numbers of a list are no amounts of energy.
  [`[27.11.2026 10:45] Bob: ${ADDRESS}`, '65,000 energy · 1 h'],
  [`Please send 50 to ${ADDRESS}`, '65,000 energy · 1 h'],
  [`50 to ${ADDRESS}`, '65,000 energy · 1 h'],
  [`20$ ${ADDRESS}`, '65,000 energy · 1 h'],
  [`50 руб ${ADDRESS}`, '65,000 energy · 1 h'],
  [`Wallet 3: ${ADDRESS}`, '65,000 energy · 1 h'],
  [`10:45 ${ADDRESS}`, '65,000 energy · 1 h'],
])('understands the order %j', async (text, title) => {
  for (const before of [[], ['/buy'], ['/buy', OTHER_ADDRESS]]) {
    const chat = await openChat('en');
    await chat.input(...before);
    const shown = chat.views().length;
    await chat.write(text);
    const html = chat
      .views()
      .slice(shown)
      .map((view) => view.html)
      .join();
    for (const part of [title, `<code>${ADDRESS}</code>`]) expect(html, before.join()).toContain(part);
  }
});

test.each([true, false])('*Back* from more actions shows the card again (linked: %s)', async (linked) => {
  const chat = await openChat('en', { linked });
  await chat.expectReply(`${ADDRESS} 131000 24h`, CHECK);
  const card = chat.html();
  await chat.tapShown(chat.dataWith('operation:more'));
  const message = chat.lastMessage();
  if (linked) {
    await chat.tapShown(chat.dataWith('addresses:more'));
    await chat.tapShown(chat.dataWith('addresses:use'));
  }
  await chat.tapShown(chat.dataWith('addresses:card'));
  expect([chat.html(), chat.lastMessage()]).toEqual([card, message]);
  expect(chat.dataWith('operation:confirm')).toBeDefined();
});

test.each([true, false])('shows the card again after its address was named (linked: %s)', async (linked) => {
  const chat = await openChat('en', { linked });
  await chat.expectReply(`${ADDRESS} 131000 24h`, CHECK);
  await chat.tapShown(chat.dataWith('operation:more'));
  await chat.tapShown(chat.dataWith('addresses:save'));
  chat.shows('Name this address');
  await chat.tapShown(answerData('back'));
  await chat.tapShown(chat.dataWith('addresses:save'));
  await chat.expectReply('Main', CHECK, 'Saved as <b>Main</b>', '131,000 energy · 24 h');
  expect(chat.html()).not.toContain(chat.words.html('flow-left'));
  expect(await openStateOf(chat)).toEqual({});
  await chat.expectReply('24h', CHECK);
});

test.each([
  ['en', '3h', /65,000 energy · 24 h/],
  ['ru', '131k 24ч', /131 000( энергии)? · 24 ч/],
] as const)('an order typed below the menu of an address in %s is for it: %s', async (...given) => {
  const [language, said, title] = given;
  for (const linked of [true, false]) {
    const chat = await openChat(language, { linked });
    await chat.write(ADDRESS);
    await chat.tapShown(chat.dataWith('operation:more'));
    await chat.expectReply(said, ADDRESS);
    expect(withPlainSpaces(chat.html())).toMatch(title);
    expect(await chat.requested()).toMatchObject({ address: ADDRESS, duration_hours: 24 });
  }
});

test('offers a guest an invoice and linking an account', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap(`addresses:use:${ADDRESS}`);
  expect(chat.data()).toContain(`invoice:to:${ADDRESS}`);
  expect(chat.data()).toContain('link:open');
  expect(chat.data().join()).not.toMatch(/withdraw|energy:to|smart-mode/);
  await chat.expectReply(`invoice:to:${ADDRESS}`, '65,000 energy');
});

test.each([
  ['an account', true, 'energy:to', 'invoice:to'],
  ['a guest', false, 'invoice:to', 'link:open'],
])('does not offer %s the purchase again that its card is about', async (_, linked, hidden, offered) => {
  const chat = await openChat('en', { linked });
  await chat.write(ADDRESS);
  await chat.tapShown(chat.dataWith('operation:more'));
  chat.shows(USE);
  expect(chat.data().join()).not.toContain(hidden);
  expect(chat.data().join()).toContain(offered);
});

test.each([
  ['en', `${OTHER_ADDRESS} 350 bandwidth`, 350],
  ['en', `buy 1,050 bandwidth for ${OTHER_ADDRESS}, please`, 1_050],
  ['en', `${OTHER_ADDRESS} bw`, undefined],
  ['ru', `${OTHER_ADDRESS} 350 пропускная способность`, 350],
  ['ru', `350bw ${OTHER_ADDRESS}`, 350],
] as const)('in %s, %j orders bandwidth instead of energy', async (language, text, amount) => {
  const asked = amount === undefined ? 'bandwidth-amount' : 'bandwidth-duration';
  const range: Variables = amount === undefined ? { min: 350, max: 100_000 } : { min: 1, max: 720, amount };
  for (const before of [[], ['/buy', OTHER_ADDRESS]]) {
    const chat = await openChat(language);
    await chat.input(...before, text);
    const shown = chat.views().map(({ html }) => html);
    expect(shown.join()).toContain(chat.words.html(asked, { address: OTHER_ADDRESS, ...range }));
    await chat.input(...(amount === undefined ? ['350', '24'] : ['24']));
    expect(await chat.requested()).toMatchObject({
      ...{ kind: 'bandwidth', address: OTHER_ADDRESS },
      ...{ bandwidth_amount: amount ?? 350, duration_hours: 24 },
    });
  }
});

test.each([
  [`${OTHER_ADDRESS} 350 bandwidth for 3 days`, { bandwidth_amount: 350, duration_hours: 72 }],
  [`65k with bandwidth ${OTHER_ADDRESS}`, { energy_amount: 65_000, duration_hours: 1 }],
])('reads all terms of %j', async (text, request) => {
  const chat = await openChat('en');
  await chat.write(text);
  expect(await chat.requested()).toMatchObject(request);
});

test('keeps the amount of bandwidth until the address follows', async () => {
  const chat = await openChat('en');
  await chat.expectReply('350 bandwidth', chat.words.html('bandwidth-address'));
  const about = { address: OTHER_ADDRESS, amount: 350, min: 1, max: 720 };
  await chat.expectReply(OTHER_ADDRESS, chat.words.html('bandwidth-duration', about));
});

test('asks a guest who orders bandwidth for an account', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.expectReply(`${OTHER_ADDRESS} 350 bandwidth`, chat.words.html('account-needed'));
});

test.each(['can I pay with Binance?', 'can i pay with binance', 'Is my Binance safe?'])(
  'takes the question %j with a saved name for no order',
  async (question) => {
    const chat = await openChat('en');
    await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Binance');
    await chat.write(question);
    expect(chat.html()).not.toContain(OTHER_ADDRESS);
  },
);

test.each(['Binance', 'Binance?', 'send energy to Binance', 'Binance 65k', 'energy for my Binance, please'])(
  'takes %j with a saved name for an order',
  async (order) => {
    const chat = await openChat('en');
    await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Binance');
    await chat.expectReply(order, '65,000 energy · 1 h', OTHER_ADDRESS);
  },
);

test("a question with a saved name doesn't answer the question for the address", async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Binance');
  await chat.expectReply('/buy', 'Which address');
  await chat.write('can I pay with Binance?');
  expect(chat.html()).not.toContain(CHECK);
  chat.shows('Which address');
});

test.each(['maintenance', 'storage'] as const)(
  'shows the menu of the address while payments are closed by %s, also for one of several',
  async (by) => {
    for (const language of LANGUAGES) {
      const chat = await openChat(language);
      vi.spyOn(chat.deps.paymentsGate, 'closed').mockResolvedValue({ by, why: 'a test' });
      if (by === 'maintenance') await chat.deps.maintenance.turnOn(900);
      for (const input of [`${ADDRESS} 65000 1h`, `addresses:order:${ADDRESS}`]) {
        await chat.input(input);
        chat.shows(`<code>${ADDRESS}</code>`);
        expect(chat.data()).toContain(`energy:to:${ADDRESS}`);
      }
      expect(await storedKeys(chat.setup.storage, 'operation:')).toEqual([]);
    }
  },
);

test('without an operator key, replies to a guest that an account is needed', async () => {
  const chat = await openChat('en', { linked: false, operatorKey: undefined });
  await chat.expectReply(ADDRESS, 'link an account');
});

const link = {
  type: 'text_link' as const,
  offset: 0,
  length: 4,
  url: `https://tronscan.org/#/address/${ADDRESS}`,
};
const command = { type: 'bot_command' as const, offset: 0, length: 10 };

test.each([
  ['below a picture', { caption: `for ${ADDRESS}`, photo: [] }, CHECK],
  ['by /addresses', { text: `/addresses ${ADDRESS}`, entities: [command] }, CHECK],
  // The user sees no address, so nothing is offered for sale.
  ['behind a link', { text: '131k here', entities: [link] }, USE],
  ['behind a link below a picture', { caption: '131k here', caption_entities: [link], photo: [] }, USE],
])('finds an address %s', async (_, message, reply) => {
  const chat = await openChat('en');
  await chat.bring(message);
  chat.shows(reply, ADDRESS);
});

test('asks which address is meant when a message contains several', async ({ chat }) => {
  await chat.expectReply(`${ADDRESS} or ${OTHER_ADDRESS}?`, 'Which one?');
  for (const address of [ADDRESS, OTHER_ADDRESS]) expect(chat.html()).toContain(`<code>${address}</code>`);
  await chat.expectReply(`addresses:order:${OTHER_ADDRESS}`, CHECK, `<code>${OTHER_ADDRESS}</code>`);
  expect(chat.html()).not.toContain(ADDRESS);
  await chat.write(
    Array.from(
      { length: 3 },
      () => `${ADDRESS} ${OTHER_ADDRESS} ${KNOWN} ${LOOKALIKE} TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig`,
    ).join(' '),
  );
  expect(chat.html()).toContain('Too many addresses');
});

test.each([true, false])(
  'keeps amount and duration while one of several addresses is chosen, linked: %s',
  async (linked) => {
    for (const before of [[], ['/buy']]) {
      const chat = await openChat('en', { linked });
      await chat.input(...before, `${ADDRESS} 3 transfers 24h ${OTHER_ADDRESS}`);
      expect(chat.html()).toContain('Which one?');
      await chat.expectReply(answerData(OTHER_ADDRESS), '195,000 energy · 24 h', OTHER_ADDRESS);
    }
  },
);

test('asks which of several addresses gets bandwidth, and keeps amount and duration', async () => {
  const chat = await openChat('en');
  await chat.expectReply(`${ADDRESS} 350 bandwidth 3 days ${OTHER_ADDRESS}`, 'Which one?');
  await chat.expectReply(answerData(OTHER_ADDRESS), '350 bandwidth · 72 h', OTHER_ADDRESS);
});

test.each([
  ['en', `${ADDRESS} 131000 1h for Bob`, 'Note “Bob” left out: only invoices for customers have notes.'],
  ['en', `for Bob: ${ADDRESS} 131k`, 'Note “Bob” left out: only invoices for customers have notes.'],
  ['ru', `${ADDRESS} 131000 1ч для Вани`, 'Комментарий «для Вани» не добавлен'],
  ['en', `${ADDRESS} 131k for my wallet`, undefined],
  ['en', `energy for ${ADDRESS} for 24 hours please`, undefined],
  ['ru', `мне для кошелька ${ADDRESS} на 24 ч`, undefined],
] as const)('says that a guest’s order has no note, in %s: %s', async (language, text, left) => {
  const chat = await openChat(language, { linked: false });
  await chat.expectReply(text, ADDRESS, left ?? '');
  if (left === undefined)
    expect(chat.html()).not.toContain(chat.words.plain('order-note-left', { note: '' }).slice(-30));
});

test('names a contract among several addresses, on its own, and in a link', async () => {
  const chat = await openChat('en');
  await chat.expectReply(`tron:${OTHER_ADDRESS}?token=${ADDRESS}`, `${ADDRESS}</code> · USDT contract`);
  expect(chat.labels()).toContainEqual(expect.stringMatching(/^2 · .* · USDT contract$/));
  await chat.expectReply(ADDRESS, 'This is the USDT contract');
  for (const inputs of [[], ['/buy'], ['/addresses', 'addresses:add'], ['/bandwidth', OTHER_ADDRESS]]) {
    const chat = await openChat('en');
    await chat.input(...inputs, `https://tronscan.org/#/token20/${ADDRESS}`);
    const isAmount = inputs[0] === '/bandwidth';
    if (!isAmount) chat.shows("That's the USDT contract, not a wallet address");
    expect(chat.data().join()).not.toContain(ADDRESS);
  }
  await chat.write('cancel');
  await chat.expectReply(`/buy tron:${ADDRESS}?token=USDT 65000 1`, "That's the USDT contract");
});

test('says that an address is shortened', async () => {
  for (const inputs of [[], ['/buy'], ['addresses:add']]) {
    const chat = await openChat('en');
    await chat.input(...inputs, 'TLx8h…iLGg4');
    chat.shows('is shortened');
  }
  const chat = await openChat('en');
  await chat.expectReply('/buy TLx8h…iLGg4 65000 1', 'is shortened', 'Which address');
});

test.each([
  ['groups of four', OTHER_ADDRESS.replace(/.{4}(?=.)/g, '$& ')],
  ['two lines', `${OTHER_ADDRESS.slice(0, 28)}\n${OTHER_ADDRESS.slice(28)}`],
])('accepts an address in %s wherever it accepts one, also beside an amount', async (_, text) => {
  for (const inputs of [
    [`${text} 131000 24h`],
    ['/buy', `${text} 131000 24h`],
    [`/buy ${text} 131000 24h`],
  ]) {
    const chat = await openChat('en');
    await chat.input(...inputs);
    chat.shows('131,000 energy · 24 h', `<code>${OTHER_ADDRESS}</code>`);
  }
});

test('at an address question, offers each address of the message as an answer', async ({ chat }) => {
  await chat.write('/buy');
  await chat.expectReply(`${ADDRESS} or ${OTHER_ADDRESS}?`, 'Which one?');
  expect(chat.data().slice(0, 2)).toEqual([answerData(ADDRESS), answerData(OTHER_ADDRESS)]);
  await chat.expectReply(answerData(OTHER_ADDRESS), `Energy for (the sender): <code>${OTHER_ADDRESS}</code>`);
});

test.each([
  [`${ADDRESS.slice(0, 4)}Н${ADDRESS.slice(5)}`, '“Н” at position 5'],
  [ADDRESS.slice(0, -1), 'This address has 33 characters'],
  [ADDRESS.replace('Hq', 'hQ'), 'has a typo'],
  [ADDRESS.toLowerCase(), 'Capitals matter'],
])('explains what is wrong with %s and offers no action', async (text, problem) => {
  const chat = await openChat('en');
  await chat.write(text);
  expect(chat.html()).toContain(problem);
  expect(chat.data()).toEqual(['menu:open']);
});

test('at a question that expects no address, offers to start over with it', async ({ chat }) => {
  await chat.input('/bandwidth', ADDRESS);
  await chat.expectReply(`rather ${OTHER_ADDRESS}`, 'Send a whole number');
  expect(chat.last().keyboard[0]).toMatchObject([
    { text: expect.stringMatching(/Other actions: T.{5}…/), callback_data: `addresses:use:${OTHER_ADDRESS}` },
  ]);
  await chat.expectReply(answerData('350'), `<code>${ADDRESS}</code>`);
  await chat.input(OTHER_ADDRESS, `addresses:use:${OTHER_ADDRESS}`);
  chat.shows(USE);
});

test('a menu that replaces a question ends it', async () => {
  const chat = await openChat('en');
  await chat.input('/withdraw');
  await chat.expectReply(`rather ${OTHER_ADDRESS}`, 'How much');
  const question = chat.lastMessage();
  await chat.tapShown(`addresses:use:${OTHER_ADDRESS}`);
  chat.shows(chat.words.html('flow-left'), chat.words.html('address-use'));
  await chat.expectReply('12', "I didn't understand that");
  expect(chat.payloads('deleteMessage')).not.toContainEqual(
    expect.objectContaining({ message_id: question }),
  );
});

test('another address replaces the card; a similar one is not saved', async ({ chat }) => {
  const { addressBook } = chat.deps;
  await addressBook.remember(USER, KNOWN);
  await chat.write(`/activate ${OTHER_ADDRESS}`);
  const [card, confirm] = [chat.lastMessage(), chat.dataWith('confirm')];
  await chat.write(LOOKALIKE);
  expect(chat.allHtml()).toContain('Possible scam');
  const [, present = ''] = chat.views().flatMap((view) => buttonsOf(view)['✅ Confirm'] ?? []);
  const stateOf = async (data: string) =>
    (await chat.setup.read({ user: USER, id: data.split(':')[2] ?? '' })).state;
  await chat.tap(confirm, { message: card, carried: true });
  expect(await stateOf(confirm)).toBe('replaced');
  await chat.tap(present, { carried: true });
  expect(await stateOf(present)).toBe('claimed');
  expect(await addressBook.get(USER)).toEqual({ addresses: [{ address: KNOWN }] });
});

test('warns about an address similar to a known one and saves it only after confirmation', async ({
  chat,
}) => {
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.expectReply(LOOKALIKE, 'Possible scam', KNOWN.replace(/.{4}(?=.)/g, '$& '));
  await chat.input('cancel', '/menu', `addresses:save:${LOOKALIKE}`);
  chat.shows('Possible scam');
  await chat.input(answerData('yes'), 'The other');
  expect((await chat.deps.addressBook.get(USER)).addresses[0]).toEqual({
    address: LOOKALIKE,
    name: 'The other',
  });
});

test('names can be saved, changed and used as answers, and must be unique', async ({ chat }) => {
  await chat.expectReply(`addresses:save:${ADDRESS}`, 'Name this address');
  await chat.expectReply('Main wallet', '<b>Main wallet</b>');
  await chat.input('addresses:add', OTHER_ADDRESS);
  await chat.expectReply('main WALLET', 'names another address', ADDRESS);
  await chat.input('Cold', `addresses:rename:${OTHER_ADDRESS}`, 'Colder');
  for (const [name, address] of [
    ['colder', OTHER_ADDRESS],
    ['Main wallet', ADDRESS],
  ]) {
    await chat.write('/buy');
    expect(chat.labels()[0]).toMatch(/^(Colder|Main wallet) · /);
    await chat.write(name ?? '');
    expect(chat.html()).toContain(`Energy for (the sender): <code>${address}</code>`);
    await chat.write('cancel');
  }
});

test.each([
  ['x'.repeat(25), 'too long'],
  [' \u200b ', 'invisible'],
  [ADDRESS, 'an address'],
  ['65000', 'a number'],
  ['a'.repeat(20), 'similar to an address'],
  ['Cold · A', 'contains the separator of button labels'],
  ['Yes', 'a word that confirms'],
  ['подтвердить', 'a Russian word that confirms'],
  ['🔥', 'contains no letter'],
])('rejects the name %j (%s) and explains what is allowed', async (name) => {
  const chat = await openChat('en');
  await chat.tap(`addresses:save:${OTHER_ADDRESS}`);
  await chat.write(name);
  expect(chat.html()).toContain('Send up to 24 characters');
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([]);
});

test('refuses a new name before asking for it when the address book is full', async ({ chat }) => {
  for (let at = 0; at < MAX_NAMED; at++) await chat.deps.addressBook.setName(USER, `T${at}`, `n${at}`);
  await chat.expectReply(`addresses:save:${OTHER_ADDRESS}`, `You've named ${MAX_NAMED} addresses`);
});

test('the default address comes first in questions and can be unset and removed', async ({ chat }) => {
  for (const address of [ADDRESS, OTHER_ADDRESS]) await chat.deps.addressBook.remember(USER, address);
  await chat.expectReply(`addresses:one:${ADDRESS}`, 'Make it the default');
  await chat.expectReply(
    `addresses:prefer:${addressTail(ADDRESS)}`,
    '★ <b>Address</b> · default',
    '\n\nEnergy and bandwidth go here',
  );
  await chat.write('/activate');
  expect(chat.labels()[0]).toMatch(/^★ TR7NHq/);
  await chat.write('/cancel');
  await chat.expectReply('/settings', '★ TR7NHq');
  await chat.tap(`addresses:prefer-none:${addressTail(ADDRESS)}`);
  expect(chat.html()).not.toContain('★');
  await chat.expectReply(`addresses:remove:${ADDRESS}`, 'Remove this address?');
  await chat.expectReply(`addresses:remove-yes:${addressTail(ADDRESS)}`, 'Removed');
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([{ address: OTHER_ADDRESS }]);
});

test('splits a long address book into pages', async ({ chat }) => {
  for (let at = 0; at < 8; at++) await chat.deps.addressBook.setName(USER, `T${at}`, `n${at}`);
  await chat.expectReply('/addresses', 'n7');
  expect(chat.html()).not.toContain('<b>n1</b>');
  await chat.expectReply('addresses:page:6', '8. <b>n0</b>');
  expect(chat.data()).toContain('addresses:open');
});

test.each([
  'use:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
  'one:nothing',
  `one:${OTHER_ADDRESS}`,
  `prefer:${addressTail(OTHER_ADDRESS)}`,
  `remove-yes:${addressTail(OTHER_ADDRESS)}`,
  `rename:${OTHER_ADDRESS}`,
  `remove:${OTHER_ADDRESS}`,
  'save:',
])('a forged tap on %s changes nothing and gets a toast', async (made) => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.tap(`addresses:${made}`);
  expect(chat.toast()).toBeDefined();
  expect(await chat.deps.addressBook.get(USER)).toEqual({ addresses: [{ address: ADDRESS }] });
});

test('a similarity warning shows the known address before the given one', async () => {
  const fours = (address: string) => address.replace(/.{4}(?=.)/g, '$& ');
  const warning = new RegExp(`Yours: ${fours(KNOWN)}[^]*This one: ${fours(LOOKALIKE)}`);
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.write(LOOKALIKE);
  expect(chat.html()).toMatch(warning);
  await chat.input('addresses:add', LOOKALIKE);
  expect(chat.html()).toMatch(warning);
  await chat.tap(answerData('back'));
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([{ address: KNOWN }]);
});

test('escapes HTML in address names in all views', async ({ chat }) => {
  await chat.deps.addressBook.setName(USER, ADDRESS, '<b>&"x');
  await chat.deps.addressBook.setDefault(USER, ADDRESS);
  for (const data of ['open', `one:${ADDRESS}`, `use:${ADDRESS}`, `remove:${ADDRESS}`]) {
    await chat.tap(`addresses:${data}`);
    expect(chat.html(), data).toContain('&#60;b&#62;&#38;&#34;x');
  }
  await chat.expectReply('/settings', '&#60;b&#62;&#38;&#34;x');
});

test('treats names that differ only in case or surrounding symbols as equal', async ({ chat }) => {
  await chat.deps.addressBook.setName(USER, ADDRESS, 'Kraken +');
  for (const name of ['kraken', 'Kraken -', '🔥 KRAKEN']) {
    await chat.tap(`addresses:save:${OTHER_ADDRESS}`);
    await chat.write(name);
    expect(chat.html(), name).toContain('names another address');
  }
  await chat.expectReply('Twenty-four letters here', '<b>Twenty-four letters here</b>');
  await chat.tap(`addresses:rename:${ADDRESS}`);
  await chat.expectReply('KRAKEN', '<b>KRAKEN</b>');
});

test('shows a button for each of four addresses, at a question and without one', async () => {
  const four = [ADDRESS, OTHER_ADDRESS, KNOWN, 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig'];
  const chat = await openChat('en');
  await chat.write(four.join(' '));
  expect(chat.data().slice(0, 4)).toEqual(four.map((address) => `addresses:order:${address}`));
  await chat.write('/buy');
  await chat.write(four.join(' '));
  expect(chat.data().slice(0, 4)).toEqual(four.map((address) => answerData(address)));
});
