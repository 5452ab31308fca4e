import { describe, expect, onTestFinished, vi } from 'vitest';
import { createBalances } from '../../src/accounts/balances.ts';
import { payerOf } from '../../src/bot/accounts.ts';
import type { BotContext } from '../../src/bot/context.ts';
import { createMenuBalance } from '../../src/features/menu.ts';
import { LANGUAGES, shortenAddress } from '../../src/i18n/texts.ts';
import type { Quotes } from '../../src/operations/quotes.ts';
import { orTimeout } from '../../src/platform/async.ts';
import { createAccountReader } from '../../src/rental-api/account-reader.ts';
import { expectWithinLimits, movementsOf } from '../i18n/telegram-limits.ts';
import { FILLED, resultOf, START, USER, WITHDRAW_CAP, WITHDRAWAL } from '../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  accepted,
  CUT,
  logged,
  OFFLINE,
  orderOf,
  profileOf,
} from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { OTHER_ADDRESS, openChat, testWith } from './chat.ts';

/** Longest values that the rental client accepts. */
const LONGEST = {
  decimal: `${'9'.repeat(20)}.${'9'.repeat(20)}`,
  currency: '<b>&'.repeat(4),
  status: '<b>&'.repeat(16),
};

const test = testWith(() => openChat('en'));

test('menus show account and balance, even if the balance cannot be read', async ({ chat }) => {
  chat.setProfile('12.34');
  await chat.write('/start');
  expect(chat.html()).toMatch(/Account 1001 · key …ests\nBalance: <b>12\.34 TRX<\/b>/);
  await chat.expectReply('menu:balance', 'Balance: <b>12.34 TRX</b>');
  const away = await openChat('en');
  away.setup.rental.profile.mockResolvedValue(OFFLINE);
  await away.expectReply('/start', 'Balance: unavailable');
  expect(away.last().keyboard.flat().length).toBeGreaterThan(4);
});

/** Opens a chat whose balance was last known to be 12.34 TRX, `ageMs` ago. `report` makes the service respond. */
async function openWithLastBalance(ageMs: number) {
  let time = 0;
  const balances = createBalances({ now: () => time });
  const chat = await openChat('en', { balances });
  balances.set(ACCOUNT, '12.34');
  time = ageMs;
  let report: (balance: string) => void = () => {};
  chat.setup.rental.prices.mockResolvedValue(OFFLINE);
  chat.setup.rental.profile.mockImplementation(
    () =>
      new Promise((resolve) => {
        report = (balance) => resolve(profileOf(balance));
      }),
  );
  const edits = () => chat.payloads('editMessageText').map(({ text }) => String(text));
  return { ...chat, balances, report: (balance: string) => report(balance), edits };
}

test('a menu shows the last known balance and is edited when the service reports another', async () => {
  const chat = await openWithLastBalance(30_000);
  await chat.expectReply('/cancel', 'Balance: <b>12.34 TRX</b>');
  // A note above the menu stays.
  chat.shows(chat.words.html('cancelled-nothing'));
  expect(chat.edits()).toEqual([]);
  const shown = chat.last();
  chat.report('9.00');
  await eventually(() => expect(chat.edits()).toEqual([shown.html.replace('12.34', '9.00')]));
  expect(chat.payloads('editMessageText')[0]).toMatchObject({ message_id: chat.lastMessage() });
  expect(chat.last().keyboard).toEqual(shown.keyboard);
});

test('a menu names the age of a balance older than a minute until the service reports it', async () => {
  const chat = await openWithLastBalance(3 * 60_000);
  await chat.expectReply('/start', 'Balance: <b>12.34 TRX</b> (3 min ago)');
  chat.report('12.34');
  await eventually(() => expect(chat.html()).toMatch(/Balance: <b>12\.34 TRX<\/b>$/));
});

test('a menu is not edited if the balance is the same, unknown, or the user has gone on', async () => {
  const same = await openWithLastBalance(30_000);
  await same.write('/start');
  same.report('12.34');
  const away = await openWithLastBalance(30_000);
  away.setup.rental.profile.mockResolvedValue(OFFLINE);
  await away.write('/start');
  const gone = await openWithLastBalance(30_000);
  await gone.write('/start');
  await gone.write('/help');
  gone.report('9.00');
  // Nothing waits for an edit, so this waits until all work in memory has ended.
  await new Promise(setImmediate);
  for (const { edits } of [same, away, gone]) expect(edits()).toEqual([]);
});

describe('the main menu leads with the price of energy', () => {
  const OFFER = /^<b>[^\n]*<\/b>\n65,000 energy for 1 h: <b>2\.32 TRX<\/b> instead of 13\.40 \(−82%\)\n/;

  test.each([
    ['a guest', { linked: false }, 'invoice:open'],
    ['an account holder', {}, 'energy:open'],
  ])('for %s, once the price is known, and has one primary button', async (_, options, primary) => {
    const chat = await openChat('en', options);
    let report = () => {};
    const listed = await chat.setup.rental.prices('');
    chat.setup.rental.prices.mockImplementation(
      () => new Promise((resolve) => (report = () => resolve(listed))),
    );
    await chat.write('/start');
    // The reply doesn't wait for the service.
    expect(chat.html()).not.toMatch(OFFER);
    await eventually(() => expect(chat.setup.rental.prices).toHaveBeenCalledTimes(2));
    report();
    await eventually(() => expect(chat.html()).toMatch(OFFER));
    await chat.write('/start');
    expect(chat.html()).toMatch(OFFER);
    const styled = chat
      .last()
      .keyboard.flat()
      .filter((one) => 'style' in one);
    expect(styled).toMatchObject([{ callback_data: primary, style: 'primary' }]);
  });

  test('for a merchant, in Russian', async () => {
    const chat = await openChat('ru');
    await chat.links.setMerchant(USER, true);
    await chat.write('/prices');
    await chat.write('/menu');
    expect(chat.html()).toMatch(/65\s000 энергии на 1\sч: <b>2,32\sTRX<\/b> вместо 13,40 \(−82\s%\)/);
    expect(
      chat
        .last()
        .keyboard.flat()
        .filter((one) => 'style' in one),
    ).toHaveLength(1);
  });
});

test('a balance that was requested before money moved is not remembered', async () => {
  const { balances, ...chat } = await openWithLastBalance(30_000);
  await chat.write('/start');
  balances.delete(ACCOUNT);
  chat.report('12.34');
  await new Promise(setImmediate);
  expect(balances.getLast(ACCOUNT)).toBeUndefined();
});

test('polls the account only after an unexplained balance change', async () => {
  let time = 0;
  const chat = await openChat('en', { balances: createBalances({ now: () => time }) });
  const onUserActive = vi.spyOn(chat.deps.pollers, 'onUserActive');
  const menuWith = async (balance: string) => {
    chat.setProfile(balance);
    time += 30_000;
    await chat.write('/start');
    await eventually(() => expect(chat.html()).toContain(balance));
    return onUserActive.mock.calls.length;
  };
  expect([await menuWith('12.34'), await menuWith('12.34'), await menuWith('9.00')]).toEqual([0, 0, 1]);
  expect(onUserActive).toHaveBeenCalledWith(ACCOUNT);
});

test('opening the menu reports the user as present to the outbox', async () => {
  const chat = await openChat('en');
  const onUserActive = vi.spyOn(chat.deps.outbox, 'onUserActive');
  await chat.write('/start');
  expect(onUserActive.mock.calls).toEqual([[USER]]);
});

test('a balance timeout of one account does not affect another account', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const payerOf = (account: number) => ({ user: USER, account, apiKey: 'a key', read: vi.fn() });
  const balance: Quotes['balance'] = async ({ account }, ms = 0) =>
    account === 1 ? orTimeout(new Promise<never>(() => {}), ms) : '5.00';
  const balanceOf = createMenuBalance({ quotes: { balance }, balances: createBalances() });
  const reading = balanceOf(payerOf(1));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await reading, await balanceOf(payerOf(2))]).toEqual([undefined, '5.00']);
});

test('while the service hangs, only the first menu waits for the balance', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const chat = await openChat('en');
  const { profile } = chat.setup.rental;
  profile.mockImplementation(() => new Promise(() => {}));
  const opened = chat.write('/start');
  await vi.advanceTimersByTimeAsync(1_000);
  await opened;
  expect(chat.html()).toContain('Balance: unavailable');
  profile.mockClear();
  vi.advanceTimersByTime(9_999);
  await chat.write('/start');
  expect(profile).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  profile.mockResolvedValue(profileOf('12.34'));
  await chat.expectReply('/start', 'Balance: <b>12.34 TRX</b>');
});

test.each(LANGUAGES)(
  'deposits and movements stay within the limits in %s with the longest values',
  async (language) => {
    const chat = await openChat(language);
    const { rental } = chat.setup;
    const { decimal: amount, currency, status } = LONGEST;
    const created_at = '2025-06-01T12:00:00Z';
    const deposit = { status, amount, currency, created_at };
    const withdrawal = {
      id: 1,
      to_address: ADDRESS,
      status,
      created_at,
      amount_trx: amount,
      fee_trx: amount,
    };
    rental.deposits.mockResolvedValue(accepted(Array.from({ length: 50 }, () => deposit)));
    rental.withdrawals.mockResolvedValue(accepted(Array.from({ length: 50 }, () => withdrawal)));
    for (const data of ['deposit:history', 'movements:open']) {
      await chat.tap(data);
      expectWithinLimits(chat.last());
      expect(chat.html()).not.toContain('<b>&');
    }
  },
);

test('shows the deposit address when the service names no rates', async ({ chat }) => {
  const info = { deposit_address: ADDRESS, accepted_currencies: ['TRX', 'USDT'] };
  chat.setup.rental.depositInfo.mockResolvedValue(accepted(info));
  await chat.tap('deposit:open');
  chat.shows('USDT (TRC20): market rate\n\n', `<code>${ADDRESS}</code>`);
});

test.each(['deposit:open', 'deposit:history', 'movements:open'])(
  'shows nothing of an account that the service does not name (%s)',
  async (screen) => {
    const chat = await openChat('en');
    const { profile, deposits } = chat.setup.rental;
    const deposit = { status: 'confirmed', amount: '5', currency: 'TRX', created_at: '2025-06-01T10:00:00Z' };
    deposits.mockResolvedValue(accepted([deposit]));
    profile.mockResolvedValue(OFFLINE);
    await chat.tap(screen);
    chat.shows(chat.words.html('account-unreachable'));
    for (const content of [ADDRESS, '+5']) expect(chat.html()).not.toContain(content);
  },
);

test('reads from the account that is linked now after another one was linked in the same update', async ({
  chat,
}) => {
  const { links, setup } = chat;
  const deps = { links, accountReader: createAccountReader(setup) };
  setup.rental.profile.mockImplementation(async (key) =>
    key === 'another-key' ? profileOf('5.00', ACCOUNT + 1) : profileOf('12.34'),
  );
  const ctx = { from: { id: USER } } as BotContext;
  const readProfile = async () => {
    const payer = await payerOf(deps, ctx);
    return payer?.read((reads) => reads.profile());
  };
  expect(await readProfile()).toEqual(profileOf('12.34'));
  await links.link(USER, ACCOUNT + 1, 'another-key', 'en');
  ctx.linked = undefined;
  expect(await readProfile()).toEqual(profileOf('5.00', ACCOUNT + 1));
});

test('says once that the deposit address has changed, on any screen, for this user and account only', async ({
  chat,
}) => {
  const { depositInfo } = chat.setup.rental;
  const notes: boolean[] = [];
  const open = async (how: string, address: string) => {
    depositInfo.mockResolvedValue(accepted({ deposit_address: address, accepted_currencies: ['TRX'] }));
    await chat.input(how);
    chat.shows(address);
    notes.push(chat.html().includes('The deposit address has changed'));
  };
  await open('deposit:open', ADDRESS);
  await open('deposit:open', ADDRESS);
  await open('deposit:open', OTHER_ADDRESS);
  await open('deposit:open', OTHER_ADDRESS);
  chat.setProfile('0.10');
  await open(`/buy ${ADDRESS} 65000 1`, ADDRESS);
  await chat.write('/cancel');
  await chat.links.link(USER, ACCOUNT + 1, 'another-key', 'en');
  chat.setup.rental.profile.mockResolvedValue(profileOf('5', ACCOUNT + 1));
  await open('deposit:open', OTHER_ADDRESS);
  expect(notes).toEqual([false, false, true, false, true, false]);
  expect(depositInfo).toHaveBeenCalledTimes(notes.length);
});

test('says that the deposit address has changed although the first reply was not sent', async ({ chat }) => {
  const { depositInfo } = chat.setup.rental;
  const show = (address: string) =>
    depositInfo.mockResolvedValue(accepted({ deposit_address: address, accepted_currencies: ['TRX'] }));
  show(ADDRESS);
  await chat.write('/deposit');
  show(OTHER_ADDRESS);
  const failures = ['sendPhoto', 'sendMessage'];
  for (const method of failures) chat.trouble(method, { code: 500, description: 'Internal Server Error' });
  await expect(chat.write('/deposit')).rejects.toThrow();
  for (const method of failures) chat.trouble(method, undefined);
  await chat.again();
  chat.shows(OTHER_ADDRESS, 'The deposit address has changed');
});

test('lists deposits with their status, latest first', async ({ chat }) => {
  chat.setup.rental.deposits.mockResolvedValue(
    accepted([
      { status: 'confirmed', amount: '5', currency: 'TRX', created_at: '2025-05-30T10:00:00Z' },
      { status: 'pending', amount: '7.5', currency: 'USDT', created_at: '2025-06-01T10:00:00Z' },
      { status: 'expired' },
    ]),
  );
  await chat.tap('deposit:open');
  const [, history = ''] = Object.entries(chat.buttons()).find(([label]) => label.includes('deposits')) ?? [];
  await chat.tap(history);
  expect(chat.html().split('\n\n').slice(1)).toEqual([
    '📥 <tg-time unix="1748772000" format="Dt">1 Jun, 10:00 UTC</tg-time> · 7.50 USDT · awaiting confirmation',
    '📥 <tg-time unix="1748599200" format="Dt">30 May, 10:00 UTC</tg-time> · +5.00 TRX · credited',
    '📥 – · ?  · expired, not credited. Ask the service.',
  ]);
});

test('lists deposits, withdrawals and purchases by time', async ({ chat }) => {
  const { setup } = chat;
  await setup.advance(await setup.claimed());
  setup.rental.deposits.mockResolvedValue(
    accepted([{ status: 'confirmed', amount: '5', currency: 'TRX', created_at: '2025-06-02T10:00:00Z' }]),
  );
  setup.rental.withdrawals.mockResolvedValue(
    accepted([
      {
        id: 1,
        to_address: ADDRESS,
        amount_trx: '4',
        fee_trx: '1',
        status: 'completed',
        created_at: '2025-05-31T10:00:00Z',
      },
    ]),
  );
  await chat.tap('movements:open');
  // A withdrawal includes its fee.
  expect(movementsOf(chat.last())).toEqual([
    '✅ Deposit · +5.00 TRX / 2 Jun, 10:00 UTC',
    '⏳ 65,000 energy · −2.32 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t',
    '✅ Withdrawal · −5.00 TRX / 31 May, 10:00 UTC · TR7NHq…gjLj6t',
  ]);
  chat.shows('<tg-time unix="1748779200" format="Dt">1 Jun, 12:00 UTC</tg-time> · order 7');
});

test.each([
  ...['where is my deposit?', "where's my deposit?", 'did my deposit arrive?', 'has my deposit arrived?'],
  ...['где моё пополнение?', 'пришли ли деньги?', 'пополнение пришло?', 'пришло ли пополнение?'],
])('“%s” shows the deposits', async (text) => {
  const chat = await openChat('en');
  const pending = { status: 'pending', amount: '40', currency: 'TRX' };
  chat.setup.rental.deposits.mockResolvedValue(accepted([pending]));
  await chat.expectReply(text, ' · 40.00 TRX · awaiting confirmation');
});

test('the balance and the movements name money that waits', async ({ chat }) => {
  chat.setup.rental.deposits.mockResolvedValue(
    accepted([
      { status: 'pending', amount: '7.5', currency: 'USDT' },
      { status: 'confirmed', amount: '3', currency: 'TRX' },
    ]),
  );
  chat.setup.rental.withdrawals.mockResolvedValue(
    accepted(
      ['pending', 'completed'].map((status, at) => ({
        ...{ id: at, to_address: ADDRESS, amount_trx: `${at + 6}`, fee_trx: '1', status },
        created_at: '2025-05-31T10:00:00Z',
      })),
    ),
  );
  chat.setProfile('50.00');
  await chat.write(`/withdraw 5 ${OTHER_ADDRESS}`);
  const cancel = chat.dataWith('announced:cancel');
  await chat.tap('menu:balance');
  const deposit = '📥 Deposit of 7.50 USDT: awaiting confirmation, not in the balance yet.';
  await eventually(() =>
    chat.shows(
      `⏳ Withdrawal of 5.00 TRX → ${shortenAddress(OTHER_ADDRESS)}: on hold until <tg-time`,
      '12:10:00 UTC',
      deposit,
      `⏳ Withdrawal of 6.00 TRX → ${shortenAddress(ADDRESS)}: being processed, already charged.`,
    ),
  );
  expect(chat.html()).not.toContain('7.00 TRX');
  await chat.expectReply('/history', '⏳ Withdrawal of 5.00 TRX → ');
  expect(chat.html()).not.toContain('Nothing here yet');
  expect(chat.html()).not.toContain('3.00 TRX');
  await chat.expectReply('movements:open', ': on hold until <tg-time');
  chat.setup.clock.now += 600_000;
  await chat.expectReply('movements:open', ': waits for you to confirm it. Not charged yet.');
  await chat.expectReply(
    'account:unlink',
    'Withdrawals are waiting',
    `Withdrawal of 5.00 TRX → ${shortenAddress(OTHER_ADDRESS)}: waits for you`,
  );
  await chat.tap(cancel);
  await chat.tap('movements:open');
  expect(chat.html()).not.toContain('Withdrawal of 5');
  await chat.write(`/withdraw 5 ${OTHER_ADDRESS}`);
  await chat.expectReply('account:unlink-yes', "Not withdrawn: account 1001 isn't linked here any more");
  expect(await chat.deps.addressAnnouncements.waitingOf({ user: USER, account: ACCOUNT })).toEqual([]);
});

test("the balance lists someone else's withdrawal from the account", async () => {
  const chat = await openChat('en');
  const request = { user: USER + 1, account: ACCOUNT, address: OTHER_ADDRESS, trx: '5.00' };
  const { addressAnnouncements } = chat.deps;
  const held = (await addressAnnouncements.draft(request)) ?? expect.fail('nothing was drafted');
  await addressAnnouncements.add(held);
  const line = `⏳ Someone else's withdrawal of 5.00 TRX → ${shortenAddress(OTHER_ADDRESS)}: `;
  await chat.tap('menu:balance');
  await eventually(() => chat.shows(`${line}on hold until <tg-time`));
  chat.setup.clock.now += 600_000;
  await chat.expectReply('movements:open', `${line}not confirmed yet. Not charged yet.`);
});

test.each(['withdrawals', 'deposits'])('the balance says that waiting %s are missing', async (what) => {
  for (const language of LANGUAGES) {
    const chat = await openChat(language);
    const { setup, deps, words } = chat;
    if (what === 'deposits') setup.rental.deposits.mockResolvedValue(CUT);
    else vi.spyOn(deps.addressAnnouncements, 'waitingFrom').mockRejectedValue(new Error('no storage'));
    await chat.tap('menu:balance');
    await eventually(() => chat.shows(words.html('waiting-unread')));
  }
});

const HASHES = ['a', 'b'].map((digit) => digit.repeat(64));

test.each([
  [
    'en',
    [
      '✅ Deposit of 100.00 USDT · +307.69 TRX / 2 Jun, 10:00 UTC · View transaction',
      '⚠️ Deposit of 5.00 TRX / 1 Jun, 10:00 UTC · status held&',
      '⌛ Deposit of 7.00 TRX / 1 Jun, 09:00 UTC · expired, not credited',
      '⏳ Deposit of 8.50 USDT / 1 Jun, 08:00 UTC · awaiting confirmation',
      '↩️ Refund · +4.00 TRX / 31 May, 10:00 UTC · TR7NHq…gjLj6t',
      '❌ Withdrawal · −5.00 TRX / 31 May, 10:00 UTC · TR7NHq…gjLj6t · failed · View transaction',
      '✅ Deposit · ? TRX / –',
    ],
  ],
  [
    'ru',
    [
      '✅ Пополнение 100,00 USDT · +307,69 TRX / 2 июн., 10:00 UTC · Транзакция',
      '⚠️ Пополнение 5,00 TRX / 1 июн., 10:00 UTC · статус held&',
      '⌛ Пополнение 7,00 TRX / 1 июн., 09:00 UTC · истекло, не зачислено',
      '⏳ Пополнение 8,50 USDT / 1 июн., 08:00 UTC · ждёт подтверждения',
      '↩️ Возврат · +4,00 TRX / 31 мая, 10:00 UTC · TR7NHq…gjLj6t',
      '❌ Вывод · −5,00 TRX / 31 мая, 10:00 UTC · TR7NHq…gjLj6t · не выполнен · Транзакция',
      '✅ Пополнение · ? TRX / –',
    ],
  ],
] as const)(
  'movements link transactions, name statuses, and count no deposit that was not credited: %s',
  async (language, rows) => {
    const chat = await openChat(language);
    const { rental } = chat.setup;
    rental.deposits.mockResolvedValue(
      accepted([
        {
          status: 'confirmed',
          amount: '100',
          amount_trx: '307.69',
          currency: 'USDT',
          tx_hash: HASHES[0],
          created_at: '2025-06-02T10:00:00Z',
        },
        { status: 'held&', amount: '5', currency: 'TRX', created_at: '2025-06-01T10:00:00Z' },
        { status: 'expired', amount: '7', currency: 'TRX', created_at: '2025-06-01T09:00:00Z' },
        { status: 'pending', amount: '8.5', currency: 'USDT', created_at: '2025-06-01T08:00:00Z' },
        { status: 'confirmed', currency: '<b>' },
      ]),
    );
    rental.withdrawals.mockResolvedValue(
      accepted([
        {
          id: 1,
          to_address: ADDRESS,
          amount_trx: '4',
          fee_trx: '1',
          status: 'failed',
          tx_hash: HASHES[1],
          created_at: '2025-05-31T10:00:00Z',
        },
      ]),
    );
    await chat.tap('movements:open');
    expect(movementsOf(chat.last())).toEqual(rows);
    for (const hash of HASHES) chat.shows(`<a href="https://explorer.example/transaction/${hash}">`);
    expect(chat.html()).toContain('<code>held&#38;</code>');
    expect(chat.html()).toContain(chat.words.plain('movements-missing', { what: 'withdrawal-fees' }));
    expect(chat.html().match(/add up|сойтись/g)).toHaveLength(1);
  },
);

test('offers a retry if movements or the deposit address cannot be read', async ({ chat }) => {
  chat.setup.rental.withdrawals.mockResolvedValue(OFFLINE);
  chat.setup.rental.depositInfo.mockResolvedValue(OFFLINE);
  for (const data of ['movements:open', 'deposit:open']) {
    await chat.tap(data);
    expect(chat.data()).toEqual([data, 'menu:open']);
  }
});

test('movements omit purchases of another account and mark failed orders', async ({ chat }) => {
  const { setup } = chat;
  await setup.advance(await setup.claimed({ account: 1002 }));
  const failed = await setup.claimed();
  await setup.advance(failed);
  await setup.operations.settlement.report(1001, { ...FILLED, status: 'failed' });
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual([
    "❌ 65,000 energy · −2.32 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t · I can't tell if it was refunded",
  ]);
  expect(chat.html()).not.toContain('may not add up');
});

test.each([
  [
    'en',
    [
      '🔁 Smart Mode transfer · −2.80 TRX / 1 Jun, 12:00 UTC · TR7NHq…gjLj6t',
      "❌ 65,000 energy · −2.32 TRX / 1 Jun, 12:00 UTC · order 10002 · TR7NHq…gjLj6t · I can't tell if it was refunded",
      '✅ Deposit of 100.00 USDT · +1,307.69 TRX / –',
    ],
    'daily fees of Smart',
  ],
  [
    'ru',
    [
      '🔁 Перевод Smart Mode · −2,80 TRX / 1 июн., 12:00 UTC · TR7NHq…gjLj6t',
      '❌ 65 000 энергии · −2,32 TRX / 1 июн., 12:00 UTC · заказ 10002 · TR7NHq…gjLj6t · не видно, вернулись ли деньги',
      '✅ Пополнение 100,00 USDT · +1 307,69 TRX / –',
    ],
    'ежедневной платы',
  ],
] as const)('movements list reported fees and say what is missing: %s', async (language, rows, gap) => {
  const chat = await openChat(language);
  const { setup } = chat;
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: 10_002 }));
  await setup.executed();
  setup.rental.profile.mockResolvedValue(profileOf('990.00'));
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, order: 10_002, status: 'failed' });
  await setup.pass(70 * 60_000);
  const data = { subscription_id: 1, address: ADDRESS, energy_amount: 65_000, fee_trx: '2.80' };
  setup.rental.webhookLogs.mockResolvedValue(
    accepted([logged(1, START, { type: 'smart_mode.transfer', data })]),
  );
  setup.rental.deposits.mockResolvedValue(
    accepted([{ status: 'confirmed', amount: '100', amount_trx: '1307.69', currency: 'USDT' }]),
  );
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual(rows);
  chat.shows(gap);
});

test('movements list a refund of one of two orders once', async ({ chat }) => {
  const { setup } = chat;
  for (const [order_id, balance] of [
    [7, '1000.00'],
    [8, '997.68'],
  ] as const) {
    setup.rental.profile.mockResolvedValue(profileOf(balance));
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id }));
    await setup.executed();
    setup.clock.now += 1_000;
  }
  await setup.pass(60_000);
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual([
    '↩️ Probable refund · +2.32 TRX / 1 Jun, 12:00 UTC · of order 7 or 8',
    '⏳ 65,000 energy · −2.32 TRX / 1 Jun, 12:00 UTC · order 8 · TR7NHq…gjLj6t',
    '⏳ 65,000 energy · −2.32 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t',
  ]);
});

test('movements list a refund, and mark it as probable unless the service reported it', async ({ chat }) => {
  const { setup } = chat;
  const seen = await setup.claimed();
  await setup.advance(seen);
  setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
  await setup.pass(60_000);
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual([
    '↩️ Probable refund · +2.32 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t',
    '↩️ 65,000 energy · −2.32 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t',
  ]);
  const { order = 0 } = resultOf(await setup.read(seen)) ?? {};
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, order, status: 'failed', refunded: '2.30' });
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual([
    '↩️ Refund · +2.30 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t',
    '❌ 65,000 energy · −2.32 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t',
  ]);
});

test('movements say by how much the balance differs from them, and show refunds that explain it', async ({
  chat,
}) => {
  const { setup } = chat;
  const balance = (trx: string) => setup.rental.profile.mockResolvedValue(profileOf(trx));
  for (const [order, before] of [
    [7, '1000.00'],
    [8, '997.68'],
  ] as const) {
    balance(before);
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: order }));
    await setup.executed();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, order, status: 'failed' });
    setup.clock.now += 1_000;
  }
  balance('995.36');
  await chat.tap('movements:open');
  expect(chat.html()).not.toContain('than the list');
  balance('996.00');
  await chat.expectReply('movements:open', 'balance is <b>0.64 TRX</b> higher than the list since <tg-time');
  balance('900.00');
  await chat.expectReply('movements:open', 'balance is <b>95.36 TRX</b> lower than the list since <tg-time');
  expect(chat.html()).not.toContain('refunds I couldn');
  setup.rental.deposits.mockResolvedValue(accepted([{ status: 'confirmed', amount: '5', currency: 'TRX' }]));
  await chat.tap('movements:open');
  expect(chat.html()).not.toContain('than the list');
  setup.rental.deposits.mockResolvedValue(accepted([]));
  balance('1000.00');
  await chat.tap('movements:open');
  expect(movementsOf(chat.last()).map((row) => row.replace(/ \/ .*(order \d).*/, ' $1'))).toEqual([
    '↩️ Probable refund · +2.32 TRX order 8',
    '↩️ Probable refund · +2.32 TRX order 7',
    '❌ 65,000 energy · −2.32 TRX order 8',
    '❌ 65,000 energy · −2.32 TRX order 7',
  ]);
  expect(chat.html()).not.toContain('than the list');
  // The text stays when the balance changes again.
  balance('990.00');
  await chat.tap('movements:open');
  expect(chat.html().match(/Probable refund/g)).toHaveLength(2);
});

test('each balance screen has a button to the balance menu; a menu has at most eight buttons', async ({
  chat,
}) => {
  for (const data of ['deposit:history', 'movements:open', 'deposit:open']) {
    await chat.tap(data);
    expect(chat.data(), data).toContain('menu:balance');
  }
  for (const data of ['menu:open', 'menu:balance', 'menu:more']) {
    await chat.tap(data);
    expect(chat.last().keyboard.flat().length).toBeLessThanOrEqual(8);
  }
});

test('sends the deposit address even if Telegram rejects its picture', async ({ chat }) => {
  chat.trouble('sendPhoto', { code: 500, description: 'Internal Server Error' });
  await chat.tap('deposit:open');
  expect(chat.payloads('sendMessage').at(-1)?.text).toContain(ADDRESS);
});

test('sends the deposit address even if sending its picture hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const chat = await openChat('en');
  chat.hang('sendPhoto');
  const tapped = chat.tap('deposit:open');
  await vi.advanceTimersByTimeAsync(3_000);
  await tapped;
  expect(chat.payloads('sendMessage').at(-1)?.text).toContain(ADDRESS);
});

test('menus read the balance at most every ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const chat = await openChat('en');
  const { profile } = chat.setup.rental;
  profile.mockResolvedValue(profileOf('12.34'));
  for (let times = 0; times < 15; times++) await chat.tap(times % 2 ? 'menu:open' : 'menu:balance');
  expect(profile).toHaveBeenCalledOnce();
  profile.mockResolvedValue(profileOf('7.00'));
  vi.advanceTimersByTime(10_001);
  await chat.tap('menu:open');
  await eventually(() => chat.shows('Balance: <b>7.00 TRX</b>'));
  // The balance is cached per account.
  await chat.links.link(502, 1002, 'another-key', 'en');
  profile.mockResolvedValue(profileOf('1.00', 1002));
  await chat.expectReply('menu:open', 'Balance: <b>1.00 TRX</b>');
});

test.each([
  ['en', 'Movements 1–10, latest first.', 'Movements 11–12, latest first.'],
  ['ru', 'Операции 1–10, новые сверху.', 'Операции 11–12, новые сверху.'],
] as const)('Movements has pages of ten, latest first: %s', async (language, firstNote, note) => {
  const chat = await openChat(language);
  const deposits = Array.from({ length: 12 }, (_, at) => ({
    ...{ status: 'confirmed', currency: 'TRX', amount: `${at + 1}` },
    created_at: `2025-05-${String(at + 1).padStart(2, '0')}T10:00:00Z`,
  }));
  chat.setup.rental.deposits.mockResolvedValue(accepted(deposits));
  await chat.tap('movements:open');
  expect(chat.html().match(/\+\d+/g)).toHaveLength(10);
  chat.shows(firstNote);
  expect(chat.data()).not.toContain('movements:open');
  await chat.tap('movements:older:10');
  expect(chat.html().match(/\+\d+/g)).toEqual(['+2', '+1']);
  chat.shows(note);
  expect(chat.dataWith('movements:older')).toBe('');
  for (const button of ['movements:open', 'movements:older:7']) {
    await chat.tap(button);
    expect(chat.html().match(/\+\d+/g)).toHaveLength(10);
  }
});

test.each([0, 1, 3])('Movements counts no rows on a single page: %s deposits', async (count) => {
  const chat = await openChat('en');
  const deposits = Array.from({ length: count }, () => ({
    status: 'confirmed',
    currency: 'TRX',
    amount: '1',
  }));
  chat.setup.rental.deposits.mockResolvedValue(accepted(deposits));
  await chat.expectReply('movements:open', '<i>Withdrawals include the fee.');
  expect(chat.html()).not.toContain('–10');
});

test('lists the latest ten deposits, however the service orders them', async ({ chat }) => {
  const days = Array.from({ length: 12 }, (_, at) => `2025-05-${String(at + 1).padStart(2, '0')}T10:00:00Z`);
  chat.setup.rental.deposits.mockResolvedValue(
    accepted(
      days.map((created_at, at) => ({
        status: 'confirmed',
        currency: 'TRX',
        amount: `${at + 1}`,
        created_at,
      })),
    ),
  );
  await chat.tap('deposit:history');
  expect(chat.html().match(/\+\d+/g)).toEqual(
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((amount) => `+${amount}`),
  );
  expect(chat.html()).toContain('The latest 10.');
});

test.each([
  ['USDT', 'confirmed', '+100.00 USDT (307.69 TRX) · credited'],
  ['USDT', 'pending', ' · 100.00 USDT · awaiting'],
  ['TRX', 'confirmed', '+100.00 TRX · credited'],
  ['TRX', 'expired', ' · 100.00 TRX · expired, not credited. Ask the service.'],
])('the list of deposits shows what %s, %s, was converted to', async (currency, status, line) => {
  const chat = await openChat('en');
  const deposit = { currency, status, amount: '100', amount_trx: '307.69' };
  chat.setup.rental.deposits.mockResolvedValue(accepted([deposit]));
  await chat.expectReply('deposit:history', line);
});

test.each([
  ['en', '⚠️ Result unknown, may already be charged: 📤 Withdrawal of', 'where is my money?'],
  ['ru', '⚠️ Результат неизвестен, деньги могли уже списаться: 📤 Вывод', 'где мои деньги?'],
] as const)(
  'balance and movements name a withdrawal of unknown result, in %s',
  async (language, line, question) => {
    const chat = await openChat(language);
    chat.setProfile('1000.00');
    await chat.setup.announced();
    const { id } = await chat.setup.lost({ request: { ...WITHDRAWAL, cap: WITHDRAW_CAP } });
    for (const shown of ['menu:balance', 'movements:open', question]) {
      await chat.input(shown);
      await eventually(() => chat.shows(line, `<code>${id}</code>`, TRX_BALANCE[language]));
    }
    const other = await openChat(language);
    const lost = await other.setup.lost();
    await other.input('menu:balance');
    await eventually(() => other.shows(`<code>${lost.id}</code>`));
    await other.setup.operations.settlement.report(ACCOUNT, FILLED);
    await other.input('menu:balance');
    await eventually(() => expect(other.html()).not.toContain(lost.id));
  },
);

test('names a withdrawal once while its result is unknown and the service lists it', async ({ chat }) => {
  chat.setProfile('1000.00');
  const { clock, rental } = chat.setup;
  await chat.setup.announced();
  const { id } = await chat.setup.lost({ request: { ...WITHDRAWAL, cap: WITHDRAW_CAP } });
  const made = { id: 1, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status: 'pending' };
  const created_at = new Date(clock.now).toISOString();
  const earlier = { ...made, id: 2, created_at: '2025-05-01T10:00:00Z' };
  rental.withdrawals.mockResolvedValue(accepted([{ ...made, created_at }, earlier]));
  await chat.tap('menu:balance');
  await eventually(() => chat.shows('being processed, already charged'));
  expect(chat.html()).not.toContain('Result unknown');
  expect(chat.html().match(/Withdrawal of/g)).toHaveLength(2);
  await chat.tap('movements:open');
  expect(chat.html()).not.toContain('Result unknown');
  expect(movementsOf(chat.last())).toHaveLength(2);
  expect(movementsOf(chat.last())[0]).toContain(`Ref. ${id}`);
});

test('the balance names no deposit that has expired a moment ago', async ({ chat }) => {
  const deposit = { id: 1, status: 'pending', amount: '25', currency: 'USDT' };
  chat.setup.rental.deposits.mockResolvedValue(accepted([deposit]));
  await chat.tap('menu:balance');
  await eventually(() => chat.shows('Deposit of 25.00 USDT'));
  chat.setup.rental.deposits.mockResolvedValue(accepted([{ ...deposit, status: 'expired' }]));
  await chat.tap('menu:balance');
  await new Promise(setImmediate);
  expect(chat.html()).not.toContain('Deposit of 25.00 USDT');
});

test.each([
  ['ru', 'движения', 'movements-title'],
  ['ru', 'перемещения', 'movements-title'],
  ['ru', 'почему списали деньги?', 'movements-title'],
  ['en', 'why was I charged?', 'movements-title'],
  ['ru', 'оператор', 'help-support'],
  ['en', 'get alerts', 'notifications-title'],
] as const)('in %s, “%s” shows %s', async (language, text, key) => {
  const chat = await openChat(language);
  await chat.expectReply(text, chat.words.html(key));
});

test('the settings lead to the notifications', async ({ chat }) => {
  await chat.write('/settings');
  await chat.tapShown('notifications:open');
  chat.shows(chat.words.html('notifications-title'));
});

const TRX_BALANCE = { en: '1,000.00 TRX', ru: '1\u00A0000,00\u00A0TRX' };

test('movements mark purchases of unknown result, and omit refused ones', async ({ chat }) => {
  const { setup } = chat;
  const lost = await setup.lost();
  setup.rental.buyEnergy.mockResolvedValueOnce(OFFLINE);
  await setup.advance(await setup.claimed());
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual([
    `⚠️ 65,000 energy · −2.32? TRX / 1 Jun, 12:00 UTC · Ref. ${lost.id} · TR7NHq…gjLj6t · result unknown`,
  ]);
  chat.shows('Balance: 1,000.00 TRX', "? marks what isn't certain.");
  await setup.operations.settlement.report(1001, FILLED);
  expect(await setup.read(lost)).toMatchObject({ state: 'done' });
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual([
    '✅ 65,000 energy · ≈−2.32 TRX / 1 Jun, 12:00 UTC · order 7 · TR7NHq…gjLj6t',
  ]);
  chat.shows('≈ is the price on the card.');
});

test('a balance that fails fast or arrives late does not block later reads', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const chat = await openChat('en');
  const { profile } = chat.setup.rental;
  profile.mockResolvedValueOnce(OFFLINE);
  await chat.write('/start');
  profile.mockImplementationOnce(async () => {
    await vi.advanceTimersByTimeAsync(970);
    return profileOf('3.21');
  });
  await chat.expectReply('/start', '3.21 TRX');
  vi.advanceTimersByTime(10_001);
  profile.mockResolvedValue(profileOf('4.56'));
  await chat.write('/start');
  await eventually(() => chat.shows('4.56 TRX'));
});
