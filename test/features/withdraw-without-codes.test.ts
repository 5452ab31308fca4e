import { expect, test, vi } from 'vitest';
import { answerData } from '../../src/i18n/view.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY, accepted, profileOf } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const THIRD = 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig';
const ENDS = OTHER.slice(-6);
const MINUTE = 60_000;

/** Opens a chat whose account has no 2FA. */
async function openHolder(balance = '1000.00') {
  const addressNotifications = { announced: vi.fn(async () => {}), struck: vi.fn(async () => {}) };
  const chat = await openChat('en', { addressNotifications });
  chat.setup.rental.profile.mockResolvedValue(profileOf(balance));
  chat.setup.rental.withdrawals.mockResolvedValue(accepted([]));
  const dataOf = (part: string) =>
    Object.values(buttonsOf(chat.last())).find((data) => data.includes(part)) ?? '';
  async function toEnds(amount = '12.5', address = OTHER) {
    await chat.write('/withdraw');
    await (amount === 'All' ? chat.tap(answerData('all')) : chat.write(amount));
    await chat.write(address);
  }
  return {
    ...{ ...chat, addressNotifications, dataOf, toEnds },
    /** Goes to the card of a withdrawal, after the waiting time of its address. */
    async toCard(amount?: string) {
      await toEnds(amount);
      await chat.write(ENDS);
      chat.setup.clock.now += 10 * MINUTE;
      await chat.tap(dataOf('announced:strike').replace('strike', 'card'));
      return { id: dataOf('confirm').split(':').at(-1) ?? '', confirm: dataOf('confirm') };
    },
    read: (id: string) => chat.setup.read({ user: USER, id }),
    says: (part: string) => expect(chat.last().html).toContain(part),
    /** Checks the view before the latest one, which is the edit of an earlier card. */
    saysAbove: (part: string) => expect(chat.views().at(-2)?.html).toContain(part),
  };
}

test('the questions show the daily cap without 2FA and the remaining amount', async () => {
  const chat = await openHolder();
  await chat.write('/withdraw');
  chat.says('at most 100.00 TRX leave it here within 24 hours; 100.00 TRX of that are left now');
  await chat.write('99.01');
  chat.says('That is more than may leave this account now');
  await chat.write('99');
  chat.says('Which address is it to go to?');
});

test('All withdraws at most the remaining cap', async () => {
  const chat = await openHolder();
  await chat.toCard('All');
  chat.says('Withdrawal of 99.00 TRX');
  chat.says('Leaves your balance: <b>100.00 TRX</b>');
});

test('requires typing the end of the address exactly, without showing it', async () => {
  const chat = await openHolder();
  await chat.toEnds();
  chat.says('Type the last 6 characters');
  expect(chat.last().html).not.toContain(ENDS);
  for (const wrong of [ENDS.toLowerCase(), ENDS.slice(1), `${ENDS}x`, ADDRESS.slice(-6)]) {
    await chat.write(wrong);
    chat.says("Those aren't the last 6 characters");
  }
  await chat.write(OTHER);
  chat.says('Only the last 6 characters');
  expect(chat.addressNotifications.announced).not.toHaveBeenCalled();
  await chat.write(` ${ENDS.slice(0, 3)} ${ENDS.slice(3)}`);
  chat.says('A new address waits');
});

test('Back from the check leads to the address, and another address is checked again', async () => {
  const chat = await openHolder();
  await chat.toEnds();
  await chat.tap(answerData('back'));
  chat.says('Which address is it to go to?');
  await chat.write(THIRD);
  await chat.write(ENDS);
  chat.says("Those aren't the last 6 characters");
});

test('announces a new address once and shows no card for ten minutes', async () => {
  const chat = await openHolder();
  await chat.toEnds();
  await chat.write(ENDS);
  chat.says('In 10 minutes I offer you the card here');
  const card = chat.dataOf('announced:strike').replace('strike', 'card');
  chat.setup.clock.now += 9.5 * MINUTE;
  await chat.tap(card);
  chat.says('In a minute I offer you the card here');
  await chat.toEnds('5');
  await chat.write(ENDS);
  chat.says('In a minute');
  expect(chat.addressNotifications.announced).toHaveBeenCalledOnce();
  chat.setup.clock.now += MINUTE / 2;
  await chat.tap(card);
  chat.says('Check before you confirm');
  chat.says(
    'This account has no two-factor codes: it is sent as soon as you confirm, and at most 100.00 TRX',
  );
});

test('does not start the waiting time if the announcement fails', async () => {
  const chat = await openHolder();
  await chat.toEnds();
  chat.addressNotifications.announced.mockRejectedValueOnce(new Error('the queue is away'));
  await expect(chat.write(ENDS)).rejects.toThrow();
  expect(
    await chat.setup.addressAnnouncements.getStatus({ user: USER, account: ACCOUNT, address: OTHER }),
  ).toEqual({
    kind: 'new',
  });
});

test('a known address leads to its card at once, after the check of its end', async () => {
  const chat = await openHolder();
  await chat.toCard();
  await chat.toEnds('5');
  chat.says('Type the last 6 characters');
  await chat.write(ENDS);
  chat.says('Check before you confirm');
  expect(chat.addressNotifications.announced).toHaveBeenCalledOnce();
});

test('Confirm claims the operation without a code and reserves its part of the cap', async () => {
  const chat = await openHolder();
  const { id, confirm } = await chat.toCard('60');
  await chat.tap(confirm, { carried: true });
  expect(await chat.read(id)).toMatchObject({ state: 'claimed', request: { cap: '100.00' } });
  expect(await chat.setup.operations.dailyCap.remaining(ACCOUNT)).toBe('39.00');
});

test('Confirm is rejected if another withdrawal has used the cap, and the card stays', async () => {
  const chat = await openHolder();
  const { id, confirm } = await chat.toCard('60');
  const other = await chat.setup.draft({
    user: USER + 1,
    request: { kind: 'withdrawal', address: OTHER, trx: '41.00', cap: '100' },
  });
  await chat.setup.operations.dailyCap.reserve(other, 'sent');
  await chat.tap(confirm, { carried: true });
  expect(chat.toast()).toContain('At most 100.00 TRX leave this account within 24 hours: 58.00 TRX are left');
  expect(await chat.read(id)).toMatchObject({ state: 'draft' });
});

test('shows a new card for All if the balance has changed, without another check', async () => {
  const chat = await openHolder('51.00');
  const { id, confirm } = await chat.toCard('All');
  chat.says('Withdrawal of 50.00 TRX');
  chat.setup.rental.profile.mockResolvedValue(profileOf('61.00'));
  await chat.tap(confirm, { carried: true });
  expect(chat.toast()).toContain('Here is a fresh card');
  chat.saysAbove('Withdrawal of 60.00 TRX');
  expect((await chat.read(id)).state).toBe('replaced');
  expect(await chat.setup.operations.dailyCap.remaining(ACCOUNT)).toBe('100.00');
});

test('Again from a receipt requires the end of the address again', async () => {
  const chat = await openHolder();
  const { id } = await chat.toCard();
  await chat.tap(`operation:again:${id}`, { carried: true });
  chat.saysAbove('Type the last 6 characters');
});

test('reports a missing balance at the card and announces the address once it is back', async () => {
  const chat = await openHolder('50.00');
  await chat.toEnds();
  chat.setup.rental.profile.mockResolvedValue(profileOf('5.00'));
  await chat.write(ENDS);
  chat.says('Missing: about <b>8.50 TRX</b>');
  chat.setup.rental.profile.mockResolvedValue(profileOf('50.00'));
  await chat.tap(answerData('again'));
  chat.says('A new address waits');
});

test('any account holder can reject an address; the requesting user is notified', async () => {
  const chat = await openHolder();
  const made = await chat.setup.addressAnnouncements.draft({
    ...{ user: USER + 1, account: ACCOUNT, address: OTHER, trx: '5.00' },
  });
  if (made) await chat.setup.addressAnnouncements.add(made);
  await chat.tap(`announced:strike:${made?.id}`, { carried: true });
  chat.says('You struck it out');
  expect(chat.addressNotifications.struck).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ id: made?.id }),
  );
  await chat.toEnds();
  await chat.write(ENDS);
  chat.says('Struck out');
});

test('a user who rejects their own address gets no notification', async () => {
  const chat = await openHolder();
  await chat.toEnds();
  await chat.write(ENDS);
  const strike = chat.dataOf('announced:strike');
  await chat.tap(strike, { carried: true });
  chat.says('You struck it out');
  expect(chat.addressNotifications.struck).not.toHaveBeenCalled();
  chat.setup.clock.now += 10 * MINUTE;
  await chat.tap(strike.replace('strike', 'card'));
  chat.says('Struck out');
});

test.each(['strike', 'card'])('a forged %s, or one of another account, has no effect', async (button) => {
  const chat = await openHolder();
  const made = await chat.setup.addressAnnouncements.draft({
    ...{ user: USER, account: ACCOUNT + 1, address: OTHER, trx: '5.00' },
  });
  if (made) await chat.setup.addressAnnouncements.add(made);
  for (const id of ['made-up', made?.id]) {
    await chat.tap(`announced:${button}:${id}`, { carried: true });
    expect(chat.toast()).toBe('This button is out of date.');
  }
  expect(await chat.setup.addressAnnouncements.find(ACCOUNT + 1, made?.id ?? '')).not.toHaveProperty(
    'struckAt',
  );
});

test('a user cannot open the card of another account holder', async () => {
  const chat = await openHolder();
  const made = await chat.setup.addressAnnouncements.draft({
    ...{ user: USER + 1, account: ACCOUNT, address: OTHER, trx: '5.00' },
  });
  if (made) await chat.setup.addressAnnouncements.add(made);
  await chat.tap(`announced:card:${made?.id}`, { carried: true });
  expect(chat.toast()).toBe('This button is out of date.');
});

test('turning 2FA on during the questions skips the check', async () => {
  const chat = await openHolder();
  await chat.write('/withdraw');
  await chat.write('12.5');
  const { value } = profileOf('1000.00');
  chat.setup.rental.profile.mockResolvedValue(accepted({ ...value, totp_enabled: true }));
  await chat.write(OTHER);
  chat.says('After Confirm I ask for your two-factor code');
});

test('linking explains the cap without 2FA', async () => {
  const chat = await openHolder();
  await chat.write('/start');
  await chat.tap('link:open');
  await chat.write(API_KEY);
  chat.says('It has no two-factor codes. So I withdraw at most 100.00 TRX from it within 24 hours');
});

test('a used announcement opens no second card', async () => {
  const chat = await openHolder();
  await chat.toEnds();
  await chat.write(ENDS);
  const card = chat.dataOf('announced:strike').replace('strike', 'card');
  chat.setup.clock.now += 10 * MINUTE;
  await chat.setup.addressAnnouncements.reserve({ user: USER, account: ACCOUNT, address: OTHER });
  await chat.tap(card, { carried: true });
  chat.says('This offer was made use of');
  expect(chat.dataOf('confirm')).toBe('');
});

test('notifies the requesting user once, however often the address is rejected', async () => {
  const chat = await openHolder();
  const made = await chat.setup.addressAnnouncements.draft({
    ...{ user: USER + 1, account: ACCOUNT, address: OTHER, trx: '5.00' },
  });
  if (made) await chat.setup.addressAnnouncements.add(made);
  await chat.setup.addressAnnouncements.reserve(made ?? expect.fail());
  for (let times = 0; times < 3; times += 1)
    await chat.tap(`announced:strike:${made?.id}`, { carried: true });
  expect(chat.addressNotifications.struck).toHaveBeenCalledOnce();
});

test('the announcement has no menu button, which would replace it', async () => {
  const chat = await openHolder();
  await chat.toEnds();
  await chat.write(ENDS);
  expect(chat.last().keyboard).toHaveLength(1);
});

test('a card for All requires the check after 2FA was turned off', async () => {
  const chat = await openHolder('51.00');
  const { value } = profileOf('51.00');
  chat.setup.rental.profile.mockResolvedValue(accepted({ ...value, totp_enabled: true }));
  await chat.toEnds('All');
  chat.says('After Confirm I ask for your two-factor code');
  chat.setup.rental.profile.mockResolvedValue(profileOf('61.00'));
  await chat.tap(chat.dataOf('confirm'), { carried: true });
  chat.saysAbove('Type the last 6 characters');
  expect(chat.addressNotifications.announced).not.toHaveBeenCalled();
});

test('a card of a previously linked account announces no address for the new one', async () => {
  const chat = await openHolder('51.00');
  const { confirm } = await chat.toCard('All');
  await chat.links.link(USER, ACCOUNT + 1, API_KEY, 'en');
  chat.setup.rental.profile.mockResolvedValue(profileOf('81.00'));
  await chat.tap(confirm, { carried: true });
  expect(chat.addressNotifications.announced).toHaveBeenCalledOnce();
});

test('checks a changed address again after a missing balance', async () => {
  const chat = await openHolder('50.00');
  await chat.toEnds();
  chat.setup.rental.profile.mockResolvedValue(profileOf('5.00'));
  await chat.write(ENDS);
  chat.setup.rental.profile.mockResolvedValue(profileOf('50.00'));
  await chat.tap(answerData('back'));
  await chat.write(THIRD);
  chat.says('Type the last 6 characters');
});

test('does not announce a sixth address within ten minutes', async () => {
  const chat = await openHolder();
  for (let other = 1; other <= 5; other += 1) {
    const made = await chat.setup.addressAnnouncements.draft({
      ...{ user: USER + other, account: ACCOUNT, address: OTHER, trx: '5.00' },
    });
    if (made) await chat.setup.addressAnnouncements.add(made);
  }
  await chat.toEnds();
  await chat.write(ENDS);
  chat.says('Too many addresses were announced');
  expect(chat.addressNotifications.announced).not.toHaveBeenCalled();
});
