import { describe, expect, vi } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { qrCode } from '../../src/pictures/qr-code.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { ADDRESS, accepted, OFFLINE, profileOf, rejected } from '../operations/rental-stand-in.ts';
import { TEXTS } from '../support/texts.ts';
import { openChat, testWith } from './chat.ts';

const en = TEXTS.in('en');
const labels = (view: Parameters<typeof buttonsOf>[0]) => Object.keys(buttonsOf(view)).join(' | ');

const test = testWith(() => openChat('en'));

describe.each(LANGUAGES)('in %s', (language) => {
  test('every view opened from a menu or by a command is within the limits', async () => {
    for (const linked of [true, false]) {
      const chat = await openChat(language, { linked });
      for (const { name, open, command, alias } of chat.features) {
        if (open) await chat.tap(`${name}:open`);
        if (command) await chat.write(`/${command.name}`);
        if (alias) await chat.write(`/${alias.name}`);
      }
      for (const data of [
        'menu:balance',
        'menu:more',
        'account:unlink',
        'reports:later',
        'reports:off-yes',
      ]) {
        await chat.tap(data);
      }
      for (const text of ['/cancel', 'whatever', '/cancel']) await chat.write(text);
      expect(chat.views().length).toBeGreaterThan(20);
      for (const view of chat.views()) expectWithinLimits(view);
    }
  });

  test('explains a failed read within the limits, with a retry button', async () => {
    const chat = await openChat(language);
    for (const outcome of [OFFLINE, rejected(401, 'HTTP_401'), rejected(429, 'HTTP_429', 3_000)]) {
      chat.setup.rental.profile.mockResolvedValue(outcome);
      await chat.write('/account');
      expectWithinLimits(chat.last());
      const again = outcome.kind === 'rejected' && outcome.status === 401 ? 'link:open' : 'account:open';
      expect(chat.data()).toEqual([again, 'menu:open']);
    }
  });
});

describe('the main labels', () => {
  test('are in the menu, with and without an account', async () => {
    const linked = await openChat('en');
    await linked.write('/start');
    expect(labels(linked.last())).toMatch(/Buy energy.*Buy bandwidth.*Activate address.*Balance.*More/);
    expect(labels(linked.last())).not.toContain('Link account');
    const guest = await openChat('en', { linked: false });
    await guest.write('/start');
    expect(labels(guest.last())).toMatch(/Buy energy.*Link account.*Open an account.*Settings.*Help/);
    const keyless = await openChat('en', { linked: false, operatorKey: undefined });
    await keyless.write('/start');
    expect(labels(keyless.last())).not.toContain('Buy energy');
  });

  test('are in the submenus', async ({ chat }) => {
    await chat.tap('menu:balance');
    expect(labels(chat.last())).toMatch(/Deposit.*Menu/);
    await chat.tap('menu:more');
    expect(labels(chat.last())).toMatch(/Account.*Settings.*Help.*Menu/);
  });
});

describe('the account screen', () => {
  test('shows the account data, escaped, and a button for alerts', async ({ chat }) => {
    const profile = profileOf('1.00');
    profile.value.email = '<i>@example.com';
    profile.value.totp_enabled = true;
    chat.setup.rental.profile.mockResolvedValue(profile);
    await chat.write('/account');
    const { html } = chat.last();
    for (const fact of ['Account 1001', '&#60;i&#62;@example.com', '1.00 TRX', '…ests']) {
      expect(html).toContain(fact);
    }
    // The account's address at the service isn't for deposits.
    expect(html).not.toContain(ADDRESS);
    expect(html).toMatch(/2FA: on[\s\S]*Instant alerts: off/);
    expect(chat.data()).toEqual([
      'reports:open',
      'link:open',
      'account:unlink',
      'account:advanced',
      'menu:open',
    ]);
    await chat.webhookSubscriptions.activate('a-hook', 1001, 'a-secret');
    await chat.expectReply('/account', 'Instant alerts: on');
    expect(chat.data()).toEqual([
      ...['reports:off:account', 'link:open', 'account:unlink', 'account:advanced', 'menu:open'],
    ]);
  });

  test('offers no alerts if the bot has no public address', async () => {
    const chat = await openChat('en', { hookUrl: undefined });
    await chat.expectReply('/account', 'Instant alerts: not available');
    expect(chat.data()).toEqual(['link:open', 'account:unlink', 'account:advanced', 'menu:open']);
  });
});

test.each([
  ['0123456789abcde', false],
  ['0123456789abcdef', true],
])(
  'a webhook secret such as %s is accepted, and the log read for earlier deliveries: %s',
  async (secret, isBelieved) => {
    const chat = await openChat('en');
    const pollSoon = vi.spyOn(chat.deps.pollers, 'pollSoon');
    const configured = accepted({ url: 'https://bot.example', secret, active: true });
    chat.setup.rental.configureWebhook.mockResolvedValue(configured);
    await chat.tap('reports:on');
    expect(await chat.webhookSubscriptions.isActive(1001)).toBe(isBelieved);
    expect(pollSoon.mock.calls).toEqual(isBelieved ? [[1001, 'log']] : []);
    expect(chat.html()).toContain(isBelieved ? 'alerts are on' : 'a fault at the service');
  },
);

describe('the deposit screen', () => {
  test('copies the address without spaces', async ({ chat }) => {
    await chat.expectReply('deposit:open', `<code>${ADDRESS}</code>`, 'USDT (TRC20): 3.10 TRX');
    expect(chat.buttons()).toMatchObject({ [en.plain('button-copy-address')]: ADDRESS });
  });

  test('is one picture with the QR code of the address', async ({ chat }) => {
    await chat.tap('deposit:open');
    expect(chat.last().photo?.equals(qrCode(ADDRESS))).toBe(true);
    const photos = chat.calls.filter(({ method }) => method === 'sendPhoto');
    expect(photos).toHaveLength(1);
  });

  test('shows no address whose checksum is wrong', async ({ chat }) => {
    const depositInfo = await chat.setup.rental.depositInfo('');
    if (depositInfo.kind !== 'accepted') throw new Error('expected an accepted outcome');
    const wrong = ADDRESS.replace('Hq', 'hQ');
    chat.setup.rental.depositInfo.mockResolvedValue({
      ...depositInfo,
      value: { ...depositInfo.value, deposit_address: wrong },
    });
    await chat.tap('deposit:open');
    expect(JSON.stringify(chat.last())).not.toContain(wrong);
  });
});
