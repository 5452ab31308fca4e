import { expect, vi } from 'vitest';
import type { Language } from '../../../src/i18n/texts.ts';
import { answerData } from '../../../src/views/callback-data.ts';
import { USER, WITHDRAW_CAP, WITHDRAWAL } from '../../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  CUT,
  OFFLINE,
  rejected,
  subscription,
} from '../../operations/rental-stand-in.ts';
import { eventually } from '../../support/eventually.ts';
import { settled } from '../../support/settled.ts';
import { KNOWN, LOOKALIKE, OTHER_ADDRESS, openChat, testWith } from '../chat.ts';

const all = answerData('all');

/** Opens a chat whose account has 2FA. */
async function openHolder(balance = '1000.00', owns: () => boolean | undefined = () => false) {
  const chat = await openChat('en');
  vi.spyOn(chat.deps.operator, 'owns').mockImplementation(async () => owns());
  chat.setProfile(balance, { codes: true });
  return {
    ...chat,
    /** Goes to the card of a withdrawal. Returns its operation id, message id and confirm data. */
    async toCard(amount: string, address = OTHER_ADDRESS) {
      await chat.write('/withdraw');
      await (amount === all ? chat.tap(all) : chat.write(amount));
      await chat.write(address);
      return {
        id: chat.dataWith('confirm').split(':').at(-1) ?? '',
        card: chat.lastMessage(),
        confirm: chat.dataWith('confirm'),
      };
    },
    read: (id: string) => chat.setup.read({ user: USER, id }),
    /** Returns the text of the last edit of a message. */
    cardText: (message: number) =>
      String(
        chat.calls.findLast(
          ({ method, payload }) => method === 'editMessageText' && payload.message_id === message,
        )?.payload.text,
      ),
  };
}

async function toCode(amount = '12.5', address = OTHER_ADDRESS) {
  const chat = await openHolder();
  const made = await chat.toCard(amount, address);
  await chat.tapShown(made.confirm);
  return { ...chat, ...made };
}

const test = testWith(() => openWithoutCodes());
const holderTest = testWith(() => openHolder());
const codeTest = testWith(() => toCode());

holderTest.for(['12345', '1234567'])(
  'takes %s below the card for a mistyped code, not for an amount',
  async (typed, { chat }) => {
    await chat.toCard('12.5');
    await chat.expectReply(typed, 'Not changed. A 2FA code has six digits.', `<code>${typed} TRX</code>`);
    expect(await chat.requested()).toMatchObject({ trx: '12.50' });
  },
);

holderTest('names the exact total that the balance does not cover', async ({ chat }) => {
  await chat.toCard('12.5');
  await chat.expectReply(
    '12345 TRX',
    'Total with the fee: <b>12,346.00 TRX</b>',
    'Missing: <b>11,346.00 TRX</b>',
  );
  expect(chat.html()).not.toContain('about');
});

test('rejects an amount that exceeds the balance including the fee, at its question', async () => {
  const chat = await openHolder('13.00');
  await chat.expectReply('/withdraw', 'Balance: 13.00 TRX');
  await chat.expectReply('12.5', 'Not enough: balance 13.00 TRX');
  await chat.expectReply('12', 'Send to which address?');
  chat.setProfile('1.00', { codes: true });
  await chat.write('/withdraw');
  await chat.expectReply(all, 'Nothing to withdraw');
});

test.each([
  [true, "I don't withdraw from the operator account"],
  [undefined, "isn't responding"],
])('stops at once if the operator account is linked or unknown: %s', async (owns, reply) => {
  const chat = await openHolder('1000.00', () => owns);
  await chat.expectReply('/withdraw', reply);
});

holderTest('starts no withdrawal if the balance cannot be read', async ({ chat }) => {
  chat.setup.rental.profile.mockResolvedValue(OFFLINE);
  await chat.expectReply('/withdraw', "isn't responding");
});

holderTest('an address sent to the question for the amount is kept', async ({ chat }) => {
  await chat.write('/withdraw');
  await chat.expectReply(OTHER_ADDRESS, 'How much should arrive?', `To: <code>${OTHER_ADDRESS}</code>`);
  await chat.expectReply('12.5', 'Withdrawal of 12.50 TRX', 'Total: <b>13.50 TRX</b>');
});

test.for<string[]>([
  ['/withdraw', OTHER_ADDRESS, '5000'],
  [`/withdraw 5000 ${OTHER_ADDRESS}`],
  [`/withdraw 1500 ${OTHER_ADDRESS}`],
])('an address is kept when its amount is too high: %s', async (inputs) => {
  for (const chat of [await openWithoutCodes('2000.00'), await openHolder()]) {
    await chat.input(...inputs);
    if (chat.data().includes(answerData('amount'))) await chat.tapShown(answerData('amount'));
    chat.shows(`To: <code>${OTHER_ADDRESS}</code>`);
    await chat.expectReply('10,5 trx', 'Withdrawal of 10.50 TRX', OTHER_ADDRESS);
  }
});

holderTest('a mistyped address at the question for the amount is called that', async ({ chat }) => {
  await chat.write('/withdraw');
  await chat.expectReply(
    OTHER_ADDRESS.slice(0, -1),
    'This address has 33 characters',
    'How much should arrive?',
  );
  await chat.expectReply(`${OTHER_ADDRESS} ${KNOWN}`, 'Several addresses found', 'How much should arrive?');
});

codeTest('the prompt for a code names its deadline and how to change the address', async ({ chat }) => {
  expect(chat.cardText(chat.card)).toMatch(/valid until <tg-time[^>]*>12:02 UTC/);
  await chat.expectReply(KNOWN, 'To change the address or amount, tap <i>✕ Cancel</i> first.');
  expect(await chat.read(chat.id)).toMatchObject({ state: 'awaiting' });
});

holderTest('the security hold follows a change of 2FA during the questions', async ({ chat }) => {
  await chat.input('/withdraw', '12.5');
  chat.setProfile('1000.00');
  await chat.expectReply(OTHER_ADDRESS, '10-minute security hold');
  await chat.input('/withdraw', '12.5');
  chat.setProfile('1000.00', { codes: true });
  await chat.expectReply(OTHER_ADDRESS, 'After that, I ask for your 2FA code');
});

test('All rounds fractions of a sun down, and an amount typed after it replaces it', async () => {
  const chat = await openHolder('1000.12345678');
  const { id } = await chat.toCard(all);
  expect((await chat.read(id)).request).toMatchObject({ trx: '999.123456' });
  await chat.input('/withdraw', all, answerData('back'), '5', OTHER_ADDRESS);
  const { request } = await chat.read(chat.dataWith('confirm').split(':').at(-1) ?? '');
  expect(request).toMatchObject({ trx: '5.00' });
  expect(request).not.toHaveProperty('all');
});

test('a withdrawal offers no unnamed address that was only bought for', async ({ chat }) => {
  const { addressBook } = chat.deps;
  await addressBook.remember(USER, KNOWN);
  await addressBook.setName(USER, OTHER_ADDRESS, 'Mine');
  await chat.input('/withdraw', '5');
  expect(chat.data()[0]).toBe(answerData(OTHER_ADDRESS));
  expect(chat.data()).not.toContain(answerData(KNOWN));
});

holderTest('a saved name below the card, or at a question, is the recipient', async ({ chat }) => {
  await chat.deps.addressBook.setName(USER, KNOWN, 'Exchange');
  const requested = async () =>
    (await chat.read(chat.dataWith('confirm').split(':').at(-1) ?? '')).request as object;
  await chat.toCard('5');
  await chat.write('Exchange');
  expect(await requested()).toMatchObject({ kind: 'withdrawal', address: KNOWN, trx: '5.00' });
  await chat.write(OTHER_ADDRESS);
  await chat.write('7 exchange');
  expect(await requested()).toMatchObject({ kind: 'withdrawal', address: KNOWN, trx: '7.00' });
  for (const text of ['Exchange 8', '8 to Exchange']) {
    await chat.input('/cancel', '/withdraw', text);
    expect(chat.html(), text).toContain(KNOWN);
  }
});

codeTest('the card names the latest withdrawal of the account to the address', async ({ chat }) => {
  const { setup } = chat;
  const { withdrawals } = setup.rental;
  const listed = (status: string, more: { id?: number; amount_trx?: string } = {}) =>
    withdrawals.mockResolvedValue(
      accepted([{ ...MADE, created_at: new Date(setup.clock.now).toISOString(), ...more, status }]),
    );
  const card = async (address = OTHER_ADDRESS) => {
    await chat.toCard('5', address);
    return chat.html();
  };
  const send = async ({ id, confirm }: Awaited<ReturnType<typeof chat.toCard>>) => {
    await chat.tapShown(confirm);
    await chat.write('123456');
    await setup.advance(await chat.read(id));
  };
  await chat.tap(`operation:cancel:${chat.id}`, { message: chat.card, carried: true });
  // Neither a name, a purchase for the address nor a failed withdrawal makes it safer.
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Mine');
  await chat.deps.addressBook.remember(USER, OTHER_ADDRESS);
  listed('failed');
  const first = await chat.toCard('5');
  chat.shows('⚠️ <b>First withdrawal</b> to this address.');
  setup.rental.withdraw.mockResolvedValueOnce(accepted({ ...MADE, amount_trx: '5' }));
  await send(first);
  listed('pending', { amount_trx: '5' });
  setup.clock.now += 2 * MINUTE;
  expect(await card()).toContain('You withdrew <b>5.00 TRX</b> to this address 2 min ago (being processed)');
  // The account's list outlives the link. Another user of the account learns of the withdrawal too.
  await chat.links.unlink(USER);
  await chat.links.link(USER, ACCOUNT, API_KEY, 'en');
  listed('completed', { id: 99 });
  setup.clock.now += 3 * 60 * MINUTE;
  expect(await card()).toContain('This account withdrew <b>12.50 TRX</b> to this address 3 h ago (sent)');
  setup.clock.now += 24 * 60 * MINUTE;
  expect(await card()).toContain('This account has withdrawn here before.');
  setup.rental.withdraw.mockResolvedValueOnce(CUT);
  await send(await chat.toCard('5', KNOWN));
  withdrawals.mockResolvedValue(OFFLINE);
  setup.clock.now += 40_000;
  expect(await card(KNOWN)).toContain(
    'You tried to withdraw <b>5.00 TRX</b> to this address 40 s ago (result unknown)',
  );
  expect(await card(THIRD)).toContain("I can't see whether this account has withdrawn here before");
});

codeTest('the history tells a refused withdrawal from one that the service returns', async ({ chat }) => {
  const { setup } = chat;
  await sendWrongCode(chat);
  const id = chat.dataWith('confirm').split(':').at(-1) ?? '';
  await chat.tap(chat.dataWith('confirm'), { message: chat.lastMessage(), carried: true });
  setup.clock.now += 61_000;
  await chat.write('123456');
  setup.rental.withdraw.mockImplementation(async (_key, { to_address, amount_trx }) =>
    accepted({ id: 31, to_address, amount_trx, status: 'pending' }),
  );
  await setup.advance(await chat.read(id));
  const entry = { address: OTHER_ADDRESS, amount: '12.5', status: 'failed' };
  const made = { account: ACCOUNT, namespace: 'withdrawal', order: 31 };
  await setup.operations.settlement.applyListedStatus(made, entry);
  await chat.write('/history');
  expect(chat.html().match(/not charged|the service returns it/g)).toEqual([
    'the service returns it',
    'not charged',
  ]);
});

codeTest('a failing update that ends the wait for a code cancels its card', async ({ chat }) => {
  vi.spyOn(chat.deps.operations.decisions, 'withCode').mockRejectedValue(new Error('always'));
  await expect(chat.write('123456')).rejects.toThrow();
  await expect(chat.again()).rejects.toThrow();
  await chat.again();
  expect(chat.allHtml()).toContain(chat.words.html('code-exposed'));
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
  expect(chat.cardText(chat.card)).toContain('Cancelled');
});

holderTest('a failing update that forgets an open card cancels it', async ({ chat }) => {
  const { id, card } = await chat.toCard('5');
  vi.spyOn(chat.deps.operations.drafts, 'open').mockRejectedValue(new Error('always'));
  await expect(chat.write('hello')).rejects.toThrow();
  await expect(chat.again()).rejects.toThrow();
  await chat.again();
  expect(await chat.read(id)).toMatchObject({ state: 'cancelled' });
  expect(chat.cardText(card)).toContain('Cancelled');
});

holderTest('asks for the code on the card before the withdrawal awaits it', async ({ chat }) => {
  const { id, card, confirm } = await chat.toCard('12.5');
  const { chats } = chat.setup.storage;
  const commit = chats.commit.bind(chats);
  let shownAtCommit = '';
  vi.spyOn(chats, 'commit').mockImplementationOnce((request) => {
    shownAtCommit = chat.cardText(card);
    return commit(request);
  });
  await chat.tapShown(confirm);
  expect(shownAtCommit).toContain(chat.words.html('operation-awaiting-note'));
  expect(await chat.read(id)).toMatchObject({ state: 'awaiting' });
});

/** Sends a wrong code for the withdrawal that awaits one. Returns the operation once the service has refused it. */
async function sendWrongCode(chat: Awaited<ReturnType<typeof toCode>>, id = chat.id) {
  chat.setup.rental.withdraw.mockResolvedValueOnce(rejected(403, 'INVALID_2FA_CODE'));
  await chat.write('000000');
  await chat.setup.advance(await chat.read(id));
  await settled();
  return chat.read(id);
}

codeTest('after a wrong code, a card follows that needs a new Confirm and a new code', async ({ chat }) => {
  const { setup, words } = chat;
  const { rental, clock } = setup;
  expect(await sendWrongCode(chat)).toMatchObject({ state: 'refused', isRepeated: true });
  expect(setup.show.mock.lastCall?.[0]).toMatchObject({ id: chat.id, isRepeated: true });
  chat.shows(
    'Withdrawal of 12.50 TRX',
    OTHER_ADDRESS,
    'One attempt a minute: tap <i>✅ Confirm</i>, then send the code <b>from',
    '12:01:00 UTC',
    '12:02:00 UTC</tg-time></b>.',
  );
  const confirm = chat.dataWith('confirm');
  const id = confirm.split(':').at(-1) ?? '';
  expect(id).not.toBe(chat.id);
  const card = chat.lastMessage();
  await chat.expectReply(
    '111111',
    'Tap <i>✅ Confirm</i> first, then send a new one <b>from',
    '12:01:00 UTC',
  );
  const replies = [chat.lastMessage()];
  await chat.tap(confirm, { message: card, carried: true });
  chat.shows('Send your 2FA code', '12:01:00 UTC');
  clock.now += 25_000;
  for (const code of ['222222', '333333']) {
    await chat.expectReply(code, "Too early: I didn't use this code", '12:01:00 UTC');
    expect(await chat.read(id)).toMatchObject({ state: 'awaiting' });
    replies.push(chat.lastMessage());
  }
  // At most one reply to a code is left.
  const leftReplies = () => {
    const deleted = chat.payloads('deleteMessage').map(({ message_id }) => message_id);
    return replies.filter((one) => !deleted.includes(one));
  };
  expect(leftReplies()).toEqual(replies.slice(-1));
  rental.withdraw.mockResolvedValueOnce(accepted({ ...MADE, created_at: new Date(clock.now).toISOString() }));
  clock.now += 35_000;
  await chat.write('444444');
  expect(await chat.read(id)).toMatchObject({ state: 'claimed' });
  expect(leftReplies()).toEqual([]);
  await setup.advance(await chat.read(id));
  expect(await chat.read(id)).toMatchObject({ state: 'done' });
  expect(rental.withdraw.mock.calls.map(([, { totp_code }]) => totp_code)).toEqual(['000000', '444444']);
  // Also long after the card.
  clock.now += 25 * MINUTE;
  await chat.expectReply('555555', words.html('code-unasked'));
});

codeTest.for(['/activate', '/buy'])(
  'no card follows a wrong code after %s, and Try again stays on the receipt',
  async (command, { chat }) => {
    const { setup } = chat;
    setup.rental.withdraw.mockResolvedValueOnce(rejected(403, 'INVALID_2FA_CODE'));
    await chat.write('000000');
    await chat.write(command);
    if (command === '/activate') await chat.write(ADDRESS);
    const [before, draft] = [chat.views().length, chat.dataWith('confirm')];
    await setup.advance(await chat.read(chat.id));
    await settled();
    expect(chat.views()).toHaveLength(before);
    expect(setup.show.mock.lastCall?.[0]).toMatchObject({ id: chat.id, state: 'refused' });
    expect(await chat.read(chat.id)).not.toHaveProperty('isRepeated');
    if (draft) await chat.tapShown(draft);
    if (draft) expect(await chat.read(draft.split(':').at(-1) ?? '')).toMatchObject({ state: 'claimed' });
  },
);

codeTest('no card follows the third wrong code in a row', async ({ chat }) => {
  let id = chat.id;
  for (const nth of [1, 2, 3]) {
    const refused = await sendWrongCode(chat, id);
    expect(refused).toMatchObject({ state: 'refused', ...(nth > 1 && { wrongCodes: nth - 1 }) });
    if (nth === 3) break;
    const confirm = chat.dataWith('confirm');
    id = confirm.split(':').at(-1) ?? '';
    chat.setup.clock.now += MINUTE;
    await chat.tapShown(confirm);
  }
  const refused = await chat.read(id);
  expect(refused).not.toHaveProperty('isRepeated');
  const { html, keyboard } = await chat.deps.card(chat.words, refused);
  expect(html).toContain('third in a row');
  expect(JSON.stringify(keyboard)).toContain(`operation:again:${id}`);
});

codeTest.for([
  ['an unknown outcome', CUT],
  ['another refusal', rejected(400, 'INSUFFICIENT_BALANCE')],
] as const)('no card follows %s', async ([, outcome], { chat }) => {
  chat.setup.rental.withdraw.mockResolvedValueOnce(outcome);
  await chat.write('000000');
  const before = chat.views().length;
  await chat.setup.advance(await chat.read(chat.id));
  await settled();
  expect(chat.views()).toHaveLength(before);
});

codeTest.for([
  ['account:unlink', 'account:unlink-yes'],
  ['/forget', 'forget:yes'],
] as const)('no card follows a wrong code if its request lasted until %s', async ([ask, yes], { chat }) => {
  const { setup, links } = chat;
  let before = 0;
  setup.rental.withdraw.mockImplementationOnce(async () => {
    await chat.input(ask);
    await chat.tapShown(chat.dataWith(yes));
    await eventually(async () => expect(await links.find(USER)).toBeUndefined());
    // After *Forget me*, the user may have linked the account again.
    if (yes === 'forget:yes') await links.link(USER, ACCOUNT, API_KEY, 'en');
    before = chat.views().length;
    return rejected(403, 'INVALID_2FA_CODE');
  });
  await chat.write('000000');
  await setup.advance(await chat.read(chat.id));
  await settled();
  expect(chat.views()).toHaveLength(before);
  expect(await chat.read(chat.id)).toMatchObject({ refusal: { reason: 'code' } });
});

codeTest('Try again works if the card after a wrong code could not be sent', async ({ chat }) => {
  chat.trouble('sendMessage', { code: 400, description: 'Bad Request: message is too long' });
  const refused = await sendWrongCode(chat);
  expect(refused).not.toHaveProperty('isRepeated');
  chat.trouble('sendMessage', undefined);
  await chat.tap(`operation:again:${chat.id}`, { message: chat.card, carried: true });
  chat.shows('Withdrawal of 12.50 TRX', 'send the code <b>from');
});

codeTest('a number in a question or at an order is deleted with advice that works', async ({ chat }) => {
  await chat.write('/buy');
  await chat.input(ADDRESS);
  await chat.expectReply('131000', 'add its unit, like 131000 energy.');
  await chat.write('131000 energy');
  expect(await chat.requested()).toMatchObject({ energy_amount: 131_000 });
  await chat.write('/withdraw');
  await chat.write('131000');
  expect(chat.allHtml()).toContain('131000 energy or 131000 TRX');
  await chat.expectReply('131000 TRX', 'Not enough');
  await chat.input('/bandwidth', ADDRESS);
  await chat.expectReply('100000 bandwidth', 'For how long?');
});

codeTest('uses a code whose message cannot be deleted, and warns the user', async ({ chat }) => {
  chat.trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
  await chat.write('123456');
  expect(chat.html()).toBe(chat.words.html('code-exposed'));
  expect(await chat.read(chat.id)).toMatchObject({ state: 'claimed' });
});

holderTest(
  'does not delete messages after the card has expired, except numbers like a code',
  async ({ chat }) => {
    const { clock } = chat.setup;
    const { confirm } = await chat.toCard('12.5');
    clock.now += 60_000;
    await chat.tapShown(confirm);
    // For half an hour after Confirm, a number alone still counts as a code.
    clock.now += 30 * 60_000 - 1;
    const deleted = () => chat.payloads('deleteMessage').length;
    const before = deleted();
    await chat.write('qwerty and other words');
    expect(deleted()).toBe(before);
    expect(chat.html()).toContain("I didn't understand that");
    await chat.write('123 456');
    expect(deleted()).toBe(before + 1);
    clock.now += 1;
    await chat.write('123456');
    expect(deleted()).toBe(before + 1);
  },
);

holderTest(
  'a number no longer counts as a code half an hour after the clock was set back',
  async ({ chat }) => {
    const { clock } = chat.setup;
    const { confirm } = await chat.toCard('12.5');
    await chat.tapShown(confirm);
    clock.now += 30 * 60_000 - 1;
    await chat.write('hello');
    clock.now -= 24 * 3600_000;
    const deleted = () => chat.payloads('deleteMessage').length;
    const before = deleted();
    await chat.write('123456');
    expect(deleted()).toBe(before + 1);
    clock.now += 30 * 60_000;
    await chat.write('123456');
    expect(deleted()).toBe(before + 1);
  },
);

codeTest('a newer card cancels an older one that awaits its code', async ({ chat }) => {
  await chat.write('/activate');
  await chat.expectReply(ADDRESS, 'Review and confirm');
  await chat.expectReply('123456', 'I deleted a 6-digit number');
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
});

test('edits a card once after Cancel, later if Telegram refuses', async () => {
  for (const fails of [false, true]) {
    const chat = await toCode();
    if (fails) chat.trouble('editMessageText', { code: 400, description: "message can't be edited" });
    await chat.tap(`operation:cancel:${chat.id}`, { message: chat.card, carried: true });
    if (!fails) expect(chat.cardText(chat.card)).toContain('Cancelled');
    await chat.setup.advance(await chat.read(chat.id));
    expect(chat.setup.shown()).toEqual(fails ? ['cancelled'] : []);
  }
});

codeTest('ignores a code that was sent before its card but arrived later', async ({ chat }) => {
  // The message id is below that of the card: a delayed update.
  await chat.write('123456', { message: chat.card - 1 });
  expect(chat.html()).toBe(chat.words.html('code-early'));
  expect(await chat.read(chat.id)).toMatchObject({ state: 'awaiting' });
});

codeTest('does not use a code that arrived a minute late', async ({ chat }) => {
  const date = chat.setup.clock.now / 1_000 - 60;
  await chat.bring({ text: '123456', date });
  expect(chat.html()).toBe(chat.words.html('code-old'));
  await chat.bring({ text: '123456', date: date + 1 });
  expect(await chat.read(chat.id)).toMatchObject({ state: 'claimed' });
});

codeTest('cancels a card that would leave no time for another code after the cooldown', async ({ chat }) => {
  const { setup, words } = chat;
  const { cooldowns } = setup.operations;
  setup.clock.now += MINUTE / 2;
  // Another holder of the account has just made a withdrawal.
  await cooldowns.begin(await chat.read(chat.id));
  await chat.expectReply('123456', "Too early: I didn't use this code", '12:01:30 UTC', '12:02:00 UTC');
  expect(await chat.read(chat.id)).toMatchObject({ state: 'awaiting' });
  // Less than the 30 s of a code would be left.
  setup.clock.now += 1_000;
  await cooldowns.begin(await chat.read(chat.id));
  await chat.write('123456');
  expect(chat.allHtml()).toContain(words.html('code-expires-first'));
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
  expect(chat.cardText(chat.card)).toContain('Cancelled');
});

codeTest(
  'a command that only shows something, small talk or a feature keeps waiting for the code',
  async ({ chat }) => {
    for (const said of ['/account', 'prices', 'thanks', '?'])
      await chat.expectReply(said, chat.words.html('code-question'));
    expect(chat.allHtml()).toContain('Account 1001');
    expect(chat.allHtml()).toContain(chat.words.html('prices-card'));
    expect(await chat.read(chat.id)).toMatchObject({ state: 'awaiting' });
  },
);

codeTest('asks again after a text that is no code', async ({ chat }) => {
  await chat.expectReply('what code do you mean?', 'Send only the six digits');
  await chat.expectReply('12 34', 'Send only the six digits');
  expect(await chat.read(chat.id)).toMatchObject({ state: 'awaiting' });
});

holderTest('deletes a code sent before Confirm and does not use it', async ({ chat }) => {
  const { id } = await chat.toCard('12.5');
  await chat.write('123456');
  expect(chat.calls.at(-2)?.method).toBe('deleteMessage');
  expect(await chat.read(id)).toMatchObject({ state: 'draft' });
});

test.each([
  ['cancel', ''],
  ['/cancel', ''],
  ['/buy', 'Which address'],
  ['menu:open', 'Energy and bandwidth on TRON'],
  ['operation:menu', 'Energy and bandwidth on TRON'],
])('%s cancels a card that awaits its code, and says so above another screen', async (text, shows) => {
  const chat = await toCode();
  const before = chat.views().length;
  await (text.includes(':') ? chat.tap(text, { message: chat.card - 1, carried: true }) : chat.write(text));
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
  expect(chat.cardText(chat.card)).toContain('Cancelled');
  const view = chat.views().find(({ html }) => html.startsWith(chat.words.html('left-code')));
  if (shows) expect(view?.html).toContain(shows);
  else expect(chat.views()).toHaveLength(before + 1);
  await chat.write('123456');
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
});

codeTest('deletes a code that is sent long after its card has expired', async ({ chat }) => {
  chat.setup.clock.now += 6 * 60_000;
  const before = chat.views().length;
  await chat.write('123 4567');
  expect(chat.payloads('deleteMessage').at(-1)).toMatchObject({ message_id: expect.any(Number) });
  expect(chat.views().slice(before)).toHaveLength(1);
  expect(chat.last().html).toBe(chat.words.html('left-code'));
});

codeTest('a menu opened after the card has expired does not mention the card', async ({ chat }) => {
  chat.setup.clock.now += 2 * 60_000;
  await chat.setup.pass(60_000);
  expect(await chat.read(chat.id)).toMatchObject({ state: 'expired' });
  await chat.tapShown('menu:open');
  expect(chat.toast()).toBeUndefined();
});

codeTest('one tap pauses Smart Mode and cancels a card that awaits its code', async ({ chat }) => {
  const { setup } = chat;
  setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  const enqueueClaim = vi.spyOn(chat.deps.sendQueue, 'enqueueClaim');
  await chat.tap('smart-mode:pause:12', { message: chat.card - 1, carried: true });
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
  expect(chat.cardText(chat.card)).toContain('Cancelled');
  const [[{ operation: pause }] = expect.fail('nothing was claimed')] = enqueueClaim.mock.calls;
  expect(await chat.read(pause.id)).toMatchObject({ state: 'claimed', request: { action: 'pause' } });
});

codeTest('Try again on one card cancels another that awaits its code', async ({ chat }) => {
  await chat.tap(`operation:cancel:${chat.id}`, { message: chat.card, carried: true });
  const older = await chat.toCard('5');
  await chat.tapShown(older.confirm);
  await chat.tap(`operation:again:${chat.id}`, { message: chat.card, carried: true });
  expect(await chat.read(older.id)).toMatchObject({ state: 'cancelled' });
  expect(chat.cardText(older.card)).toContain('Cancelled');
});

codeTest('Cancel on one card does not affect another that awaits its code', async ({ chat }) => {
  await chat.tap(`operation:cancel:${chat.id}`, { message: chat.card, carried: true });
  const older = await chat.toCard('5');
  await chat.tapShown(older.confirm);
  // Again on the first card creates the newer one. The process ends before it cancels the older one.
  vi.spyOn(chat.setup.operations.drafts, 'cancelAwaiting').mockRejectedValueOnce(new Error('died'));
  await chat.tap(`operation:again:${chat.id}`, { message: chat.card, carried: true });
  const newer = { card: chat.lastMessage(), confirm: chat.dataWith('confirm') };
  const id = newer.confirm.split(':').at(-1) ?? '';
  await chat.tapShown(newer.confirm);
  await chat.tap(`operation:cancel:${older.id}`, { message: older.card, carried: true });
  expect([await chat.read(older.id), await chat.read(id)]).toMatchObject([
    { state: 'cancelled' },
    { state: 'awaiting' },
  ]);
  await chat.write('123456');
  expect(await chat.read(id)).toMatchObject({ state: 'claimed' });
});

/** Withdrawal of 12.5 TRX as the service returns it. */
const MADE = {
  id: 31,
  to_address: OTHER_ADDRESS,
  amount_trx: '12.50',
  fee_trx: '1',
  status: 'pending',
  tx_hash: null,
} as const;
const CONTRACT = 'TPYmHEhy5n8TCEfYGqW2rPxsghSfzghPDn';
const THIRD = 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig';
const ENDS = LOOKALIKE.slice(-6);
const MINUTE = 60_000;

type WithoutCodes = Awaited<ReturnType<typeof openWithoutCodes>>;

/** Opens a chat whose account has no 2FA. */
async function openWithoutCodes(balance = '1000.00', language: Language = 'en') {
  const chat = await openChat(language);
  const addressNotifications = {
    announced: vi.spyOn(chat.deps.addressNotifications, 'announced'),
    blocked: vi.spyOn(chat.deps.addressNotifications, 'blocked'),
  };
  chat.setProfile(balance);
  chat.setup.rental.withdrawals.mockResolvedValue(accepted([]));
  /** Answers all questions. Returns the data of the button that opens the card later. */
  async function toAnnounced(amount = '12.5', address = OTHER_ADDRESS) {
    await chat.write('/withdraw');
    await (amount === 'All' ? chat.tap(answerData('all')) : chat.write(amount));
    await chat.write(address);
    return chat.dataWith('announced:cancel').replace('cancel', 'card');
  }
  /** Announces the address as requested by another user or for another account. */
  async function announce(more: { user?: number; account?: number; address?: string }) {
    const { addressAnnouncements } = chat.setup;
    const request = { user: USER, account: ACCOUNT, address: OTHER_ADDRESS, trx: '5.00', ...more };
    const made = (await addressAnnouncements.draft(request)) ?? expect.fail('nothing was drafted');
    await addressAnnouncements.add(made);
    return made;
  }
  return {
    ...chat,
    addressNotifications,
    toAnnounced,
    /** Goes to the card of a withdrawal, after the waiting time of its address. */
    async toCard(amount?: string) {
      const card = await toAnnounced(amount);
      chat.setup.clock.now += 10 * MINUTE;
      await chat.tap(card);
      return { id: chat.dataWith('confirm').split(':').at(-1) ?? '', confirm: chat.dataWith('confirm') };
    },
    read: (id: string) => chat.setup.read({ user: USER, id }),
    announce,
    /** Records a withdrawal by this user to the address. */
    async use(address: string, user: number) {
      await announce({ address, user });
      await chat.setup.addressAnnouncements.recordUse({ user, account: ACCOUNT, address });
    },
  };
}

test('the questions show the daily cap without 2FA, and All withdraws at most the rest', async ({ chat }) => {
  await chat.expectReply('/withdraw', 'Daily limit without 2FA: 100.00 TRX, 100.00 TRX left');
  await chat.expectReply('99.01', 'Over the daily limit');
  await chat.expectReply('50', 'Send to which address?', 'Arrives: <b>50.00 TRX</b>');
  await chat.write('/withdraw');
  await chat.expectReply(all, "All within today's limit: <b>99.00 TRX</b>");
  await chat.toCard('All');
  chat.shows('Withdrawal of 99.00 TRX', 'Total: <b>100.00 TRX</b>');
});

test('withdraws nothing without 2FA if the cap is 0', async ({ chat }) => {
  Object.assign(chat.deps.operations.dailyCap, { trx: '0' });
  await chat.expectReply('/withdraw', 'Withdrawals need 2FA');
});

test.for([
  ['of the address book', (chat: WithoutCodes) => chat.deps.addressBook.remember(USER, KNOWN)],
  ['to which another user has withdrawn', (chat: WithoutCodes) => chat.use(KNOWN, USER + 1)],
] as const)('requires typing the end of an address like one %s', async ([, prepare], { chat }) => {
  await prepare(chat);
  await chat.toAnnounced('12.5', LOOKALIKE);
  chat.shows('Type the last 6 characters');
  expect(chat.html()).not.toContain(ENDS);
  for (const wrong of [ENDS.toLowerCase(), ENDS.slice(1), `${ENDS}x`, ADDRESS.slice(-6)]) {
    await chat.expectReply(wrong, "Those aren't the last 6 characters");
  }
  await chat.expectReply(LOOKALIKE, 'Only the last 6 characters');
  await chat.input(answerData('back'), LOOKALIKE);
  expect(chat.addressNotifications.announced).not.toHaveBeenCalled();
  await chat.expectReply(` ${ENDS.slice(0, 3)} ${ENDS.slice(3)}`, '10-minute security hold');
  // A menu button would replace the announcement.
  expect(chat.labels()).toEqual(['✖️ Cancel withdrawal', '⛔ Not mine: block for 24 h']);
});

test('announces a new address once and shows no card for ten minutes', async ({ chat }) => {
  const card = await chat.toAnnounced();
  chat.shows('Withdrawal of 12.50 TRX', OTHER_ADDRESS, 'from <tg-time', '12:10:00 UTC');
  expect(chat.html()).not.toContain('can block the address');
  chat.setup.clock.now += 9.5 * MINUTE;
  await chat.links.link(USER + 1, ACCOUNT, API_KEY, 'en');
  await chat.expectReply(card, '12:10:00 UTC', 'others with account');
  await chat.toAnnounced('5');
  chat.shows('12:10:00 UTC');
  chat.setup.clock.now += MINUTE / 2;
  await chat.expectReply(
    card,
    'Review and confirm',
    'Sent as soon as you confirm. 100.00 of 100.00 TRX left today',
  );
  // A known address leads to its card at once.
  await chat.expectReply(`/withdraw ${OTHER_ADDRESS} 5`, 'Withdrawal of 5.00 TRX');
  expect(chat.addressNotifications.announced).toHaveBeenCalledOnce();
});

test('does not start the waiting time if the announcement fails', async ({ chat }) => {
  chat.addressNotifications.announced.mockRejectedValueOnce(new Error('the queue is away'));
  await expect(chat.toAnnounced()).rejects.toThrow();
  const address = { user: USER, account: ACCOUNT, address: OTHER_ADDRESS };
  expect(await chat.setup.addressAnnouncements.getStatus(address)).toEqual({ kind: 'new' });
});

test('Confirm claims the operation without a code and reserves its part of the cap', async ({ chat }) => {
  const { id, confirm } = await chat.toCard('60');
  await chat.tapShown(confirm);
  expect(await chat.read(id)).toMatchObject({ state: 'claimed', request: { cap: '100.00' } });
  expect(await chat.setup.operations.dailyCap.remaining(ACCOUNT)).toBe('39.00');
});

test('Confirm is rejected if another withdrawal has used the cap, and the card stays', async ({ chat }) => {
  const { id, confirm } = await chat.toCard('60');
  const other = await chat.setup.draft({
    user: USER + 1,
    request: { kind: 'withdrawal', address: OTHER_ADDRESS, trx: '41.00', cap: '100' },
  });
  await chat.setup.operations.dailyCap.reserve(other, 'sent');
  await chat.tapShown(confirm);
  expect(chat.toast()).toContain('Daily limit: 100.00 TRX, 58.00 TRX left');
  expect(await chat.read(id)).toMatchObject({ state: 'draft' });
});

test('shows a new card for All if the balance has changed, without another check', async () => {
  const chat = await openWithoutCodes('51.00');
  const { id, confirm } = await chat.toCard('All');
  chat.shows('50.00 TRX');
  chat.setProfile('61.00');
  await chat.tapShown(confirm);
  expect(chat.toast()).toContain("Here's an updated card");
  chat.shows('60.00 TRX');
  expect((await chat.read(id)).state).toBe('replaced');
  expect(await chat.setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test('reports a missing balance at the card and announces the address once it is back', async () => {
  const chat = await openWithoutCodes('50.00');
  await chat.input('/withdraw', '12.5');
  chat.setProfile('5.00');
  await chat.expectReply(OTHER_ADDRESS, 'Missing: <b>8.50 TRX</b>');
  expect(chat.addressNotifications.announced).not.toHaveBeenCalled();
  chat.setProfile('50.00');
  await chat.expectReply(answerData('again'), '10-minute security hold');
});

test.for<string[]>([
  [`/withdraw 25 ${OTHER_ADDRESS}`],
  [`/withdraw ${OTHER_ADDRESS} 25 TRX`],
  ['/withdraw', `25 ${OTHER_ADDRESS}`],
  ['/withdraw', `${OTHER_ADDRESS}\n25,00`],
  ['/withdraw 7', `25 TRX ${OTHER_ADDRESS.replace(/.{4}(?=.)/g, '$& ')}`],
])('one message with amount and address suffices: %s', async (inputs, { chat }) => {
  await chat.input(...inputs);
  chat.shows(
    '10-minute security hold',
    'Withdrawal of 25.00 TRX',
    OTHER_ADDRESS,
    'Fee: 1.00 TRX extra. Nothing has left',
  );
  expect(chat.addressNotifications.announced).toHaveBeenCalledOnce();
});

test.for([
  [`101 ${OTHER_ADDRESS}`, 'Over the daily limit'],
  [`5000 ${OTHER_ADDRESS}`, 'Not enough: balance 1,000.00 TRX'],
  ['/withdraw 5000', 'Not enough: balance 1,000.00 TRX'],
  [`25 ${ADDRESS}`, "is this account's deposit address"],
  [`25 ${OTHER_ADDRESS} ${THIRD}`, 'Several addresses found'],
  [`25 ${OTHER_ADDRESS.slice(0, -1)}`, 'This address has 33 characters'],
] as const)(
  'an amount and address in one message are checked as usual: %s',
  async ([text, problem], { chat }) => {
    await chat.write('/withdraw');
    await chat.expectReply(text, problem);
    expect(chat.addressNotifications.announced).not.toHaveBeenCalled();
  },
);

test('the button that ends the hold makes one card, with the balance of that time', async ({ chat }) => {
  const name = await chat.toAnnounced();
  chat.setup.clock.now += 10 * MINUTE;
  const button = await chat.sentData(name);
  await chat.forge(name, { carried: true });
  expect(chat.toast()).toContain('This button has expired');
  expect(chat.dataWith('confirm')).toBe('');
  chat.setProfile('5.00');
  await chat.forge(button, { carried: true });
  chat.shows('Missing: <b>8.50 TRX</b>');
  chat.setProfile('50.00');
  await chat.expectReply(answerData('again'), 'Review and confirm', 'Withdrawal of 12.50 TRX');
  await chat.forge(button, { carried: true });
  expect(chat.toast()).toContain('This button has expired');
});

test('the button that ends the hold can be tapped again until its withdrawal is confirmed', async ({
  chat,
}) => {
  const name = await chat.toAnnounced();
  chat.setup.clock.now += 10 * MINUTE;
  const used = await chat.sentData(name);
  await chat.deps.maintenance.turnOn(USER);
  await chat.forge(used, { carried: true });
  chat.shows(chat.words.html('maintenance'));
  await chat.deps.maintenance.turnOff();
  await chat.forge(used, { carried: true });
  expect(chat.toast()).toContain('This button has expired');
  const shownKeyboard = () => chat.payloads('editMessageReplyMarkup').at(-1)?.reply_markup;
  const release = { message: chat.lastMessage() };
  // The card may expire or be replaced, so the button stays until the withdrawal is sent.
  for (let card = 1; card <= 2; card += 1) {
    expect(JSON.stringify(shownKeyboard())).toContain(`${name}~`);
    await chat.forge(chat.dataOf(name) ?? '', { ...release, carried: true });
    chat.shows('Review and confirm', 'Withdrawal of 12.50 TRX');
    chat.setup.clock.now += 3 * MINUTE;
  }
  await chat.setup.addressAnnouncements.reserve({ user: USER, account: ACCOUNT, address: OTHER_ADDRESS });
  await chat.forge(chat.dataOf(name) ?? '', { ...release, carried: true });
  chat.shows('Already confirmed at');
  expect(chat.dataWith('announced:')).toBe('');
});

test('any account holder can reject an address; the requesting user is notified once', async ({ chat }) => {
  const made = await chat.announce({ user: USER + 1 });
  await chat.tapShown(`announced:card:${made.id}`);
  expect(chat.toast()).toBe('This button is out of date.');
  for (let times = 0; times < 3; times += 1) await chat.tapShown(`announced:block:${made.id}`);
  chat.shows('Address blocked');
  expect(chat.addressNotifications.blocked).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ id: made.id }),
  );
  await chat.toAnnounced();
  chat.shows('Address blocked');
});

test('a block also ends the withdrawals to this address that others have announced, and says so', async ({
  chat,
}) => {
  const own = await chat.toAnnounced();
  const [first, second] = [await chat.announce({ user: USER + 1 }), await chat.announce({ user: USER + 2 })];
  await chat.tapShown(`announced:block:${first.id}`);
  expect(chat.addressNotifications.blocked.mock.calls.map(([{ id }]) => id)).toEqual([first.id, second.id]);
  const waiting = await chat.setup.addressAnnouncements.waitingOf({ user: USER, account: ACCOUNT });
  expect(waiting).toEqual([]);
  chat.setup.clock.now += 10 * MINUTE;
  await chat.expectReply(own, 'Address blocked');
});

test('a user who rejects their own address gets no notification', async ({ chat }) => {
  const card = await chat.toAnnounced();
  await chat.tapShown(card.replace('card', 'block'));
  chat.shows('Address blocked');
  expect(chat.addressNotifications.blocked).not.toHaveBeenCalled();
  chat.setup.clock.now += 10 * MINUTE;
  await chat.expectReply(card, 'Address blocked');
});

test.each(['block', 'card'])('a forged %s, or one of another account, has no effect', async (button) => {
  const chat = await openWithoutCodes();
  const { id } = await chat.announce({ account: ACCOUNT + 1 });
  for (const one of ['made-up', id]) {
    await chat.tapShown(`announced:${button}:${one}`);
    if (button === 'card') chat.shows("This withdrawal can't be confirmed any more.");
    else expect(chat.toast()).toBe('This button is out of date.');
  }
  expect(await chat.setup.addressAnnouncements.find(ACCOUNT + 1, id)).not.toHaveProperty('cancelledAt');
});

test('linking explains the cap without 2FA', async ({ chat }) => {
  await chat.input('/start', 'link:open', API_KEY);
  chat.shows('Without 2FA, you can withdraw up to 100.00 TRX a day, to new addresses after a 10-minute');
});

test('Cancel ends the hold and its card; nothing can be withdrawn from that message any more', async ({
  chat,
}) => {
  const status = () =>
    chat.setup.addressAnnouncements.getStatus({ user: USER, account: ACCOUNT, address: OTHER_ADDRESS });
  const card = await chat.toAnnounced();
  const hold = { message: chat.lastMessage(), carried: true };
  const cancel = card.replace('card', 'cancel');
  const later = await chat.sentData(card);
  chat.setup.clock.now += 10 * MINUTE;
  await chat.tap(card);
  const confirm = chat.dataWith('confirm');
  await chat.forge(await chat.sentData(cancel), hold);
  expect(chat.allHtml()).toContain('<b>Withdrawal cancelled.</b> Nothing was charged.');
  // The update may be handled again after its process was killed.
  await chat.again();
  expect(await chat.read(confirm.split(':').at(-1) ?? '')).toMatchObject({ state: 'cancelled' });
  expect(await status()).toEqual({ kind: 'new' });
  await chat.forge(later, hold);
  chat.shows('<b>Withdrawal cancelled.</b>');
  const next = await chat.toAnnounced();
  chat.setup.clock.now += 10 * MINUTE;
  expect(await status()).toEqual({ kind: 'usable' });
  // The old message's buttons don't apply to the new announcement.
  expect(next).not.toBe(card);
  await chat.forge(await chat.sentData(cancel), hold);
  await chat.forge(await chat.sentData(card), hold);
  expect([await status(), chat.dataWith('confirm')]).toEqual([{ kind: 'usable' }, '']);
});

test.for([
  ['Cancel', 'en', 'still waits for you to confirm it, until'],
  ['/buy', 'en', 'still waits for you to confirm it, until'],
  ['Cancel', 'ru', 'Вывод ждёт вашего подтверждения до'],
  ['/buy', 'ru', 'Вывод ждёт вашего подтверждения до'],
] as const)(
  '%s closes the card after the hold and says that the withdrawal waits (%s)',
  async ([way, language, text]) => {
    const chat = await openWithoutCodes('1000.00', language);
    const name = await chat.toAnnounced();
    chat.setup.clock.now += 10 * MINUTE;
    await chat.tap(name);
    const card = chat.lastMessage();
    const cancel = chat.dataWith('operation:cancel');
    await (way === 'Cancel' ? chat.tapShown(cancel) : chat.write(way));
    const edits = () => chat.payloads('editMessageText').filter(({ message_id: edited }) => edited === card);
    expect(edits().at(-1)?.text).toContain(text);
    expect(edits().at(-1)?.text).toMatch(/11:59/);
    expect(edits().at(-1)?.text).not.toMatch(/Cancelled|Отменено/);
    const waiting = { user: USER, account: ACCOUNT, address: OTHER_ADDRESS };
    const [held] = await chat.setup.addressAnnouncements.waitingOf(waiting);
    expect(held?.messages).toContain(card);
    await chat.tap(name.replace('card', 'cancel'), { message: card, carried: true });
    expect(await chat.setup.addressAnnouncements.getStatus(waiting)).toEqual({ kind: 'new' });
  },
);

test.for([
  ['cancel', '☑️ <b>Not cancelled: already sent at'],
  ['ask-block', '☑️ <b>Not blocked: already sent at'],
  ['block', '☑️ <b>Not blocked: already sent at'],
  ['card', '☑️ <b>Already sent at'],
] as const)(
  '%s on an old message says that the withdrawal was sent, and removes its buttons',
  async ([button, reply], { chat }) => {
    const card = await chat.toAnnounced();
    const address = { user: USER, account: ACCOUNT, address: OTHER_ADDRESS };
    chat.setup.clock.now += 10 * MINUTE;
    await chat.setup.addressAnnouncements.reserve(address);
    await chat.expectReply(card, '☑️ <b>Already confirmed at', '12:10 UTC', 'The receipt shows the result');
    await chat.setup.addressAnnouncements.recordUse(address);
    await chat.tapShown(card.replace('card', button));
    chat.shows(reply, '12:10 UTC', OTHER_ADDRESS);
    expect([chat.dataWith('announced:'), chat.dataWith('confirm')]).toEqual(['', '']);
    expect(await chat.setup.addressAnnouncements.getStatus(address)).toEqual({ kind: 'usable' });
  },
);

test('an address to which someone else has withdrawn can be blocked for later withdrawals', async ({
  chat,
}) => {
  const other = await chat.announce({ user: USER + 1, address: KNOWN });
  await chat.setup.addressAnnouncements.recordUse({ account: ACCOUNT, user: USER + 1, address: KNOWN });
  await chat.tapShown(`announced:block:${other.id}`);
  chat.shows('Address blocked', 'was made before, or may have been');
});

test('names the earlier block as the reason of another hold', async ({ chat }) => {
  const address = { user: USER, account: ACCOUNT, address: OTHER_ADDRESS };
  await chat.use(OTHER_ADDRESS, USER);
  const { id } = (await chat.setup.addressAnnouncements.findCurrent(address)) ?? expect.fail('not found');
  await chat.setup.addressAnnouncements.cancel(ACCOUNT, id, USER + 1);
  chat.setup.clock.now += 24 * 60 * MINUTE;
  await chat.announce({ address: KNOWN });
  await chat.toAnnounced();
  chat.shows('<b>Recently blocked address: 10-minute security hold</b>', OTHER_ADDRESS);
  expect(chat.addressNotifications.announced).toHaveBeenLastCalledWith(
    expect.objectContaining({ wasBlocked: true }),
  );
  chat.setup.clock.now += 10 * MINUTE;
  expect(await chat.setup.addressAnnouncements.getStatus(address)).toEqual({ kind: 'usable' });
  await chat.toAnnounced('7', THIRD);
  chat.shows('<b>New address: 10-minute security hold</b>');
});

test('blocks an own address only after a question, which can be left', async ({ chat }) => {
  const card = await chat.toAnnounced();
  const hold = chat.last();
  const askBlock = card.replace('card', 'ask-block');
  await chat.expectReply(askBlock, '10-minute security hold', 'Block this address for 24 h?');
  expect(chat.labels()).toEqual(['⛔ Block for 24 h', '‹ Back']);
  await chat.tapShown(card.replace('card', 'keep'));
  expect(chat.last()).toEqual(hold);
  chat.setup.clock.now += 10 * MINUTE;
  await chat.tap(card);
  const id = chat.dataWith('confirm').split(':').at(-1) ?? '';
  await chat.input(askBlock, card.replace('card', 'block'));
  expect(chat.allHtml()).toContain('This withdrawal is cancelled. Nothing left the balance.');
  expect(await chat.read(id)).toMatchObject({ state: 'cancelled' });
  await chat.toAnnounced();
  chat.shows('You blocked it until <tg-time', '>2 Jun, 12:1');
});

test('a withdrawal requested again during its hold is named as the one that waits', async ({ chat }) => {
  // The hold and a block end when they say, in the chat and in notifications.
  chat.setup.clock.now += 25_400;
  await chat.write(`/withdraw 5 ${OTHER_ADDRESS}`);
  chat.shows('12:10:26 UTC');
  expect(chat.html()).not.toContain('already waits');
  await chat.expectReply(
    `/withdraw 5.0 ${OTHER_ADDRESS}`,
    'A withdrawal of <b>5.00 TRX</b> to this address already waits until <tg-time',
    '12:10:26 UTC',
    '10-minute security hold',
  );
  await chat.expectReply(
    `/withdraw 7 ${OTHER_ADDRESS}`,
    'Withdrawal of 5.00 TRX to',
    'asked for <b>7.00 TRX</b>. On hold is the withdrawal of <b>5.00 TRX</b>',
    'send /withdraw again after the hold',
  );
  await chat.tap(chat.dataWith('announced:cancel').replace('cancel', 'block'));
  chat.shows('blocked until <tg-time', '>2 Jun, 12:01 UTC');
  await chat.expectReply(`/withdraw 5 ${OTHER_ADDRESS}`, 'You blocked it until', '>2 Jun, 12:01 UTC');
});

test('the hold warns about the address of a contract', async ({ chat }) => {
  await chat.expectReply(`/withdraw 5 ${CONTRACT}`, '10-minute security hold', 'contract, not a wallet');
});

test('a card for All requires the hold after 2FA was turned off', async () => {
  const chat = await openWithoutCodes('51.00');
  chat.setProfile('51.00', { codes: true });
  await chat.toAnnounced('All');
  chat.shows('After that, I ask for your 2FA code');
  chat.setProfile('61.00');
  await chat.tapShown(chat.dataWith('confirm'));
  expect(chat.allHtml()).toContain('10-minute security hold');
  expect(chat.dataWith('confirm')).toBe('');
});

test('a card of a previously linked account announces no address for the new one', async () => {
  const chat = await openWithoutCodes('51.00');
  const { confirm } = await chat.toCard('All');
  await chat.links.link(USER, ACCOUNT + 1, API_KEY, 'en');
  chat.setProfile('81.00');
  await chat.tapShown(confirm);
  expect(chat.addressNotifications.announced).toHaveBeenCalledOnce();
});

test.for([
  ...[
    '/cancel',
    'cancel',
    'stop',
    'cancel my withdrawal',
    'Cancel the withdrawal!',
    'can you cancel my withdrawal?',
  ],
  ...['отмена', 'отмени вывод', 'отменить вывод?'],
])('%s names the withdrawal on hold, with the button that cancels it', async (text, { chat }) => {
  const card = await chat.toAnnounced();
  await chat.write('/menu');
  await chat.expectReply(text, '10-minute security hold', 'Withdrawal of 12.50 TRX');
  const shown = { message: chat.lastMessage(), carried: true };
  await chat.tap(card.replace('card', 'cancel'), shown);
  chat.shows('<b>Withdrawal cancelled.</b>');
  await chat.expectReply(text, 'Nothing to cancel');
});

test.for([
  ['en', 'cancel my withdrawal', "This withdrawal can't be cancelled any more:</b> it", 'Nothing to cancel'],
  ['en', '/cancel', "This withdrawal can't be cancelled any more:</b> it", 'Nothing to cancel'],
  ['ru', 'отмени вывод', 'Этот вывод уже нельзя отменить:</b> он', 'Отменять нечего'],
] as const)(
  'in %s, %s shows the withdrawal that can no longer be cancelled',
  async ([language, text, reply, nothing]) => {
    const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
    for (const state of ['pending', 'unknown'] as const) {
      const chat = await openChat(language);
      const { setup } = chat;
      chat.setProfile('1000.00');
      await setup.announced();
      setup.rental.withdraw.mockResolvedValue(
        accepted({
          ...MADE,
          to_address: request.address,
          created_at: new Date(setup.clock.now).toISOString(),
        }),
      );
      const id =
        state === 'unknown' ? (await setup.lost({ request })).id : (await setup.executed({ request })).id;
      await chat.write(text);
      chat.shows(reply, `<code>${id}</code>`);
      expect(chat.allHtml()).not.toContain(nothing);
    }
  },
);

test('asking to cancel a withdrawal leaves an open card as it is', async ({ chat }) => {
  await chat.toAnnounced();
  await chat.write(`/buy ${KNOWN} 65000 1h`);
  const before = chat.payloads('sendMessage').length;
  await chat.write('cancel my withdrawal');
  const [hold, card] = chat.payloads('sendMessage').slice(before);
  expect(hold?.text).toContain('10-minute security hold');
  expect(JSON.stringify(card)).toContain('operation:confirm:');
});

codeTest.for(['/cancel', 'cancel'])(
  '%s below a repeated request for a code says so there, and deletes the request',
  async (text, { chat }) => {
    await chat.write('hmm');
    chat.shows('Send only the six digits');
    const request = chat.lastMessage();
    await chat.write(text);
    expect(chat.payloads('sendMessage').at(-1)?.text).toBe(chat.words.html('cancelled'));
    expect(chat.payloads('deleteMessage').map(({ message_id }) => message_id)).toContain(request);
    expect(chat.cardText(chat.card)).toContain('Cancelled');
    expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
  },
);

test('does not announce a sixth address within ten minutes', async ({ chat }) => {
  for (let other = 1; other <= 5; other += 1) await chat.announce({ user: USER + other });
  await chat.toAnnounced();
  chat.shows('Too many new addresses');
  expect(chat.addressNotifications.announced).not.toHaveBeenCalled();
});

test.each([
  [`withdraw 10 to ${OTHER_ADDRESS}`, '10.00'],
  [`Withdraw 10 TRX ${OTHER_ADDRESS}.`, '10.00'],
  [`вывести 5 на ${OTHER_ADDRESS}`, '5.00'],
  [`вывести всё на ${OTHER_ADDRESS}`, '999.00'],
])('makes the withdrawal that is typed in words: %s', async (text, trx) => {
  const chat = await openHolder();
  await chat.write('/buy');
  await chat.write(text);
  const { request } = await chat.read(chat.dataWith('confirm').split(':').at(-1) ?? '');
  expect(request).toMatchObject({ kind: 'withdrawal', address: OTHER_ADDRESS, trx });
});

holderTest.for(['withdraw 10', 'вывести 5,5 TRX', 'withdraw all'])(
  '%s asks for the address only',
  async (text, { chat }) => {
    await chat.expectReply(text, 'Send to which address?');
  },
);

test.each([
  [KNOWN, { address: KNOWN, trx: '12.50' }],
  ['20', { address: OTHER_ADDRESS, trx: '20.00' }],
  [`20 TRX ${KNOWN}`, { address: KNOWN, trx: '20.00' }],
  ['all', { address: OTHER_ADDRESS, trx: '999.00', all: true }],
])('%s below the card of a withdrawal changes it', async (text, changed) => {
  const chat = await openHolder();
  const { id } = await chat.toCard('12.5');
  await chat.write(text);
  const { request } = await chat.read(chat.dataWith('confirm').split(':').at(-1) ?? '');
  expect(request).toMatchObject({ kind: 'withdrawal', ...changed });
  expect(await chat.read(id)).toMatchObject({ state: 'cancelled' });
});

test('another address below the card begins its security hold, and the former card is over', async ({
  chat,
}) => {
  const { id } = await chat.toCard('5');
  await chat.expectReply(KNOWN, '10-minute security hold');
  expect(await chat.read(id)).toMatchObject({ state: 'cancelled' });
});
