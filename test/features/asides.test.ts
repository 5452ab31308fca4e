import type { Message } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import type { TextKey } from '../../src/i18n/keys.ts';
import type { Language } from '../../src/i18n/texts.ts';
import { shortenAddress } from '../../src/i18n/texts.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/clock.ts';
import { answerData } from '../../src/views/callback-data.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { ENERGY, FILLED, USER, WITHDRAW_CAP, WITHDRAWAL } from '../operations/operations-setup.ts';
import { ADDRESS, API_KEY, accepted, orderOf, subscription } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { type Chat, OTHER_ADDRESS, openChat } from './chat.ts';

const VOICE = { voice: {} } as Partial<Message>;
const STICKER = { sticker: {} } as Partial<Message>;
const PHOTO = { photo: [] } as Partial<Message>;

/** Returns all that was shown after a message, in Telegram's HTML. */
async function repliesTo(chat: Chat, text: string): Promise<string> {
  const before = chat.views().length;
  await chat.write(text);
  const shown = chat.views().slice(before);
  return shown.map(({ html }) => html).join('\n');
}

/** Texts and media from strangers, with the text in the reply. */
const SAID: readonly (readonly [text: string | Partial<Message>, reply: TextKey])[] = [
  ...[
    'hello',
    'hello?',
    'hello? anyone there',
    'Алло?',
    'how are you',
    'How are you?',
    'Как дела?',
    'Hi!',
    'good morning',
    'hey there',
    'привет',
    'Добрый день!',
  ].map((text) => [text, 'talk-hello'] as const),
  ...['thanks', 'thank you very much!!', 'thx, it worked', 'ok thanks', 'Спасибо большое', 'спс'].map(
    (text) => [text, 'talk-thanks'] as const,
  ),
  ...['ok', 'OK.', 'Great!', 'got it', 'понятно', 'хорошо, ок'].map((text) => [text, 'talk-ok'] as const),
  ...['bye', 'see you', 'До свидания'].map((text) => [text, 'talk-bye'] as const),
  ...['👍', '🙏🙏', '😂!', STICKER].map((said) => [said, 'talk-emoji'] as const),
  [VOICE, 'talk-voice'],
  [PHOTO, 'talk-picture'],
  [{ contact: {} } as Partial<Message>, 'talk-file'],
];
const READ: readonly (readonly [text: string, shown: TextKey])[] = [
  ...[
    'price',
    'Prices?',
    'how much?',
    'show me the prices',
    'What does energy cost?',
    'цена',
    'Сколько стоит?',
  ].map((text) => [text, 'prices-card'] as const),
  ...['?', '??', 'help', 'What is energy?', 'что такое энергия', 'помощь', 'Как это работает?'].map(
    (text) => [text, 'help-questions'] as const,
  ),
  ...['balance', 'my balance', 'Баланс', 'где мои деньги?', 'My money is gone!'].map(
    (text) => [text, 'menu-balance'] as const,
  ),
  ...[
    'history',
    'История',
    'мои заказы',
    'where is my energy?',
    'where is my withdrawal?',
    'How much did I pay today?',
    'сколько я сегодня заплатил?',
  ].map((text) => [text, 'history-title'] as const),
  ...['how do I pay?', 'can I pay with USDT?', 'Как оплатить?'].map(
    (text) => [text, 'help-question-invoice'] as const,
  ),
  ...['settings', 'язык'].map((text) => [text, 'settings-card'] as const),
];

/** Questions in users' own words, and the topic that answers them. Without one, the likely ones are listed. */
const ASKED: Readonly<Record<Language, readonly (readonly [text: string, topic: TextKey | undefined])[]>> = {
  en: [
    ['How can I sell energy to my customers and accept payments?', 'help-question-sale'],
    ['what happens if I pay too late?', 'help-question-invoice'],
    ['is my key safe?', 'help-question-key'],
    ['How do my customers pay?', undefined],
    ['why was TRX burned?', 'help-question-burned'],
  ],
  ru: [
    ['сколько идёт вывод?', 'help-question-withdrawal'],
    ['где взять ключ?', 'help-question-key'],
    ['почему сгорели trx?', 'help-question-burned'],
    ['как платят мои покупатели?', undefined],
  ],
};
/** Writes a text, and returns the views that follow it. */
async function shownAfter(chat: Chat, text: string) {
  const before = chat.views().length;
  await chat.write(text);
  return chat.views().slice(before);
}
const send = (chat: Chat, said: string | Partial<Message>) =>
  typeof said === 'string' ? chat.write(said) : chat.bring(said);

describe.each<Language>(['en', 'ru'])('in %s', (language) => {
  test('small talk without a question gets one warm line, and a greeting the way to buy', async () => {
    const chat = await openChat(language);
    for (const [said, reply] of SAID) {
      await send(chat, said);
      const html = `${chat.words.html(reply)} ${chat.words.html('talk-next')}`;
      expect(chat.last(), JSON.stringify(said)).toMatchObject({ html });
      expect(chat.data()).toEqual(reply === 'talk-hello' ? ['energy:open', 'menu:open'] : ['menu:open']);
    }
    for (const unknown of ['qwerty', '123456', '…']) {
      await chat.write(unknown);
      expect(chat.html()).toBe(chat.words.html('menu-idle'));
    }
  });

  test('a question in own words gets its answer, or the questions that it may mean', async () => {
    const chat = await openChat(language);
    for (const [text, topic] of ASKED[language]) {
      await chat.write(text);
      expect(chat.html().split('\n')[0], text).toContain(chat.words.html(topic ?? 'help-near'));
      if (topic === undefined) expect(chat.data()).toContain('help:open');
    }
    await chat.tap('help:open');
    expect(chat.html()).toContain(chat.words.html('help-questions'));
  });

  test('the name of a feature opens it, also among other words', async () => {
    const chat = await openChat(language);
    for (const [text, shown] of READ) {
      await chat.write(text);
      expect(chat.html(), text).toContain(chat.words.html(shown).split('\n')[0]);
    }
    await chat.expectReply('I want to buy energy', chat.words.html('energy-address'));
    await chat.tap(answerData('cancel'));
    await chat.expectReply('Купить энергию', chat.words.html('energy-address'));
  });

  test.each([
    [["energy didn't arrive", 'my order', 'Not received!', 'nothing came', 'энергия не пришла', 'мой заказ']],
    [['did you get my money?', 'have you received my payment', 'деньги дошли?', 'Вы получили оплату?']],
  ])('a complaint shows what was ordered, not what there is to buy: %s', async (complaints) => {
    const chat = await openChat(language);
    for (const text of complaints) {
      await chat.write(text);
      expect(chat.html(), text).toContain(chat.words.html('history-title').split('\n')[0]);
    }
  });

  test('Help explains what happens to too much money', async () => {
    const chat = await openChat(language);
    const texts = [
      'I paid too much',
      'i paid too much, give my money back',
      'I sent 5 TRX by mistake',
      'переплатил',
    ];
    for (const text of [...texts, 'отправил лишнее']) {
      await chat.write(text);
      expect(chat.html(), text).toContain(chat.words.html('help-question-invoice'));
    }
    await chat.expectReply('When do I get my money back?', chat.words.html('help-question-failed'));
  });

  test('the movements show an account holder whether something was paid twice, and Help tells a guest', async () => {
    const texts = ['I paid twice!', 'why was I charged twice', 'Я оплатил дважды', 'почему списали дважды?'];
    for (const linked of [true, false]) {
      const chat = await openChat(language, { linked });
      const title = chat.words.html(linked ? 'movements-title' : 'help-question-invoice');
      for (const text of texts) {
        await chat.write(text);
        expect(chat.html(), text).toContain(title);
      }
    }
  });

  test('a word for support leads to it, also above an open question', async () => {
    const chat = await openChat(language);
    const contact = chat.words.html('help-support');
    await chat.expectReply('support', contact);
    await chat.input('/buy');
    for (const text of ['support', 'Поддержка'])
      expect((await shownAfter(chat, text)).map(({ html }) => html)).toEqual([
        contact,
        expect.stringContaining(chat.words.html('energy-address')),
      ]);
  });

  test('an open question is repeated below the reply', async () => {
    const chat = await openChat(language);
    const question = chat.words.html('bandwidth-amount', { address: ADDRESS, min: 350, max: 100_000 });
    await chat.input('/bandwidth', ADDRESS);
    for (const [said, reply] of SAID) {
      await send(chat, said);
      expect(chat.html(), JSON.stringify(said)).toBe(`${chat.words.html(reply)}\n\n${question}`);
    }
  });

  test('a feature that only shows something opens above the question', async () => {
    const chat = await openChat(language);
    const question = chat.words.html('bandwidth-amount', { address: ADDRESS, min: 350, max: 100_000 });
    await chat.input('/bandwidth', ADDRESS);
    for (const [text, shown] of READ.filter(([, shown]) => shown !== 'help-questions')) {
      const html = (await shownAfter(chat, text)).map((view) => view.html);
      expect(html.join(), text).toContain(chat.words.html(shown).split('\n')[0]);
      expect(html.at(-1)).toContain(question);
    }
    await chat.expectReply('?', chat.words.html('help-question-bandwidth'));
    expect(chat.data()).toEqual(['help:return', '']);
    await chat.expectReply(
      '350',
      chat.words.html('bandwidth-duration', { address: ADDRESS, amount: 350, min: 1, max: 720 }),
    );
  });

  test('an open card is shown again with the reply', async () => {
    const chat = await openChat(language);
    await chat.write(ADDRESS);
    const card = chat.last();
    for (const [said, reply] of SAID) {
      await send(chat, said);
      const hint = chat.words.html(reply === 'talk-ok' ? 'operation-only-tap' : reply);
      expect(chat.views().at(-1)?.html, JSON.stringify(said)).toBe(`${card.html}\n\n${hint}`);
      expect(chat.views().at(-1)?.keyboard).toEqual(card.keyboard);
    }
  });

  test('a feature that only shows something opens above the card, which can be confirmed', async () => {
    const chat = await openChat(language);
    await chat.write(ADDRESS);
    const card = chat.last();
    for (const [text, shown] of READ) {
      const views = await shownAfter(chat, text);
      expect(views.map(({ html }) => html).join(), text).toContain(chat.words.html(shown).split('\n')[0]);
      expect(views).toContainEqual(card);
    }
    const confirm = Object.values(buttonsOf(card)).find((one) => one.startsWith('operation:confirm:')) ?? '';
    await chat.tap(confirm, { carried: true });
    const id = confirm.split(':').at(-1) ?? '';
    expect(await chat.deps.operations.drafts.find({ user: USER, id })).toMatchObject({ state: 'claimed' });
  });
});

test.each([
  ['en', 'are you a scam?', 'help-question-safe'],
  ['en', 'Is it safe?', 'help-question-safe'],
  ['en', 'what happens if I pay too late?', 'help-question-invoice'],
  ['en', 'I sent USDT on ERC20', 'help-question-invoice'],
  ['en', 'who are you', 'help'],
  ['en', 'bitcoin?', 'help-none'],
  ['en', 'How do my customers pay?', 'help-near'],
  ['ru', 'вы мошенники?', 'help-question-safe'],
  ['ru', 'Это безопасно?', 'help-question-safe'],
  ['ru', 'отправил не по той сети', 'help-question-invoice'],
  ['ru', 'биткоин?', 'help-none'],
] as const)(
  'in %s, “%s” gets its own answer from Help, which an open question keeps only once',
  async (language, text, key) => {
    const chat = await openChat(language, { linked: false });
    const reply = chat.words.html(key, { guest: 'yes' }).split('\n')[0] ?? '';
    const questions = [['/buy', 'invoice-address'] as const, ['_amount', 'energy-amount'] as const];
    for (const [open, asked] of questions) {
      if (open === '/buy') await chat.write(open);
      else {
        await chat.write(ADDRESS);
        await chat.tapShown(chat.dataWith(open));
      }
      const question =
        chat.words.html(asked, { address: ADDRESS, min: 0, max: 0, most: 0 }).split('\n')[0] ?? '';
      for (let times = 0; times < 2; times++) {
        const before = chat.views().length;
        await chat.write(text);
        expect(chat.views()).toHaveLength(before + 1);
        expect(chat.html()).toContain(reply);
        expect(chat.html()).toContain(question);
        expect(chat.html().split(reply)).toHaveLength(2);
      }
    }
  },
);

test('a likely question that Help names above an open one opens below it', async () => {
  const chat = await openChat('en');
  await chat.input('/buy', 'How do my customers pay?');
  const question = chat.last();
  await chat.tapShown(chat.buttons()['1'] ?? '');
  expect(chat.labels()).toContain('‹ Back to the question');
  await chat.tapShown('help:return');
  chat.shows(chat.words.html('energy-address'));
  expect(question.html).toContain(chat.words.html('energy-address'));
});

test('a word that can be an answer is one', async () => {
  const chat = await openChat('en');
  await chat.input(`addresses:save:${OTHER_ADDRESS}`, 'Thanks');
  chat.shows('<b>Thanks</b>');
});

test('the name of another flow offers it, and does not close the question', async () => {
  const chat = await openChat('en');
  const question = chat.words.html('energy-address');
  await chat.input('/buy', 'withdraw');
  chat.shows(chat.words.html('talk-other'), question);
  expect(chat.data()[0]).toBe('withdraw:open');
  await chat.write('buy energy');
  expect(chat.html()).toBe(question);
  await chat.expectReply(ADDRESS, 'Review and confirm');
});

test('a saved name works like its address in a text, and is beside it on the card, receipt and history', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Hot wallet');
  const texts = ['hot wallet', 'send energy to Hot wallet', 'send 131k to hot wallet!', 'Hot wallet 131k'];
  for (const text of texts) {
    await chat.write(text);
    chat.shows('Review and confirm', `<code>${OTHER_ADDRESS}</code> · Hot wallet`);
    chat.shows(text.includes('131k') ? '131,000 energy' : '65,000 energy');
    await chat.write('cancel');
  }
  const bought = await chat.setup.claimed({ request: { ...ENERGY, address: OTHER_ADDRESS } });
  await chat.setup.advance(bought);
  await chat.write('history');
  chat.shows('Hot wallet · T');
  await chat.tap(`history:receipt:${bought.id}`);
  chat.shows(`<code>${OTHER_ADDRESS}</code> · Hot wallet`);
});

test.each([
  ['Exchange', '65,000 energy · 1 h'],
  ['Exchange 3 transfers', '195,000 energy · 1 h'],
  ['buy for Exchange', '65,000 energy · 1 h'],
  ['buy 3 transfers for exchange please', '195,000 energy · 1 h'],
  ['buy for Exchange 24h', '65,000 energy · 24 h'],
  ['Exchange 3 transfers 1h', '195,000 energy · 1 h'],
  ['make it Exchange', '65,000 energy · 1 h'],
  ['сделай для биржа', '65,000 energy · 1 h'],
  ['Биржа 24ч', '65,000 energy · 24 h'],
  ['купи 3 перевода для биржа', '195,000 energy · 1 h'],
])('%j below a card or at the question for an address means the saved address', async (text, title) => {
  const chat = await openChat('en');
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, /[а-я]/.test(text) ? 'Биржа' : 'Exchange');
  for (const before of [ADDRESS, '/buy']) {
    await chat.write(before);
    const card = await repliesTo(chat, text);
    for (const part of ['Review and confirm', title, `<code>${OTHER_ADDRESS}</code>`])
      expect(card).toContain(part);
    await chat.write('/cancel');
  }
});

test('a saved name in a question below a card, and one that is an amount, do not replace its address', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, '131k');
  await chat.write(ADDRESS);
  const former = `131,000 energy · 1 h\nEnergy for (the sender): <code>${ADDRESS}`;
  expect(await repliesTo(chat, '131k')).toContain(former);
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Exchange');
  expect(await repliesTo(chat, 'show my history for Exchange')).toContain(former);
});

test('a question about energy or money shows the receipt of the operation that it means', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  await setup.advance(await setup.claimed());
  for (const question of ['where is my energy?', "What's happening?"]) {
    await chat.write(question);
    chat.shows(chat.words.html('order-unseen'), chat.words.html('order-alerts'));
    expect(chat.html(), question).not.toContain(chat.words.html('history-title'));
  }
  await chat.expectReply("where's my money?", chat.words.html('menu-balance'));
  const lost = await setup.lost();
  await chat.expectReply("what's going on?", `Ref. ${lost.id}:`, 'Result unknown');
  await chat.write('where is my money?');
  await eventually(() => chat.shows(`Ref. <code>${lost.id}</code>`, 'Result unknown', 'Balance: '));
});

test('after unlinking, a question about energy shows the purchase made before', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  await setup.advance(await setup.claimed());
  await chat.tap('account:unlink-yes', { carried: true });
  for (const question of ['where is my energy?', 'Energy not received!']) {
    await chat.expectReply(question, 'Order <b>7</b>', 'Check the address');
  }
  setup.clock.now += 2 * DAY_MS;
  await chat.expectReply('where is my energy?', chat.words.html('invoices-empty', { reader: 'guest' }));
});

/** Makes withdrawals that the service is still processing. */
async function withdrawing(chat: Chat, ...amounts: string[]) {
  const { setup } = chat;
  const listed = amounts.map((trx, at) => ({
    ...{ id: 31 + at, to_address: ADDRESS, amount_trx: trx, fee_trx: '1', status: 'pending' },
    created_at: new Date(setup.clock.now).toISOString(),
  }));
  await setup.announced();
  for (const one of listed) {
    setup.rental.withdraw.mockResolvedValueOnce(accepted(one));
    await setup.executed({
      request: { ...WITHDRAWAL, trx: one.amount_trx, cap: WITHDRAW_CAP } as typeof WITHDRAWAL,
    });
    setup.clock.now += DAY_MS;
  }
  setup.rental.withdrawals.mockResolvedValue(accepted(listed));
}

test('where is my money? names all withdrawals that are being processed', async () => {
  const chat = await openChat('en');
  await withdrawing(chat, '12.50', '7.00');
  await chat.write('where is my money?');
  await eventually(() => chat.shows('Withdrawal of 12.50 TRX', 'Withdrawal of 7.00 TRX'));
});

test('after unlinking, where is my money? names the withdrawals and the account to link again', async () => {
  const chat = await openChat('en');
  await withdrawing(chat, '12.50', '7.00');
  await chat.tap('account:unlink-yes', { carried: true });
  await chat.expectReply('where is my money?', '12.50', '7.00', 'Link account 1001 again');
  expect(chat.data()).toContain('link:open');
});

test.each([
  ['en', 'how much did smart mode cost me?'],
  ['ru', 'сколько стоил Smart Mode?'],
] as const)('in %s, “%s” shows the fees and charges of Smart Mode', async (language, text) => {
  const chat = await openChat(language);
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  await chat.expectReply(text, chat.words.html('smart-mode-list'));
});

test('did it work? shows the latest receipt', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  await setup.advance(await setup.claimed());
  await setup.operations.settlement.report(1001, FILLED);
  await chat.expectReply('did it work?', 'Bought');
});

test('where is my money? names the orders that may still fail above the balance, not one that is over', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  const former = await setup.claimed();
  await setup.advance(former);
  setup.clock.now += 2 * HOUR_MS;
  await setup.advance(await setup.claimed({ request: { ...ENERGY, address: OTHER_ADDRESS } }));
  await chat.expectReply(
    'where is my money?',
    '<b>1.</b> ⏳ 65,000 energy',
    shortenAddress(OTHER_ADDRESS),
    chat.words.html('menu-balance'),
  );
  expect(chat.html()).not.toContain('<b>2.</b>');
});

test.each([
  ['en', ["what's going on?", 'What now?', 'did it work?']],
  ['ru', ['Что происходит?', 'и что теперь?', 'получилось?']],
] as const)('a question during a purchase shows the purchase: %s', async (language, questions) => {
  const chat = await openChat(language);
  const { operation, answer, attended } = await chat.setup.underWay();
  for (const question of questions) {
    await chat.write(question);
    chat.shows(operation.id, chat.words.html('energy-going'));
  }
  answer(orderOf());
  await attended;
});

test.each([
  ['en', ['where is my energy?', 'Energy not received!']],
  ['ru', ['где моя энергия?', 'энергии нет']],
] as const)(
  'a question about energy names Smart Mode that the service paused: %s',
  async (language, questions) => {
    const chat = await openChat(language);
    const { rental } = chat.setup;
    rental.subscriptions.mockResolvedValue(accepted([subscription({ status: 'paused' })]));
    await chat.setup.advance(await chat.setup.claimed());
    for (const question of questions) {
      await chat.write(question);
      expect(chat.html()).toMatch(`${chat.words.html('smart-mode-paused-for', { address: ADDRESS })}\n\n`);
      chat.shows(chat.words.html('order-unseen'));
      expect(chat.data()[0]).toBe('smart-mode:open');
    }
    rental.subscriptions.mockResolvedValue(accepted([subscription()]));
    await chat.write('where is my energy?');
    expect(chat.html()).not.toContain('Smart Mode');
  },
);

test('a question about today names the sum of what was not refunded, also of a guest', async () => {
  const chat = await openChat('en');
  const spent = (trx: string, count: number) =>
    chat.words.html('history-spent', { trx, count, partial: 'no' });
  await chat.expectReply('what did I spend today?', spent('0', 0));
  for (const _ of [1, 2]) await chat.setup.advance(await chat.setup.claimed());
  await chat.expectReply('How much did I pay today?', spent('4.64', 2), chat.words.html('history-title'));
  chat.setup.clock.now += DAY_MS;
  await chat.expectReply('how much have I spent?', spent('0', 0));
  const guest = await openChat('en', { linked: false });
  for (const text of ['how much did I pay today?', 'where is my money?', 'what now?'])
    await guest.expectReply(text, guest.words.html('invoices-empty', { reader: 'guest' }));
});

test.each(['How much can I withdraw?', 'Сколько я могу вывести?'])(
  'a question about what can be withdrawn names balance, fee and limit: %s',
  async (question) => {
    const chat = await openChat('en');
    await chat.expectReply(question, '<b>📤</b>', 'Fee: 1.00 TRX', '1,000.00 TRX', '100.00 TRX left');
  },
);

test.each([
  ['en', ['how much for 3 hours?', 'price for 12 hours', 'What does 2 days cost?'], [3, 12, 48]],
  ['ru', ['сколько за 3 часа?', 'цена на 12 часов', 'Сколько стоит на 2 дня?'], [3, 12, 48]],
] as const)(
  'a question about the price of hours that are not offered names what is: %s',
  async (...asked) => {
    const [language, questions, hours] = asked;
    const chat = await openChat(language);
    await chat.write('/prices');
    for (const [at, question] of questions.entries()) {
      const about = { wanted: hours[at] ?? 0, hours: 24, amount: 65_000, trx: '3.90' };
      await chat.expectReply(question, chat.words.html('prices-not-offered', about));
    }
    await chat.write(language === 'en' ? 'how much for 24 hours?' : 'сколько за 24 часа?');
    expect(chat.html()).toContain(chat.words.html('prices-card'));
    expect(chat.html()).not.toContain('3.90 TRX.');
  },
);

test.each<[language: Language, shown: TextKey, texts: string[]]>([
  ['en', 'forget-ask', ['delete my data', 'please erase my data', 'Remove all my data!']],
  ['ru', 'forget-ask', ['удали мои данные', 'Удалить данные', 'забудь меня']],
  ['en', 'smart-mode-list', ['smartmode', 'smart mode']],
  ['ru', 'smart-mode-list', ['смартмод', 'Смарт мод', 'умный режим']],
  ['en', 'notifications-title', ['remind me', 'cancel reminder', 'please cancel my reminder']],
  ['ru', 'notifications-title', ['напомни мне', 'отмени напоминание', 'убрать напоминание']],
])('other words for a feature open it (%s, %s)', async (language, shown, texts) => {
  const chat = await openChat(language);
  for (const text of texts) {
    await chat.write(text);
    expect(chat.html(), text).toContain(chat.words.html(shown).split('\n')[0]);
  }
});

test('small talk is no secret', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  const question = chat.words.html('link-question');
  for (const said of ['thanks', VOICE]) {
    await send(chat, said);
    chat.shows(question);
  }
  expect(chat.payloads('deleteMessage').every(({ message_id }) => Number(message_id) > 1_000)).toBe(true);
  await chat.write(`thanks, it is ${API_KEY}`);
  expect(chat.payloads('deleteMessage').at(-1)).toMatchObject({ message_id: expect.any(Number) });
});

describe('Buy energy on Prices', () => {
  test.each([
    ['an account holder', true, 'energy:open', 'energy-address'],
    ['a guest', false, 'invoice:open', 'invoice-address'],
  ] as const)('returns to the open question or card of %s', async (_, linked, data, asked) => {
    const chat = await openChat('en', { linked });
    const question = chat.words.html(asked);
    await chat.input('/buy', '/prices');
    const prices = chat.lastMessage() - 1;
    expect(chat.html()).toBe(question);
    await chat.tap(data, { message: prices, carried: true });
    expect(chat.html()).toBe(question);
    await chat.write(`${ADDRESS} 131k`);
    const card = chat.last();
    await chat.write('/prices');
    await chat.tap(data, { message: chat.lastMessage() - 1, carried: true });
    expect(chat.views().at(-1)).toEqual(card);
    expect(chat.allHtml()).not.toContain(chat.words.html('flow-left'));
  });

  test('begins a purchase in place of another open question, and says so', async () => {
    const chat = await openChat('en');
    await chat.input('/bandwidth', '/prices');
    await chat.tap('energy:open', { message: chat.lastMessage() - 1, carried: true });
    expect(chat.html()).toBe(`${chat.words.html('flow-left')}\n\n${chat.words.html('energy-address')}`);
  });
});
