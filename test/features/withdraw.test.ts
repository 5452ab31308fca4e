import { expect, test } from 'vitest';
import { answerData } from '../../src/i18n/view.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS, accepted, OFFLINE, profileOf } from '../operations/rental-stand-in.ts';
import { NO_OPERATOR } from '../support/no-operator.ts';
import { openChat } from './chat.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const all = answerData('all');

function profileWith(balance: string, codes = true) {
  const profile = profileOf(balance);
  return { ...profile, value: { ...profile.value, totp_enabled: codes } };
}

/** Opens a chat whose account has 2FA. */
async function openHolder(balance = '1000.00', owns: () => boolean | undefined = () => false) {
  const chat = await openChat('en', {
    operator: { ...NO_OPERATOR, owns: async () => owns() },
  });
  chat.setup.rental.profile.mockResolvedValue(profileWith(balance));
  const dataOf = (part: string) =>
    Object.values(buttonsOf(chat.last())).find((data) => data.includes(part)) ?? '';
  return {
    ...chat,
    dataOf,
    /** Goes to the card of a withdrawal. Returns its operation id, message id and confirm data. */
    async toCard(amount: string, address = OTHER) {
      await chat.write('/withdraw');
      await (amount === all ? chat.tap(all) : chat.write(amount));
      await chat.write(address);
      return {
        id: dataOf('confirm').split(':').at(-1) ?? '',
        card: chat.lastMessage(),
        confirm: dataOf('confirm'),
      };
    },
    read: (id: string) => chat.setup.read({ user: USER, id }),
    /** Returns the text of the last edit of a message. */
    shows: (message: number) =>
      String(
        chat.calls.findLast(
          ({ method, payload }) => method === 'editMessageText' && payload.message_id === message,
        )?.payload.text,
      ),
  };
}

async function toCode(amount = '12.5', address = OTHER) {
  const chat = await openHolder();
  const made = await chat.toCard(amount, address);
  await chat.tap(made.confirm, { carried: true });
  return { ...chat, ...made };
}

test('rejects an amount that exceeds the balance including the fee, at its question', async () => {
  const chat = await openHolder('13.00');
  await chat.write('/withdraw');
  expect(chat.last().html).toContain('Balance: 13.00 TRX');
  await chat.write('12.5');
  expect(chat.last().html).toContain('That is more than there is: your balance is 13.00 TRX');
  await chat.write('12');
  expect(chat.last().html).toContain('Which address is it to go to?');
});

test.each([
  [true, "I don't withdraw from it"],
  [undefined, "doesn't answer right now"],
])('stops at once if the operator account is linked or unknown: %s', async (owns, says) => {
  const chat = await openHolder('1000.00', () => owns);
  await chat.write('/withdraw');
  expect(chat.last().html).toContain(says);
});

test('turning 2FA off during the questions adds the address check', async () => {
  const chat = await openHolder();
  await chat.write('/withdraw');
  await chat.write('12.5');
  chat.setup.rental.profile.mockResolvedValue(profileWith('1000.00', false));
  await chat.write(OTHER);
  expect(chat.last().html).toContain('Type the last 6 characters');
});

test('an amount typed after All replaces All', async () => {
  const chat = await openHolder();
  await chat.write('/withdraw');
  await chat.tap(all);
  await chat.tap(answerData('back'));
  await chat.write('5');
  await chat.write(OTHER);
  const id = chat.dataOf('confirm').split(':').at(-1) ?? '';
  expect((await chat.read(id)).request).toMatchObject({ trx: '5.00' });
  expect((await chat.read(id)).request).not.toHaveProperty('all');
});

test('All rounds a balance with fractions of a sun down', async () => {
  const chat = await openHolder('1000.12345678');
  const { id } = await chat.toCard(all);
  expect((await chat.read(id)).request).toMatchObject({ trx: '999.123456' });
});

test('says that there is nothing to withdraw if the balance only covers the fee', async () => {
  const chat = await openHolder('1.00');
  await chat.write('/withdraw');
  await chat.tap(all);
  expect(chat.last().html).toContain('There is nothing to withdraw');
});

test('an address counts as known only after a completed withdrawal', async () => {
  const chat = await toCode();
  await chat.tap(`operation:cancel:${chat.id}`, { message: chat.card, carried: true });
  // Neither a name nor a purchase for the address makes it safer.
  await chat.deps.addressBook.setName(USER, OTHER, 'Mine');
  await chat.deps.addressBook.remember(USER, OTHER);
  const second = await chat.toCard('5');
  expect(chat.last().html).toContain('First withdrawal');
  await chat.tap(second.confirm, { carried: true });
  await chat.write('123456');
  expect(await chat.read(second.id)).toMatchObject({ state: 'claimed' });
  await chat.toCard('5');
  expect(
    chat
      .views()
      .some(({ html }) => html.includes('You have withdrawn from this account to this address before')),
  ).toBe(false);
  const { setup } = chat;
  setup.rental.withdraw.mockImplementation(async (_key, { to_address, amount_trx }) =>
    accepted({
      ...{ id: 31, to_address, amount_trx, fee_trx: '1', status: 'pending', tx_hash: null },
      created_at: new Date(setup.clock.now).toISOString(),
    }),
  );
  await setup.advance(await chat.read(second.id));
  expect(await chat.read(second.id)).toMatchObject({ state: 'done' });
  await chat.toCard('5');
  expect(
    chat
      .views()
      .some(({ html }) => html.includes('You have withdrawn from this account to this address before')),
  ).toBe(true);
});

test('uses a code whose message cannot be deleted, and warns the user', async () => {
  const chat = await toCode();
  chat.trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
  await chat.write('123456');
  expect(chat.last().html).toBe(chat.words.html('code-exposed'));
  expect(await chat.read(chat.id)).toMatchObject({ state: 'claimed' });
});

test('does not delete messages after the card has expired, except numbers like a code', async () => {
  const chat = await toCode();
  chat.setup.clock.now += 2 * 60_000;
  const deleted = () => chat.calls.filter(({ method }) => method === 'deleteMessage').length;
  const before = deleted();
  await chat.write('hello, I want to buy energy');
  expect(deleted()).toBe(before);
  expect(chat.last().html).toContain("I didn't understand that");
  // For some minutes, a number alone still counts as a code.
  await chat.write('123 456');
  expect(deleted()).toBe(before + 1);
  chat.setup.clock.now += 5 * 60_000;
  await chat.write('123456');
  expect(deleted()).toBe(before + 1);
});

test('a newer card cancels an older one that awaits its code', async () => {
  const chat = await toCode();
  await chat.write('/activate');
  await chat.write(ADDRESS);
  expect(chat.last().html).toContain('Check before you confirm');
  await chat.write('123456');
  expect(chat.last().html).toContain('I deleted a number');
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
});

test.each(['cancel', 'back'])(
  'does not edit a card again after a tap on %s has shown its end',
  async (way) => {
    const chat = await toCode();
    await chat.tap(`operation:${way}:${chat.id}`, { message: chat.card, carried: true });
    expect(chat.shows(chat.card)).toContain('Cancelled');
    await chat.setup.advance(await chat.read(chat.id));
    expect(chat.setup.shown()).toEqual([]);
  },
);

test('edits the card later when the edit after a tap on Cancel failed', async () => {
  const chat = await toCode();
  chat.trouble('editMessageText', { code: 400, description: "Bad Request: message can't be edited" });
  await chat.tap(`operation:cancel:${chat.id}`, { message: chat.card, carried: true });
  await chat.setup.advance(await chat.read(chat.id));
  expect(chat.setup.shown()).toEqual(['cancelled']);
});

test('ignores a code that was sent before its card but arrived later', async () => {
  const chat = await toCode();
  // The message id is below that of the card: a delayed update.
  await chat.write('123456', { message: chat.card - 1 });
  expect(chat.last().html).toBe(chat.words.html('code-early'));
  expect(await chat.read(chat.id)).toMatchObject({ state: 'awaiting' });
});

test('deletes a code sent before Confirm and does not use it', async () => {
  const chat = await openHolder();
  const { id } = await chat.toCard('12.5');
  await chat.write('123456');
  expect(chat.calls.at(-2)?.method).toBe('deleteMessage');
  expect(await chat.read(id)).toMatchObject({ state: 'draft' });
});

test('starts no withdrawal if the balance cannot be read', async () => {
  const chat = await openHolder();
  chat.setup.rental.profile.mockResolvedValue(OFFLINE);
  await chat.write('/withdraw');
  expect(chat.last().html).toContain("doesn't answer right now");
});

test.each(['cancel', '/cancel'])('%s cancels a card that awaits its code', async (words) => {
  const chat = await toCode();
  const before = chat.views().length;
  await chat.write(words);
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
  expect(chat.shows(chat.card)).toContain('Cancelled');
  expect(chat.views()).toHaveLength(before + 1);
  await chat.write('123456');
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
});

test.each([
  ['/account', 'Account 1001'],
  ['/buy', 'Which address'],
  ['menu:open', 'What would you like to do?'],
])('%s cancels a card that awaits its code, and says so', async (said, shows) => {
  const chat = await toCode();
  await (said.startsWith('/') ? chat.write(said) : chat.tap(said, { message: chat.card - 1, carried: true }));
  const told = chat.views().find(({ html }) => html.startsWith(chat.words.html('left-code')));
  expect(told?.html).toContain(shows);
  expect(await chat.read(chat.id)).toMatchObject({ state: 'cancelled' });
  expect(chat.shows(chat.card)).toContain('Cancelled');
});

test('a menu opened after the card has expired does not mention the card', async () => {
  const chat = await toCode();
  chat.setup.clock.now += 2 * 60_000;
  await chat.setup.pass(60_000);
  expect(await chat.read(chat.id)).toMatchObject({ state: 'expired' });
  await chat.tap('menu:open', { carried: true });
  expect(chat.toast()).toBeUndefined();
});

test('Cancel on one card does not affect another that awaits its code', async () => {
  const chat = await toCode();
  await chat.tap(`operation:cancel:${chat.id}`, { message: chat.card, carried: true });
  const older = await chat.toCard('5');
  await chat.tap(older.confirm, { carried: true });
  // Again on the first card creates the newer one.
  await chat.tap(`operation:again:${chat.id}`, { message: chat.card, carried: true });
  const newer = { card: chat.lastMessage(), confirm: chat.dataOf('confirm') };
  const id = newer.confirm.split(':').at(-1) ?? '';
  await chat.tap(newer.confirm, { carried: true });
  await chat.tap(`operation:cancel:${older.id}`, { message: older.card, carried: true });
  expect([await chat.read(older.id), await chat.read(id)]).toMatchObject([
    { state: 'cancelled' },
    { state: 'awaiting' },
  ]);
  await chat.write('123456');
  expect(await chat.read(id)).toMatchObject({ state: 'claimed' });
});
