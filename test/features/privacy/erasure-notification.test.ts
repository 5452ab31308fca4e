import { expect, test, vi } from 'vitest';
import type { AddressAnnouncement } from '../../../src/accounts/address-announcements.ts';
import type { ErasureNotification } from '../../../src/accounts/erase-user.ts';
import type { FeatureDeps } from '../../../src/bot/feature.ts';
import { createErasureNotifier } from '../../../src/features/privacy/forget.ts';
import { LANGUAGES } from '../../../src/i18n/texts.ts';
import type { Invoice } from '../../../src/invoices/invoice.ts';
import { createKinds } from '../../../src/operations/kinds/kind.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { KINDS } from '../../../src/operations/operations.ts';
import type { Sender, Sent } from '../../../src/telegram/sender.ts';
import { expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { operationIn } from '../../operations/cards.ts';
import { WITHDRAWAL } from '../../operations/operations-setup.ts';
import { TEXTS } from '../../support/texts.ts';
import { OTHER_ADDRESS } from '../chat.ts';

const [USER, ADMIN] = [502, 504];
const texts = TEXTS;

function open(
  sent: Sent = { kind: 'sent', messageId: 1 },
  confirmed: readonly Operation[] = [],
  tracked: readonly Partial<Invoice>[] = [],
  held: readonly AddressAnnouncement[] = [],
) {
  const send = vi.fn<Sender['send']>(async () => sent);
  const page = async () => ({ operations: [...confirmed], unreadable: 0, older: undefined });
  const operations = { kinds: createKinds(KINDS), history: { page } } as unknown as FeatureDeps['operations'];
  const isAdmin = (user: number) => user === ADMIN;
  const trackedInvoices = async () => tracked;
  const opened = async () => [];
  const invoices = { linkChanges: { trackedInvoices }, opened } as unknown as FeatureDeps['invoices'];
  const addressAnnouncements = { abandonedSince: async () => [...held] };
  const notifier = createErasureNotifier({
    addressAnnouncements,
    ...{ sender: { send }, texts, isAdmin, operations, invoices },
    now: () => 0,
  });
  const notify = (about: Omit<ErasureNotification, 'at'>) => notifier({ ...about, at: 0 });
  const sentHtml = () => send.mock.calls.at(-1)?.[1].html ?? '';
  return { send, notify, sentHtml };
}

test.each(LANGUAGES)('lists the retained data and says where the events go, in %s', async (language) => {
  const words = texts.in(language);
  for (const [user, isAdmin] of [
    [USER, false],
    [ADMIN, true],
  ] as const)
    for (const events of ['unchanged', 'off', 'possibly-on'] as const) {
      const { send, notify, sentHtml } = open();
      await notify({ user, language, unlinked: { account: 1001, events, unchecked: isAdmin ? 2 : 0 } });
      expect(send.mock.calls[0]?.[0]).toBe(user);
      expectWithinLimits({ html: sentHtml(), keyboard: [] });
      expect(sentHtml()).toContain(words.html('kept-money', { reader: 'holder' }));
      expect(sentHtml().includes(words.html('kept-admin'))).toBe(isAdmin);
      expect(sentHtml().includes('1001')).toBe(events !== 'unchanged' || isAdmin);
    }
});

test.each(LANGUAGES)('names the unfinished operations of the left account, in %s', async (language) => {
  const unfinished = operationIn('unknown', { request: WITHDRAWAL });
  const words = texts.in(language);
  for (const byAdmin of [undefined, ADMIN]) {
    const { notify, sentHtml } = open(undefined, [unfinished]);
    const left = { account: unfinished.account, events: 'unchanged', unchecked: 0 } as const;
    await notify({ user: USER, language, byAdmin, unlinked: left });
    expect(sentHtml()).toContain(words.html('forget-unfinished'));
    expect(sentHtml()).toContain(unfinished.id);
    await notify({ user: USER, language, byAdmin, unlinked: { ...left, account: unfinished.account + 1 } });
    expect(sentHtml()).not.toContain(unfinished.id);
  }
});

test.each([
  ['en', 'Withdrawals on hold are cancelled.</b> Nothing was charged:', 'Withdrawal of 3.00 TRX'],
  ['ru', 'Выводы, которые ждали, отменены.</b> Ничего не списано:', 'Вывод 3,00'],
] as const)(
  'names the withdrawals on hold that ended with the account, in %s',
  async (language, text, line) => {
    const hold = {
      id: 'a',
      account: 1001,
      user: USER,
      address: OTHER_ADDRESS,
      trx: '3.00',
      at: 0,
      abandonedAt: 1,
    };
    const { notify, sentHtml } = open(undefined, [], [], [hold]);
    await notify({ user: USER, language, unlinked: { account: 1001, events: 'unchanged', unchecked: 0 } });
    expect(sentHtml()).toContain(text);
    expect(sentHtml()).toContain(line);
  },
);

test.each(LANGUAGES)('says after an erasure by an admin how to end Smart Mode, in %s', async (language) => {
  const warning = texts.in(language).html('forget-smart-mode');
  const left = { account: 1001, events: 'unchanged', unchecked: 0 } as const;
  const { notify, sentHtml } = open();
  await notify({ user: USER, language, byAdmin: ADMIN, unlinked: left });
  expect(sentHtml()).toContain(warning);
  for (const other of [
    { unlinked: left },
    { byAdmin: ADMIN },
    { byAdmin: ADMIN, unlinked: { ...left, usesOperatorAccount: true as const } },
  ]) {
    await notify({ user: USER, language, ...other });
    expect(sentHtml()).not.toContain(warning);
  }
});

test.each(LANGUAGES)('names the invoices that can still be paid, in %s', async (language) => {
  const times = { createdAt: 0, expiresAt: 1 };
  const open4 = { user: USER, number: 4, status: 'pending', ...times, priceTrx: '5', priceUsdt: '1.5' };
  const { notify, sentHtml } = open(undefined, [], [open4]);
  const words = texts.in(language);
  for (const byAdmin of [undefined, ADMIN]) {
    await notify({ user: USER, language, byAdmin });
    expect(sentHtml()).toContain(words.html('forget-invoices', { count: 1, reader: 'user' }));
    expect(sentHtml()).toContain(words.html('unlink-invoice', { number: '4', trx: '5', usdt: '1.5' }));
  }
});

test.each([
  [
    'en',
    'Erased:</b> address book, settings, list of invoices you opened by link.',
    'Erased:</b> key, address book, settings, list of invoices you opened by link.',
    'account and balance at the service are unchanged',
  ],
  [
    'ru',
    'Стёрто:</b> адресная книга, настройки, список счетов, открытых по ссылке.',
    'Стёрто:</b> ключ, адресная книга, настройки, список счетов, открытых по ссылке.',
    'Аккаунт и баланс в сервисе не изменились',
  ],
] as const)('leads in %s with what was erased', async (language, guests, holders, unchanged) => {
  const unlinked = { account: 1001, events: 'unchanged', unchecked: 0 } as const;
  const { notify, sentHtml } = open();
  for (const left of [undefined, { ...unlinked, usesOperatorAccount: true as const }]) {
    await notify({ user: USER, language, ...(left && { unlinked: left }) });
    expect(sentHtml()).toContain(guests);
    expect(sentHtml()).not.toContain(unchanged);
  }
  await notify({ user: USER, language, unlinked });
  expect(sentHtml().split('\n\n')[0]).toMatch(new RegExp(`${holders}.*${unchanged}`));
});

test.each<[Sent, 'notified' | 'unsent' | 'unclear']>([
  [{ kind: 'blocked' }, 'notified'],
  [{ kind: 'gone' }, 'notified'],
  [{ kind: 'refused', reason: '' }, 'notified'],
  [{ kind: 'later', afterMs: 1 }, 'unsent'],
  [{ kind: 'away', reason: '' }, 'unsent'],
  [{ kind: 'failed', reason: '' }, 'unsent'],
  [{ kind: 'unclear', reason: '' }, 'unclear'],
])('returns for the send result %j: %s', async (sent, result) => {
  expect(await open(sent).notify({ user: USER, language: 'en' })).toBe(result);
});
