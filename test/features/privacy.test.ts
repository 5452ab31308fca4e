import { InputFile } from 'grammy';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import type { History } from '../../src/operations/queries.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS, API_KEY } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';
import { openChat } from './chat.ts';
import { sell } from './sold.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

type Chat = Awaited<ReturnType<typeof openChat>>;

/** Returns the name and content of the last sent file. */
function fileOf({ calls }: Chat): { name: string | undefined; text: string } {
  const { document } = calls.findLast(({ method }) => method === 'sendDocument')?.payload ?? {};
  if (!(document instanceof InputFile)) throw new Error('no file was sent');
  const { fileData } = document as unknown as { fileData: Uint8Array };
  return { name: document.filename, text: Buffer.from(fileData).toString('utf8') };
}

test.each(LANGUAGES)('the privacy text is shown in %s, to guests too', async (language) => {
  for (const linked of [true, false]) {
    const chat = await openChat(language, { linked });
    chat.speak(language);
    await chat.write('/privacy');
    expectWithinLimits(chat.last());
    expect(chat.last().html).toContain(language === 'en' ? '90 days' : '90 дней');
    expect(Object.values(buttonsOf(chat.last()))).toEqual(['privacy:copy', 'forget:open', 'menu:open']);
  }
});

test('the copy contains all stored data of the user and no secrets', async () => {
  const chat = await openChat('en');
  const { storage } = chat.setup;
  const records = signedRecords(storage);
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.deps.notificationSettings.setLowBalance(USER, '50');
  await chat.deps.keyAttempts.recordRefusal(USER);
  await chat.deps.adminLog.add(504, 'person-barred', String(USER));
  await chat.deps.adminLog.add(504, 'person-barred', String(USER + 1));
  const deposit = { kind: 'deposit', id: '7', account: 1001, isMoney: true, data: { amount: '9' }, at: 1 };
  await records.set(`notification:{${USER}}:deposit:1001:7`, JSON.stringify({ ...deposit, tries: 0 }));
  await records.set(`notification:{${USER}}:deposit:1001:6`, '"delivered"');
  await storage.set(`a later kind:{${USER}}:x`, '{"says":"this"}');
  await chat.tap('settings:language:ru');
  await chat.tap('settings:language:en');
  for (const user of [USER, USER + 1]) {
    const address = user === USER ? ADDRESS : OTHER;
    const made = await chat.deps.addressAnnouncements.draft({ user, account: 1002, address, trx: '5' });
    if (made) await chat.deps.addressAnnouncements.add(made);
  }
  const customers = { chat: USER + 1, message: 5, language: 'en', isForMaker: false } as const;
  const own = { chat: USER, message: 6, language: 'en', isForMaker: true } as const;
  const invoice = await sell(chat, { note: 'Order 17', stands: { cards: [customers, own] } });
  const bought = await chat.setup.claimed();
  await chat.setup.advance(bought);
  const draft = await chat.setup.draft();
  await chat.write('/buy');
  await chat.tap('privacy:copy');
  const { name, text } = fileOf(chat);
  expect(name).toMatch(/^kept-\d{4}-\d\d-\d\d\.json$/);
  const copy = JSON.parse(text);
  expect(copy).toMatchObject({
    user: USER,
    person: { language: 'en', firstDay: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    link: { account: 1001, key: 'encrypted, and in no copy' },
    addresses: { addresses: [{ address: ADDRESS }] },
    notices: { lowBalance: '50' },
    session: { language: 'en' },
    openQuestion: { flow: expect.stringMatching(/^energy@/) },
    invoices: [{ id: invoice.id, note: 'Order 17', status: 'pending', cards: [own] }],
    other: {
      'refused-keys': { value: { count: 1 } },
      'a later kind': { x: { says: 'this' } },
      attempt: { [bought.id]: { state: 'sent' } },
    },
  });
  expect(copy.withdrawnTo).toMatchObject([{ address: ADDRESS, trx: '5' }]);
  expect(copy.adminActs).toMatchObject([{ act: 'person-barred', about: String(USER) }]);
  expect(copy.notifications).toMatchObject([
    { name: 'deposit:1001:6', sent: true },
    { kind: 'deposit', account: 1001, data: { amount: '9' }, at: 1 },
  ]);
  const states = copy.operations.map(({ id, state }: { id: string; state: string }) => [id, state]);
  expect(Object.fromEntries(states)).toEqual({
    [bought.id]: 'done',
    [invoice.id]: expect.any(String),
    [draft.id]: 'draft',
  });
  const secrets = [API_KEY, invoice.share ?? 'none', chat.invoices.shares.tokenOf(invoice) ?? 'none'];
  expect(secrets).not.toContain('none');
  for (const secret of [...secrets, String(customers.chat)]) expect(text).not.toContain(secret);
});

test('omits a record with an invalid signature from the copy', async () => {
  const chat = await openChat('en');
  await chat.setup.storage.set(`addresses:{${USER}}`, `s1.${'A'.repeat(43)}.{"addresses":[]}`);
  await chat.tap('privacy:copy');
  expect(JSON.parse(fileOf(chat).text)).not.toHaveProperty('addresses');
});

test('limits copies to five in ten minutes', async () => {
  const chat = await openChat('en');
  const files = () => chat.calls.filter(({ method }) => method === 'sendDocument').length;
  for (let count = 0; count < 6; count += 1) await chat.tap('privacy:copy');
  expect(files()).toBe(5);
  expect(chat.toast()).toBe(chat.words.plain('toast-privacy-wait', { minutes: 10 }));
  chat.setup.clock.now += 10 * 60_000;
  await chat.tap('privacy:copy');
  expect(files()).toBe(6);
});

test('the copy contains no data of other users', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.deps.addressBook.remember(USER + 1, ADDRESS);
  await chat.links.link(USER + 1, 1001, API_KEY, 'en');
  await chat.write('/privacy');
  await chat.tap('privacy:copy');
  const copy = JSON.parse(fileOf(chat).text);
  expect(copy).toMatchObject({ user: USER, notifications: [], operations: [], invoices: [], adminActs: [] });
  expect(copy).not.toHaveProperty('addresses');
  expect(copy).not.toHaveProperty('link');
});

test('the copy contains more operations than one page', async () => {
  const chat = await openChat('en');
  const history = chat.deps.operations.history as History;
  for (let count = 0; count < 60; count += 1) await history.add(await chat.setup.claimed());
  await chat.write('/privacy');
  await chat.tap('privacy:copy');
  expect(JSON.parse(fileOf(chat).text).operations).toHaveLength(60);
});
