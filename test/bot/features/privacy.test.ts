import { InputFile } from 'grammy';
import { expect, test } from 'vitest';
import type { History } from '../../../src/operations/history.ts';
import { LANGUAGES } from '../../../src/texts/texts.ts';
import { ADDRESS, API_KEY } from '../../operations/rental-stand-in.ts';
import { USER } from '../../operations/room.ts';
import { buttonsOf, expectWithinLimits } from '../../texts/telegram-limits.ts';
import { openChat } from './chat.ts';
import { sell } from './sold.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

type Chat = Awaited<ReturnType<typeof openChat>>;

/** What is in the file that was sent last. */
function fileOf({ calls }: Chat): { name: string | undefined; text: string } {
  const { document } = calls.findLast(({ method }) => method === 'sendDocument')?.payload ?? {};
  if (!(document instanceof InputFile)) throw new Error('no file was sent');
  const { fileData } = document as unknown as { fileData: Uint8Array };
  return { name: document.filename, text: Buffer.from(fileData).toString('utf8') };
}

test.each(LANGUAGES)(
  'what is kept, where and for how long is said in %s, to guests too',
  async (language) => {
    for (const linked of [true, false]) {
      const chat = await openChat(language, { linked });
      chat.speak(language);
      await chat.write('/privacy');
      expectWithinLimits(chat.last());
      expect(chat.last().html).toContain(language === 'en' ? '90 days' : '90 дней');
      expect(Object.values(buttonsOf(chat.last()))).toEqual(['privacy:copy', 'forget:open', 'menu:open']);
    }
  },
);

test('the copy holds all that is kept of them, and no key', async () => {
  const waiting = {
    kind: 'deposit',
    id: '7',
    account: 1001,
    isMoney: true,
    data: { amount: '9' },
    at: 1,
    tries: 0,
  };
  const untold = async (user: number) => (user === USER ? [waiting] : []);
  const chat = await openChat('en', { outbox: { here: async () => {}, untold } });
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.deps.noticeSettings.setLowBalance(USER, '50');
  await chat.tap('settings:language:ru');
  await chat.tap('settings:language:en');
  for (const user of [USER, USER + 1]) {
    const address = user === USER ? ADDRESS : OTHER;
    const made = await chat.deps.announced.draft({ user, account: 1001, address, trx: '5' });
    if (made) await chat.deps.announced.keep(made);
  }
  const invoice = await sell(chat, { note: 'Order 17' });
  const bought = await chat.room.claimed();
  await chat.room.advance(bought);
  await chat.write('/privacy');
  await chat.tap('privacy:copy');
  const { name, text } = fileOf(chat);
  expect(name).toMatch(/^kept-\d{4}-\d\d-\d\d\.json$/);
  expect(JSON.parse(text)).toMatchObject({
    user: USER,
    person: { language: 'en', first: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    link: { account: 1001, key: 'sealed, and in no copy' },
    addresses: { addresses: [{ address: ADDRESS }] },
    notices: { lowBalance: '50' },
    withdrawnTo: [{ address: ADDRESS, trx: '5' }],
    session: { language: 'en' },
    untold: [{ kind: 'deposit', account: 1001, data: { amount: '9' }, at: 1 }],
    operations: [
      { id: bought.id, state: 'done' },
      { id: invoice.id, request: { note: 'Order 17' } },
    ],
    invoices: [{ id: invoice.id, note: 'Order 17', status: 'pending' }],
  });
  const secrets = [API_KEY, invoice.share ?? 'none', chat.invoices.shares.tokenOf(invoice) ?? 'none'];
  expect(secrets).not.toContain('none');
  for (const secret of secrets) expect(text).not.toContain(secret);
});

test('of somebody else there is nothing in it', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.deps.addressBook.remember(USER + 1, ADDRESS);
  await chat.links.link(USER + 1, 1001, API_KEY, 'en');
  await chat.write('/privacy');
  await chat.tap('privacy:copy');
  const copy = JSON.parse(fileOf(chat).text);
  expect(copy).toMatchObject({ user: USER, addresses: { addresses: [] }, operations: [], invoices: [] });
  expect(copy.link).toBeUndefined();
});

test('more operations than one page has are all in it', async () => {
  const chat = await openChat('en');
  const history = chat.deps.operations.history as History;
  for (let count = 0; count < 60; count += 1) await history.add(await chat.room.claimed());
  await chat.write('/privacy');
  await chat.tap('privacy:copy');
  expect(JSON.parse(fileOf(chat).text).operations).toHaveLength(60);
});
