import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  decodeUserSearch,
  encodeUserSearch,
  parseUserSearch,
} from '../../src/features/people/user-search.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { OPERATOR_ACCOUNT as GUESTS } from '../../src/rental-api/client.ts';
import { readCallbackData } from '../../src/views/callback-data.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { SMART_MODE, START, USER } from '../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  CUT,
  HASH,
  orderOf,
  rejected,
  subscription,
} from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { type Chat, fileIn, OPERATOR_ACCOUNT, OTHER_ADDRESS, openChat, sell } from './chat.ts';

const admin = { admins: new Set([USER]) };

async function bought({ setup }: Chat) {
  const operation = await setup.claimed();
  await setup.advance(operation);
  return operation;
}

/** Searches for `what` as an admin. Returns the reply. */
async function sought(chat: Chat, what: string): Promise<string> {
  await chat.input('/people', 'people:find');
  await chat.write(what);
  return chat.html();
}

test.each(LANGUAGES)('shows an admin the user counts, in %s', async (language) => {
  const chat = await openChat(language, admin);
  chat.speak(language);
  await chat.input('/start', '/people');
  expectWithinLimits(chat.last());
  const expected = {
    en: ['All: <b>1</b>', 'With an account: <b>1</b>', 'New:', 'English: <b>1</b>'],
    ru: ['Всего: <b>1</b>', 'С аккаунтом: <b>1</b>', 'Новые:', 'русский: <b>1</b>'],
  }[language];
  chat.shows(...expected.map((line) => (line.endsWith(':') ? `${line} <b>1 · 1 · 1</b>` : line)));
});

test('marks the counts as partial until the users of an earlier release are counted', async () => {
  const languages = { en: 9, ru: 3 };
  const figures = { isPartial: true, total: 12_000, linked: 1, unreachable: 0, banned: 0, languages };
  const spans = { 1: 1, 7: 2, 30: 3 };
  const chat = await openChat('en', {
    ...admin,
    userCounts: { count: async () => ({ ...figures, newUsers: spans, activeUsers: spans }) },
  });
  await chat.write('/people');
  expect(chat.html()).toContain('All: <b>12,000+</b>');
});

test('opens at the label of its button, typed as a command while a question is open', async () => {
  const chat = await openChat('en', admin);
  await chat.tap('operator:cap');
  const asked = chat.html();
  await chat.write('/users');
  expect(chat.views().at(-2)?.html).toContain('All: <b>1</b>');
  expect(chat.html()).toBe(asked);
});

describe('the user search', () => {
  test('finds a user by id and shows account and operations', async () => {
    const chat = await openChat('en', admin);
    const { id } = await bought(chat);
    await chat.write('/start');
    const shown = await sought(chat, ` ${USER} `);
    for (const part of [`<code>${USER}</code>`, `Account ${ACCOUNT}, key`, `<code>${id}</code>`])
      expect(shown).toContain(part);
    expectWithinLimits(chat.last());
  });

  test('shows the time of the confirmation', async () => {
    const chat = await openChat('en', admin);
    await chat.write('/start');
    const drafted = await chat.setup.draft();
    await chat.setup.pass(2 * 60_000);
    await chat.setup.confirm(drafted);
    await chat.setup.advance(drafted);
    expect(await sought(chat, String(USER))).toContain('1 Jun, 12:02 UTC\n⚡ 65,000 energy');
  });

  test('names money that came back for one of several orders', async () => {
    const chat = await openChat('en', admin);
    const { setup } = chat;
    await chat.write('/start');
    chat.setProfile('1000.00');
    await setup.executed();
    chat.setProfile('997.68');
    setup.clock.now += 1_000;
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: 8 }));
    await setup.executed();
    await setup.pass(5 * 60_000);
    expect(await sought(chat, String(USER))).toContain('↩️ Came back, order unclear: 2.32 TRX');
  });

  test('does not say that the user reads about a refund of an order that is not known to have failed', async () => {
    const chat = await openChat('en', admin);
    const { setup } = chat;
    await chat.write('/start');
    chat.setProfile('1000.00');
    const { id } = await setup.executed();
    chat.setProfile('997.68');
    setup.clock.now += 1_000;
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: 8 }));
    await setup.executed();
    chat.setProfile('995.36');
    await setup.pass(5 * 60_000);
    const shown = await sought(chat, id);
    expect(shown).toContain(`<b>Operation ${id}</b>`);
    expect(shown).not.toContain('Refund');
  });

  test('takes a text typed at its last screen, unless that opens a feature or another message came between', async () => {
    const chat = await openChat('en', admin);
    const { id } = await bought(chat);
    await chat.write('/people');
    for (const text of [id, String(USER), ADDRESS]) await chat.expectReply(text, id);
    await chat.tap('people:open');
    await chat.expectReply('@nobody', 'No user has this @name');
    await chat.expectReply('withdraw', chat.words.html('withdrawal-amount', { fee: '1' }));
    await chat.input('/cancel', 'people:open');
    await chat.write(`${ADDRESS} 65000 1h`);
    expect(await chat.requested()).toMatchObject({ address: ADDRESS });
    // The card is shown again below the screen.
    await chat.input('/people', OTHER_ADDRESS);
    expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS });
  });

  test('opens an operation by its id in any spelling, and its user from there', async () => {
    const chat = await openChat('en', admin);
    const { id } = await bought(chat);
    await chat.write('/start');
    for (const text of [id, id.toLowerCase(), `#${id}`, `Ref. ${id}`]) {
      expect(await sought(chat, text)).toContain(`<b>Operation ${id}</b>`);
      expect(chat.html()).toContain(`User <code>${USER}</code>`);
    }
    await chat.expectReply(`/people ${id}`, `<b>Operation ${id}</b>`);
    expect(chat.data()).toContain('people:find');
    await chat.tap(`people:one:${USER}`);
    expect(chat.html()).toContain('👤 User');
    await chat.expectReply(`/people ${USER}`, '👤 User');
    await chat.expectReply('/people Ann', 'a Telegram ID like');
  });

  test('shows all operations in pages, and everything that is known of each', async () => {
    const chat = await openChat('en', admin);
    const { setup } = chat;
    await chat.write('/start');
    setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INVALID_ADDRESS'));
    const refused = await bought(chat);
    const ids = [refused.id];
    for (let more = 0; more < 5; more += 1) {
      setup.clock.now += 1_000;
      ids.unshift((await bought(chat)).id);
    }
    await chat.write(`/people ${USER}`);
    const one = (id: string) => `unresolved:one:${USER}_${id}`;
    expect(chat.data()).toEqual([
      ...ids.slice(0, 5).map(one),
      `people:older:${USER}_${ids[4]}`,
      ...['copy', 'erase', 'ban'].map((name) => `people:${name}:${USER}`),
      ...['people:find', 'people:open'],
      ...['menu:admin', 'menu:open'],
    ]);
    expectWithinLimits(chat.last());
    await chat.tap(`people:older:${USER}_${ids[4]}`);
    expect(chat.data().slice(0, 2)).toEqual([one(refused.id), `people:one:${USER}`]);
    await chat.tap(one(refused.id));
    chat.shows('Refused: <code>INVALID_ADDRESS</code>', chat.words.html('refusal-address'));
    await chat.tap(one(ids[0] ?? ''));
    const { receipt } = await setup.read({ user: USER, id: ids[0] ?? '' });
    chat.shows(
      ...['Order <b>', 'Charged: <b>2.32 TRX</b>', 'Balance before: 990.72 TRX, after: '],
      ...['At the service: not reported as delivered yet', "by the service's reply"],
      ...[`<code>${ADDRESS}</code>`, `Receipt: message ${receipt.card}`, 'was shown this outcome'],
    );
    expect(chat.html()).not.toContain('Evidence');
    expect(chat.html()).not.toContain(API_KEY);
  });

  test('shows state, number, price, times and transaction of an invoice', async () => {
    const chat = await openChat('en', admin);
    await chat.write('/start');
    const paidAt = Date.parse('2025-06-01T12:10:05Z');
    const paid = { status: 'delegated', paidAt, delegatedAt: paidAt + 4_000, txHash: HASH };
    const { id } = await sell(chat, { stored: paid });
    expect(await sought(chat, id)).toContain(
      [
        'Invoice 1\nPrice: 5.00 TRX or 1.50 USDT',
        `Pay to: <code>${OTHER_ADDRESS}</code>`,
        'Expires: 1 June, 12:30:01 UTC\nPaid: 1 June, 12:10:05 UTC\nDelivered: 1 June, 12:10:09 UTC',
        `Transaction: <code>${HASH}</code>`,
      ].join('\n'),
    );
    chat.shows(`<b>Operation ${id}</b>\n✅ <b>Delivered</b>\n🧾 Invoice`, '\nCreated: 1 June, 12:00:01 UTC');
    expect(chat.html()).not.toMatch(/Ended:|last shown/);
    // The card has told its maker only of the open invoice.
    chat.shows("⏳ The user hasn't been shown the latest state yet.");
    expect(chat.html()).toContain(`<a href="https://explorer.example/transaction/${HASH}">`);
    const unpaid = await sell(chat);
    expect(await sought(chat, unpaid.id)).toContain("The service hasn't reported a payment.");
    expect(chat.html()).toContain(`<a href="https://explorer.example/address/${unpaid.paymentAddress}">`);
    expect(chat.html()).not.toMatch(/Order|Invoice created/);
    chat.shows(`Pay to: <code>${OTHER_ADDRESS}</code>`, 'Shown in 1 chat');
    expect(chat.html()).not.toContain('Opened by');
    await chat.invoices.setCard(unpaid, { chat: 503, language: 'en', isForMaker: false, message: 9 });
    await sought(chat, unpaid.id);
    chat.shows('Shown in 2 chats\nOpened by users: <code>503</code>');
    // The payer knows the payment address and the number.
    for (const text of ['invoice 1', '#1'])
      expect(await sought(chat, text)).toContain(`<b>Operation ${id}</b>`);
    expect(await sought(chat, OTHER_ADDRESS)).toContain('Found several');
    chat.shows('🧾 <b>Awaiting payment</b> · 1 Jun', ' · № 2 · ', ` · 5.00 TRX · <code>${unpaid.id}</code>`);
  });

  test('lists the invoices that a user opened as a payer, and opens them', async () => {
    const chat = await openChat('en', admin);
    const sold = await sell(chat);
    const payer = 7_000_000_001;
    await chat.users.recordActivity(payer, 'en', undefined);
    await chat.expectReply(`/people ${payer}`, 'No operations.');
    expect(chat.html()).not.toContain('opened to pay');
    await chat.invoices.setCard(sold, { chat: payer, language: 'en', isForMaker: false, message: 9 });
    await chat.expectReply(`/people ${payer}`, 'Invoices opened to pay:\n\n🧾 <b>Awaiting payment</b> · ');
    chat.shows(`№ 1 · 5.00 TRX · made by <code>${USER}</code> · <code>${sold.id}</code>`);
    await chat.tapShown(`unresolved:one:${USER}_${sold.id}`);
    chat.shows('Opened by users: <code>7000000001</code>');
  });

  test("names the operator account of a guest's invoice", async () => {
    const chat = await openChat('en', admin);
    await chat.links.unlink(USER);
    await chat.write('/start');
    const { id } = await sell(chat, { shared: false });
    const whose = `User <code>${USER}</code> · operator account <code>${OPERATOR_ACCOUNT}</code>`;
    expect(await sought(chat, id)).toContain(whose);
  });

  test('says if no user was found and offers another search', async () => {
    const chat = await openChat('en', admin);
    expect(await sought(chat, '123456')).toContain('No user has this Telegram ID');
    expect(await sought(chat, '@nobody')).toContain('No user has this @name');
    expect(await sought(chat, OTHER_ADDRESS)).toContain('has this address');
    expect(await sought(chat, 'nobody99')).toContain('No Ref. and no @name is <code>nobody99</code>.');
    expect(chat.labels()).toContain('🔎 Find user');
  });

  test.each(['somebody else', '@me', '0', '-5', '12345678901234567890', 'AB12', '<b>1</b>'])(
    'rejects %j and asks again',
    async (text) => {
      const chat = await openChat('en', admin);
      expect(await sought(chat, text)).toContain('a Telegram ID like');
    },
  );
});

describe('a search for money or a user', () => {
  test('answers on one screen where the money of an operation is', async () => {
    const chat = await openChat('en', admin);
    const { setup } = chat;
    const operation = await bought(chat);
    await setup.pass(1_000);
    const sentFollowUps = [78, 79].map((message, minutes) => ({ message, at: START + minutes * 60_000 }));
    await setup.store.change(operation, (present) => ({
      ...present,
      receipt: { ...present.receipt, followUp: 79, sentFollowUps },
    }));
    const { receipt, ...stored } = await setup.read(operation);
    const order = stored.state === 'done' ? stored.result.order : expect.fail('nothing was bought');
    await chat.write('/start');
    await chat.expectReply(`/people operation ${order}`, `<b>Operation ${operation.id}</b>`);
    chat.shows(
      ...[`Order <b>${order}</b>`, 'Charged: <b>2.32 TRX</b>', `<code>${ADDRESS}</code>`],
      ...['Balance before: 1,000.00 TRX, after: ', 'Request sent: ', `User <code>${USER}</code>`],
      `Receipt: message ${receipt.card}, last shown `,
      'News below it: message 78, sent 1 June, 12:00:00 UTC, outdated\n',
      'News below it: message 79, sent 1 June, 12:01:00 UTC\n',
      'The user was shown this outcome.',
      `In the log: <code>"operation":"${operation.id}"</code>`,
    );
    expectWithinLimits(chat.last());
  });

  test('an address with several operations shows a list; @name and number lead to the user', async () => {
    const chat = await openChat('en', admin);
    const [first, second] = [await bought(chat), await bought(chat)];
    await chat.users.recordActivity(7_000_000_001, 'en', undefined, 'Ann_5');
    await chat.write('/start');
    await chat.expectReply(`/people ${ADDRESS}`, 'Found several', first.id, second.id);
    expect(chat.html().match(new RegExp(`👤 User <code>${USER}</code>$`, 'gm'))).toHaveLength(2);
    expect(chat.data().slice(0, 2)).toEqual([second, first].map(({ id }) => `unresolved:one:${USER}_${id}`));
    expect(chat.labels().slice(0, 2)).toEqual([second.id, first.id]);
    await chat.users.recordActivity(7_000_000_002, 'en', undefined, first.id);
    await chat.expectReply(`/people ${first.id}`, 'Found several');
    expect(chat.labels().slice(0, 2)).toEqual([`👤 @${first.id}`, first.id]);
    await chat.expectReply('/people @ann_5', '<a href="tg://user?id=7000000001">@Ann_5</a>');
    await chat.expectReply(`/people ${USER}`, '🛠 Admin', 'Account 1001, key …');
    chat.shows('✅ Charged in 90 days: <b>2</b>, 4.64 TRX', 'TR7NHq…gjLj6t · 2.32 TRX');
  });

  test('finds a name without its @, also below what was not found, but no name of a screen', async () => {
    const chat = await openChat('en', admin);
    for (const [at, name] of ['annabel', 'Seller_7'].entries())
      await chat.users.recordActivity(7_000_000_002 + at, 'en', undefined, name);
    await chat.write('/people');
    await chat.tapShown('people:find');
    await chat.expectReply('nobody_here', 'No user has this @name');
    await chat.expectReply('annabel', '@annabel');
    await chat.expectReply('seller_7', '@Seller_7');
    await chat.expectReply('invoice 17', 'No invoice of the last 90 days has this number');
    await chat.expectReply('nothing1', 'No Ref. and no @name is <code>nothing1</code>');
    for (const [text, shown] of [
      ['State', '🩺 State'],
      ['Operations', '📊 Operations'],
      ['hello', 'Hi!'],
    ] as const) {
      await chat.write('/people');
      await chat.expectReply(text, shown);
      await chat.tap('people:find');
      await chat.write(text);
      const [before, last] = chat.views().slice(-2);
      expect(`${before?.html}${last?.html}`).toContain(shown);
      await chat.write('/cancel');
    }
  });

  test.each([
    '@demo_account_holder',
    'demo_account_holder',
    'https://t.me/demo_account_holder',
    't.me/demo_account_holder',
  ])('finds a name that contains the name of a feature: %s', async (text) => {
    const chat = await openChat('en', admin);
    await chat.users.recordActivity(7_000_000_001, 'en', undefined, 'demo_account_holder');
    for (const linked of [true, false]) {
      if (!linked) await chat.links.unlink(USER);
      expect(await sought(chat, text)).toContain('>@demo_account_holder</a>');
      await chat.write('/people');
      await chat.expectReply(text, '>@demo_account_holder</a>');
    }
    await chat.users.recordActivity(7_000_000_002, 'en', undefined, 'merchant_account');
    expect(await sought(chat, '@merchant_account')).toContain('>@merchant_account</a>');
  });

  test('each screen opened from results leads back to them, until another search', async () => {
    const chat = await openChat('en', admin);
    const [first] = [await bought(chat), await bought(chat)];
    const results = `people:results:a${ADDRESS}`;
    await chat.expectReply(`/people ${ADDRESS}`, 'Found several');
    const list = chat.last();
    await chat.tapShown(`unresolved:one:${USER}_${first.id}`);
    await chat.tapShown(`people:one:${USER}`);
    expect(chat.buttons()).toMatchObject({ '‹ Results': results });
    await chat.tapShown(results);
    expect(chat.last()).toEqual(list);
    await chat.write(`/people ${USER}`);
    expect(chat.labels()).not.toContain('‹ Results');
    for (const text of ['@an_name_of_32_letters_is_longest', `${USER}`, 'AB12CD34', ADDRESS]) {
      const search = parseUserSearch(text);
      const { argument } = readCallbackData(`people:results:${search && encodeUserSearch(search)}`) ?? {};
      expect(decodeUserSearch(argument ?? '')).toEqual(search);
    }
  });

  test('finds an invoice and a Smart Mode with the same number apart if one is named, and both with their number', async () => {
    const chat = await openChat('en', admin);
    const { setup } = chat;
    await chat.write('/start');
    const invoice = await sell(chat);
    setup.rental.activateSmartMode.mockResolvedValue(accepted(subscription({ id: 1 })));
    const { id } = await setup.executed({ user: USER, request: SMART_MODE });
    await chat.write('/menu');
    for (const [text, found] of [
      ['invoice 1', invoice.id],
      ['Find invoice № 1', invoice.id],
      ['Smart Mode 1', id],
      ['Smart Mode № 1', id],
    ] as const) {
      expect(await sought(chat, text), text).toContain(`<b>Operation ${found}</b>`);
      const search = parseUserSearch(text);
      expect(decodeUserSearch(search ? encodeUserSearch(search) : '')).toEqual(search);
    }
    expect(await sought(chat, '1')).toContain('Found several');
    for (const one of [invoice.id, id])
      expect(chat.html()).toMatch(new RegExp(`№ 1 · .*<code>${one}</code>`));
    expect(await sought(chat, 'Smart Mode 2')).toContain('No Smart Mode started here');
    expect(await sought(chat, 'invoice 2')).toContain('No invoice of the last 90 days');
  });

  test('looks up a Telegram id, reads only the record of a Ref., and else the operations of ten users at a time', async () => {
    const chat = await openChat('en', admin);
    for (let user = 1; user <= 25; user += 1) await chat.users.recordActivity(user, 'en', undefined);
    let [reading, most, reads] = [0, 0, 0];
    const { history } = chat.deps.operations;
    const { page } = history;
    vi.spyOn(history, 'page').mockImplementation(async (...given) => {
      [reads, most] = [reads + 1, Math.max(most, ++reading)];
      return page(...given).finally(() => (reading -= 1));
    });
    const { id } = await bought(chat);
    await chat.write('/start');
    const listings = vi.spyOn(chat.users, 'idsAfter');
    await chat.expectReply('/people 7', '👤 User');
    expect([reads, listings.mock.calls]).toEqual([1, []]);
    await chat.expectReply(`/people ${id}`, id);
    expect([reads, listings.mock.calls]).toEqual([1, [[0, 200]]]);
    await chat.expectReply(`/people ${ADDRESS}`, id);
    expect([reads, most]).toEqual([27, 10]);
  });

  test('shows what the user waits for and what failed', async () => {
    const chat = await openChat('en', admin);
    const { setup } = chat;
    await chat.write('/start');
    await sell(chat);
    setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INVALID_ADDRESS'));
    await bought(chat);
    await setup.lost();
    await chat.deps.adminAlerts.operatorKeySent(7);
    await chat.users.setBroadcastOptOut(USER, true);
    await chat.expectReply(
      `/people ${USER}`,
      'Without a result: <b>1</b>',
      'Failed or refused in 90 days: <b>1</b>',
    );
    chat.shows('Invoices that can be paid: <b>1</b>', 'not delivered yet: <b>1</b>', 'Wants no news');
  });
});

describe("a user's data", () => {
  const OTHER = 7_000_000_001;

  async function openWithUser() {
    const chat = await openChat('en', admin);
    await chat.users.recordActivity(OTHER, 'ru', undefined, 'zoe_shop');
    await chat.links.link(OTHER, ACCOUNT, 'a-key-of-another-user', 'ru');
    await chat.tap(`people:one:${OTHER}`);
    return chat;
  }

  test('is exported without secrets, and the export is logged', async () => {
    const chat = await openWithUser();
    await chat.tapShown(`people:copy:${OTHER}`);
    const { name, text, caption } = fileIn(chat);
    expect(name).toMatch(new RegExp(`^user-${OTHER}-\\d{4}-\\d\\d-\\d\\d\\.json$`));
    expect(caption).toContain(String(OTHER));
    expect(JSON.parse(text)).toMatchObject({
      user: OTHER,
      person: { language: 'ru' },
      link: { account: ACCOUNT },
    });
    expect(text).not.toContain('a-key-of-another-user');
    expect(await chat.deps.adminLog.latest(2)).toMatchObject([
      { action: 'person-export-asked', about: String(OTHER) },
    ]);
  });

  test('is logged as asked for while Telegram has not accepted the file', async () => {
    const chat = await openWithUser();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    chat.hang('sendDocument');
    const asking = chat.tapShown(`people:copy:${OTHER}`);
    await vi.advanceTimersByTimeAsync(5_000);
    await asking;
    expect(await chat.deps.adminLog.latest(2)).toMatchObject([
      { action: 'person-export-asked', about: String(OTHER) },
    ]);
  });

  test('is erased after a confirmation with the consequences, with a message to user and admin and a line in the log', async () => {
    const chat = await openWithUser();
    const bought = await chat.setup.claimed({ user: OTHER });
    await chat.setup.advance(bought);
    const request = vi.spyOn(chat.deps.userErasure, 'request');
    await chat.expectReply(
      `people:erase:${OTHER}`,
      `Erase the data of <code>${OTHER}</code> (@zoe_shop)?`,
      'The user is told',
    );
    expect(request).not.toHaveBeenCalled();
    await chat.tapShown(chat.dataWith('people:erase-yes'));
    chat.shows('Erasing the data');
    // As after a killed process: the same update again.
    await chat.again();
    await eventually(async () => expect(await chat.links.find(OTHER)).toBeUndefined());
    await eventually(() =>
      expect(chat.sender.send.mock.calls).toMatchObject([
        [OTHER, { html: expect.stringContaining('Администратор бота стёр ваши данные') }],
      ]),
    );
    expect(await storedKeys(chat.setup.storage)).toContainEqual(
      expect.stringMatching(new RegExp(`\\{${USER}\\}.*people-erased.*${OTHER}`)),
    );
    expect(await chat.users.find(OTHER)).toBeUndefined();
    await chat.expectReply(`/people ${OTHER}`, `<code>${OTHER}</code> was erased on 1 June.`, bought.id);
    await chat.expectReply(`people:one:${OTHER}`, 'was erased on', bought.id);
    expect(await chat.deps.adminLog.latest(9)).toMatchObject([
      { action: 'person-erased', about: String(OTHER) },
    ]);
  });

  test.each(['an admin', 'the user'])(
    'leaves operations that Ref., order and address find for 90 days after an erasure by %s',
    async (by) => {
      const chat = await openWithUser();
      const asked = { user: OTHER, askedAt: START, update: 7, at: START, language: 'en' } as const;
      const bought = await chat.setup.claimed({ user: OTHER });
      await chat.setup.advance(bought);
      if (by === 'an admin') {
        await chat.tap(`people:erase:${OTHER}`);
        await chat.tapShown(chat.dataWith('people:erase-yes'));
      } else await chat.deps.userErasure.request({ ...asked, linkedAt: await chat.links.linkedAt(OTHER) });
      await eventually(async () => expect(await chat.users.find(OTHER)).toBeUndefined());
      for (const what of [bought.id, '7', ADDRESS])
        await chat.expectReply(`/people ${what}`, `<b>Operation ${bought.id}</b>`, String(OTHER));
      await chat.write(bought.id);
      chat.shows(`<b>Operation ${bought.id}</b>`);
      await chat.expectReply(`people:one:${OTHER}`, 'was erased', bought.id);
    },
  );

  test('is named in the question about an erasure, with what can still be paid and what is deleted', async () => {
    const chat = await openWithUser();
    await chat.tap(`people:erase:${OTHER}`);
    chat.shows('(@zoe_shop)?', 'This deletes the linked account with its key, addresses');
    const invoice = await sell(chat, { user: OTHER, stored: { account: GUESTS } });
    await chat.links.unlink(OTHER);
    await chat.tap(`people:erase:${OTHER}`);
    chat.shows(
      'This deletes addresses',
      'The user has one invoice that can still be paid.</b> What is paid is delivered, and the user is told',
      `Invoice ${invoice.number} · 5.00 TRX`,
    );
    expect(chat.html()).not.toContain('linked account');
  });

  test('is not erased here if the user is an admin', async () => {
    const chat = await openWithUser();
    const request = vi.spyOn(chat.deps.userErasure, 'request');
    await chat.write('/start');
    await chat.expectReply(`people:erase:${USER}`, "An admin's data can't be erased here");
    await chat.tap(`people:erase-yes:${USER}_1`);
    expect(request).not.toHaveBeenCalled();
  });
});

describe('a look-up in words on any screen of an admin', () => {
  const OTHER = 7_000_000_001;

  async function openLookup(more: { admins: Set<number> } = admin) {
    const chat = await openChat('en', more);
    await chat.users.recordActivity(OTHER, 'en', undefined, 'Ann_5');
    const operation = await chat.setup.claimed({ user: OTHER });
    await chat.setup.advance(operation);
    await chat.write('/start');
    return { chat, id: operation.id };
  }

  test('opens the user, order or Ref. that it names', async () => {
    const { chat, id } = await openLookup();
    for (const text of [
      ...[`find user ${OTHER}`, `suspend ${OTHER}`, `найти пользователя ${OTHER}`, 'find @Ann_5'],
      ...['suspend Ann_5', 'user Ann_5', 'закрой доступ Ann_5', String(OTHER)],
      ...['order 7', 'where is order 7?', 'заказ 7', 'где заказ 7', id, `find ${id.toLowerCase()}`],
    ]) {
      await chat.write('/balance');
      await chat.write(text);
      const isUser = text.includes(String(OTHER)) || text.includes('Ann_5');
      expect(chat.data(), text).toContain(isUser ? `people:ban:${OTHER}` : `people:one:${OTHER}`);
    }
    await chat.write('/balance');
    await chat.expectReply(
      'where is order 10001',
      chat.words.html('people-nobody', { why: 'number', sought: '10001' }),
    );
    await sell(chat, { user: OTHER });
    await chat.write('/balance');
    await chat.write('invoice 1');
    expect(chat.html()).not.toContain('You have no invoice');
  });

  test('says what a text below a user means if it is none', async () => {
    const { chat } = await openLookup();
    await chat.write(`find ${OTHER}`);
    for (const text of ['Suspicious activity', 'fraud and spam'])
      await chat.expectReply(text, chat.words.html('problem-person'));
    await chat.expectReply('65k 24h', 'Which address');
  });

  test('shows an own order first, and nothing of others to a user', async () => {
    const { chat } = await openLookup({ admins: new Set() });
    for (const text of [`find user ${OTHER}`, `suspend ${OTHER}`, 'order 7', 'where is order 7']) {
      await chat.write(text);
      expect(chat.data().join(), text).not.toContain('people:');
    }
    const other = await openLookup();
    await sell(other.chat, { note: 'Order 10001' });
    await other.chat.expectReply('order 10001', 'Order 10001');
    expect(other.chat.data().join()).not.toContain('people:');
  });
});

describe('a banned user', () => {
  const OTHER = 7_000_000_001;

  async function openPeople() {
    const chat = await openChat('en', { admins: new Set([USER]) });
    await chat.users.recordActivity(OTHER, 'en', undefined);
    return chat;
  }

  test('is banned only after a confirmation, shown as banned, and unbanned by one tap', async () => {
    const chat = await openPeople();
    await chat.tap(`people:one:${OTHER}`);
    await chat.users.recordActivity(OTHER, 'en', await chat.users.find(OTHER), 'Ann_5');
    await chat.expectReply(`people:ban:${OTHER}`, 'Suspend <code>7000000001</code> (@Ann_5)?');
    expect((await chat.users.find(OTHER))?.isBanned).toBeUndefined();
    const older = chat.dataWith('ban-yes');
    chat.setup.clock.now += 1_000;
    await sell(chat, { user: OTHER });
    await chat.expectReply(`people:ban:${OTHER}`, '⚠️ 1 open invoice of this user can still be paid.');
    await chat.tapShown(chat.dataWith('ban-yes'));
    chat.shows(`⛔ Suspended on 1 Jun, 12:00 UTC by <code>${USER}</code>. Confirmed orders continue.`);
    expect((await chat.users.find(OTHER))?.isBanned).toBe(true);
    await chat.expectReply(`people:unban:${OTHER}`, 'Messages not delivered yet: <b>1</b>');
    expect((await chat.users.find(OTHER))?.isBanned).toBeUndefined();
    const about = { admin: USER, about: String(OTHER) };
    await chat.tap(older);
    expect(chat.toast()).toBe('This question is out of date. Answer the latest one.');
    expect((await chat.users.find(OTHER))?.isBanned).toBeUndefined();
    expect(await chat.deps.adminLog.latest(9)).toMatchObject([
      { ...about, action: 'person-unbanned' },
      { ...about, action: 'person-banned' },
    ]);
  });

  test('is shown with the @name of the admin who suspended the user', async () => {
    const chat = await openPeople();
    await chat.users.recordActivity(504, 'en', undefined, 'Boss_7');
    await chat.deps.adminLog.add(504, 'person-banned', String(OTHER), { update: 1 });
    await chat.users.setBanned(OTHER, true);
    await chat.expectReply(`people:one:${OTHER}`, 'by <code>504</code> @Boss_7. Confirmed');
    chat.setup.clock.now += 91 * 24 * 3600_000;
    await chat.expectReply(`people:one:${OTHER}`, '⛔ Suspended. Confirmed orders continue.');
  });

  test.each([
    ['is gone already', 'Bad Request: message to delete not found', false],
    ['can’t be deleted', "Bad Request: message can't be deleted", true],
  ])('is warned of a pasted key that %s only if it stays in the chat', async (_, description, stays) => {
    const chat = await openChat('en');
    await chat.write('/start');
    await chat.users.setBanned(USER, true);
    chat.trouble('deleteMessage', { code: 400, description });
    await chat.expectReply('my key is aB3dE5gH7jK9mN1pQ3sT5vW7', 'Your access is suspended');
    expect(chat.html().includes(chat.words.html('secret-unasked-stays'))).toBe(stays);
  });

  test('sends a requested key, and the bot deletes it', async () => {
    const chat = await openChat('en');
    await chat.write('/link');
    await chat.users.setBanned(USER, true);
    await chat.expectReply('a-short-key', 'Your access is suspended');
    expect(chat.calls.at(-2)?.method).toBe('deleteMessage');
  });

  test('gets only the ban text, help and control of the own data, keeps the open flow, and has pasted keys deleted', async () => {
    const admins = new Set<number>();
    const chat = await openChat('en', { admins, supportUrl: 'https://help.example' });
    await chat.write('/buy');
    await chat.users.setBanned(USER, true);
    await chat.expectReply('/start', 'Your access is suspended', 'https://help.example');
    expect(Object.values(chat.buttons())).toEqual([
      'menu:balance',
      ...['smart-mode:open', 'history:open', 'invoices:open', 'account:open', 'help:open'],
    ]);
    await chat.tap('menu:open');
    expect(chat.toast()).toBe('Access suspended. Send /help to see what still works.');
    for (const [command, shown] of [
      ['/balance', '1,000.00 TRX'],
      ['/invoices', 'No invoices yet'],
      ['/history', 'Nothing here yet'],
    ] as const) {
      await chat.write(command);
      expect(chat.html()).toContain(shown);
      expect(Object.values(chat.buttons()).join()).not.toMatch(/menu:open|withdraw|deposit|invoice:|link:/);
      expect(chat.html()).toMatch(/^⛔ Your access is suspended\. Only .* https:\/\/help\.example\n\n/);
    }
    await chat.tap('invoice:open');
    expect(chat.toast()).toBe('Access suspended. Send /help to see what still works.');
    await chat.write('/privacy');
    expect(chat.html()).toContain('What I keep about you');
    await chat.tap('account:unlink');
    await chat.tapShown('account:unlink-yes');
    expect(await chat.links.find(USER)).toBeUndefined();
    await chat.expectReply('/buy', "your money at the service isn't affected");
    await chat.write('my key is aB3dE5gH7jK9mN1pQ3sT5vW7');
    expect(chat.calls.at(-2)?.method).toBe('deleteMessage');
    await chat.users.setBanned(USER, false);
    await chat.write(ADDRESS);
    expect(chat.html()).not.toContain('Your access is suspended');
    expect(chat.html()).not.toContain(chat.words.html('menu-idle'));
    await chat.users.setBanned(USER, true);
    admins.add(USER);
    await chat.write('/start');
    expect(chat.html()).not.toContain('Your access is suspended');
  });

  test.each([
    ['active', 'Smart Mode keeps running and charging.</b> The user can still pause or end it here.\n• '],
    ['unread', 'Smart Mode may be on.</b> If so, it keeps running'],
  ])('is suspended with a warning about Smart Mode that is %s', async (state, warning) => {
    const chat = await openPeople();
    await chat.links.link(OTHER, ACCOUNT, 'a-key-of-another-user', 'en');
    chat.setup.rental.subscriptions.mockResolvedValue(state === 'active' ? accepted([subscription()]) : CUT);
    await chat.expectReply(`people:ban:${OTHER}`, warning);
  });

  test('cannot be an admin; the reply says to edit ADMIN_IDS first', async () => {
    const chat = await openPeople();
    await chat.write('/start');
    await chat.expectReply(`people:ban:${USER}`, 'ADMIN_IDS');
    await chat.tap(`people:ban-yes:${USER}_1`);
    expect((await chat.users.find(USER))?.isBanned).toBeUndefined();
  });
});

test('records at once that a user blocked, unblocked or wrote to the bot', async () => {
  const chat = await openChat('en');
  await chat.write('/help');
  const from = { id: USER, is_bot: false, first_name: 'Somebody' };
  const member = (status: 'kicked' | 'member') => {
    const user = { id: 700, is_bot: true as const, first_name: 'bot' };
    const now = status === 'kicked' ? { user, status, until_date: 0 } : { user, status };
    return {
      my_chat_member: {
        chat: { id: USER, type: 'private' as const, first_name: 'Somebody' },
        from,
        date: 1,
        old_chat_member: now,
        new_chat_member: now,
      },
    };
  };
  await chat.receive(member('kicked'));
  expect((await chat.users.find(USER))?.unreachable).toBe('blocked');
  await chat.receive(member('member'));
  expect((await chat.users.find(USER))?.unreachable).toBeUndefined();
  expect(chat.returned()).toEqual([USER]);
  // A message also marks the user as returned.
  await chat.users.setUnreachable(USER, 'blocked');
  await chat.write('hello');
  expect((await chat.users.find(USER))?.unreachable).toBeUndefined();
  expect(chat.returned()).toEqual([USER, USER]);
});
