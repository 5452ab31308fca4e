import { describe, expect, test } from 'vitest';
import { MUTABLE_KINDS } from '../../src/accounts/users.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/i18n/view.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ACCOUNT, OFFLINE } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

type Chat = Awaited<ReturnType<typeof openChat>>;

const labelsOf = (chat: Chat) => Object.keys(buttonsOf(chat.last()));
const settingsOf = (chat: Chat) => chat.deps.notificationSettings.get(USER);
const editsOf = (chat: Chat) => chat.calls.filter(({ method }) => method === 'editMessageText');

/** Opens a chat at the question for the low-balance threshold. */
async function atLowBalance() {
  const chat = await openChat('en');
  await chat.write('/notifications');
  await chat.tap('notifications:low-balance', { carried: true });
  return chat;
}

describe('the notification settings', () => {
  test('are listed under More, which has at most eight buttons', async () => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await chat.tap('menu:more');
    expect(labelsOf(chat)).toContain('🔔 Notifications');
    expect(labelsOf(chat)).toContain('📨 Webhook log');
    expect(labelsOf(chat).length).toBeLessThanOrEqual(8);
  });

  test('enable every kind at first and set no low balance', async () => {
    const chat = await openChat('en');
    await chat.write('/notifications');
    expect(labelsOf(chat)).toEqual([
      '🔔 Orders',
      '🔔 Deposits',
      '🔔 Withdrawals',
      '🔔 Smart Mode',
      '🔔 Low balance',
      '🔔 Service reports lost',
      '🔔 Other events',
      '📉 Set low balance',
      '📨 Webhook log',
      'Turn on service reports',
      '☰ Menu',
    ]);
    expect(chat.last().html).toContain('Low balance: <b>not set</b>');
    expect(chat.last().html).toContain('your receipts are still updated');
    expect(chat.last().html).toContain('New withdrawal addresses are always announced');
  });

  test.each(MUTABLE_KINDS)(
    'mute %s with one tap and unmute it with another, in the same message',
    async (what) => {
      const chat = await openChat('en');
      await chat.write('/notifications');
      const shown = chat.last();
      const [before, message] = [chat.calls.length, chat.lastMessage()];
      await chat.tap(`notifications:mute:${what}`, { carried: true });
      expect(await settingsOf(chat)).toEqual({ muted: [what] });
      expect(labelsOf(chat).filter((label) => label.startsWith('🔕'))).toHaveLength(1);
      expect(buttonsOf(chat.last())).toMatchObject({
        [String(labelsOf(chat).find((label) => label.startsWith('🔕')))]: `notifications:tell:${what}`,
      });
      await chat.tap(`notifications:tell:${what}`, { message, carried: true });
      expect(await settingsOf(chat)).toEqual({ muted: [] });
      expect(chat.last()).toEqual(shown);
      expect(editsOf(chat).map(({ payload }) => payload.message_id)).toEqual([message, message]);
      expect(chat.calls.slice(before).some(({ method }) => method === 'sendMessage')).toBe(false);
    },
  );

  test('stay the same if an old button is tapped twice', async () => {
    const chat = await openChat('en');
    for (let times = 0; times < 2; times++) await chat.tap('notifications:mute:orders', { carried: true });
    expect(await settingsOf(chat)).toEqual({ muted: ['orders'] });
  });

  test.each(['notifications:mute:everything', 'notifications:mute', 'notifications:tell:__proto__'])(
    'are not changed by forged data such as %s',
    async (data) => {
      const chat = await openChat('en');
      await chat.tap(data, { carried: true });
      expect(chat.toast()).toBe(chat.words.plain('toast-over'));
      expect(await settingsOf(chat)).toEqual({ muted: [] });
    },
  );

  test('require an account and are deleted when it is unlinked', async () => {
    const chat = await openChat('en');
    await chat.tap('notifications:mute:orders', { carried: true });
    await chat.tap('account:unlink-yes');
    expect(await settingsOf(chat)).toEqual({ muted: [] });
    for (const data of ['notifications:mute:orders', 'notifications:low-balance', 'notifications:open']) {
      await chat.tap(data, { carried: true });
      expect(Object.values(buttonsOf(chat.last()))).toContain('link:open');
    }
    expect(await settingsOf(chat)).toEqual({ muted: [] });
    await chat.tap('menu:open');
    expect(labelsOf(chat)).not.toContain('🔔 Notifications');
  });

  test('show first whether alerts are on', async () => {
    const chat = await openChat('en');
    await chat.write('/notifications');
    expect(chat.last().html).toContain('<b>Service reports: off.</b>');
    expect(labelsOf(chat)).toContain('Turn on service reports');
    await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
    await chat.write('/notifications');
    expect(chat.last().html).toContain(
      `✅ <b>Service reports: on.</b> The rental service tells me at once what happens at account ${ACCOUNT}`,
    );
    expect(labelsOf(chat)).toContain('Turn off service reports');
    const hidden = await openChat('en', { hookUrl: undefined });
    await hidden.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
    await hidden.write('/notifications');
    expect(hidden.last().html).toContain("This bot can't receive service reports");
    expect(labelsOf(hidden).join()).not.toContain('service reports');
  });
});

describe('a low balance', () => {
  test.each([
    [answerData('10'), '10.00'],
    [answerData('50'), '50.00'],
    [answerData('100'), '100.00'],
    ['12,5', '12.50'],
    ['7 TRX', '7.00'],
    ['0.000001', '0.000001'],
  ])('is set to the answered amount: %s', async (given, trx) => {
    const chat = await atLowBalance();
    await (given.startsWith('answer') ? chat.tap(given, { carried: true }) : chat.write(given));
    expect(await settingsOf(chat)).toEqual({ muted: [], lowBalance: trx });
    expect(chat.last().html).toContain(`I'll tell you when your balance falls below ${trx} TRX.`);
    expect(chat.last().html).toContain(`Low balance: <b>below ${trx} TRX</b>`);
  });

  test.each([answerData('off'), 'Off', 'off.', '0', '0.00', '0,0 TRX', 'выкл'])(
    'is removed by %s',
    async (given) => {
      const chat = await atLowBalance();
      await chat.deps.notificationSettings.setLowBalance(USER, '50.00');
      await (given.startsWith('answer') ? chat.tap(given, { carried: true }) : chat.write(given));
      expect(await settingsOf(chat)).toEqual({ muted: [] });
      expect(chat.last().html).toContain("I won't tell you of a low balance");
    },
  );

  test.each(['fifty', '-5', '1,000', '1e3', '5.1234567', '∞', '', '0x10', '00 10', '1'.repeat(4000)])(
    'is rejected and requested again after %s',
    async (given) => {
      const chat = await atLowBalance();
      await chat.deps.notificationSettings.setLowBalance(USER, '50.00');
      await chat.write(given);
      expect(chat.last().html).toContain('Write an amount of TRX, like 50 or 12.5');
      expect(labelsOf(chat)).toEqual(['10 TRX', '50 TRX', '100 TRX', 'Off', '‹ Back', '✖️ Cancel']);
      expect((await settingsOf(chat)).lowBalance).toBe('50.00');
    },
  );

  test('is requested in place of the screen and confirmed below the question', async () => {
    const chat = await atLowBalance();
    const question = chat.lastMessage();
    expect(editsOf(chat).at(-1)?.payload).toMatchObject({ message_id: question });
    await chat.tap(answerData('50'), { carried: true });
    expect(chat.lastMessage()).toBeGreaterThan(question);
    expect(editsOf(chat)).toHaveLength(1);
    expect(chat.calls.findLast(({ method }) => method === 'editMessageReplyMarkup')?.payload).toMatchObject({
      message_id: question,
    });
  });

  test('is requested with the current balance, or without it if it cannot be read', async () => {
    for (const [language, says, unread] of [
      ['en', 'Your balance now: <b>1000.00 TRX</b>', "couldn't be read just now; you can go on without"],
      ['ru', 'Сейчас на балансе: <b>1000.00 TRX</b>', 'прочитать не удалось; можно продолжить и без него'],
    ] as const) {
      const chat = await openChat(language);
      await chat.tap('notifications:low-balance', { carried: true });
      expect(chat.last().html).toContain(says);
      const away = await openChat(language);
      away.setup.rental.profile.mockResolvedValue(OFFLINE);
      await away.tap('notifications:low-balance', { carried: true });
      expect(away.last().html).toContain(unread);
      await away.write('50');
      expect(await settingsOf(away)).toEqual({ muted: [], lowBalance: '50.00' });
    }
  });

  test('is not set if the account was unlinked before the answer', async () => {
    const chat = await atLowBalance();
    await chat.links.unlink(USER);
    await chat.write('50');
    expect(await settingsOf(chat)).toEqual({ muted: [] });
    expect(Object.values(buttonsOf(chat.last()))).toContain('link:open');
  });
});

test.each(LANGUAGES)(
  'stays within the limits in %s with everything muted and the longest amount',
  async (language) => {
    const chat = await openChat(language);
    for (const what of MUTABLE_KINDS) await chat.tap(`notifications:mute:${what}`, { carried: true });
    await chat.tap('notifications:low-balance', { carried: true });
    expectWithinLimits(chat.last());
    await chat.write('999999999999.123456');
    expect(chat.last().html).toContain('999999999999.123456 TRX');
    expectWithinLimits(chat.last());
  },
);
