import { InputFile } from 'grammy';
import { expect, test } from 'vitest';
import type { History } from '../../../src/operations/history.ts';
import { LANGUAGES } from '../../../src/texts/texts.ts';
import { ADDRESS, API_KEY } from '../../operations/rental-stand-in.ts';
import { USER } from '../../operations/room.ts';
import { buttonsOf, expectWithinLimits } from '../../texts/telegram-limits.ts';
import { openChat } from './chat.ts';

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
      expect(Object.values(buttonsOf(chat.last()))).toEqual(['privacy:copy', 'menu:open']);
    }
  },
);

test('the copy holds all that is kept of them, and no key', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.deps.noticeSettings.setLowBalance(USER, '50');
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
    operations: [{ id: bought.id, state: 'done' }],
    invoices: [],
  });
  expect(text).not.toContain(API_KEY);
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
