import { describe, expect } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData, callbackData } from '../../src/views/callback-data.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { CARD, USER } from '../operations/operations-setup.ts';
import { ADDRESS, accepted, subscription } from '../operations/rental-stand-in.ts';
import { OTHER_ADDRESS, openChat, testWith } from './chat.ts';

const ADMIN = 900;

async function maintained(...given: Parameters<typeof openChat>) {
  const chat = await openChat(...given);
  chat.setup.rental.subscriptions.mockResolvedValue(accepted([subscription()]));
  await chat.deps.maintenance.turnOn(ADMIN);
  return chat;
}

/** Commands and buttons that start an operation or link an account. */
const BEGINNINGS = [
  ...['/buy', '/bandwidth', '/activate', '/withdraw', '/invoice'],
  ...['smart-mode:start'],
  ...['energy:open', 'link:open'],
];

const test = testWith(() => openChat('en'));

describe.each(LANGUAGES)('during maintenance, in %s', (language) => {
  test.each(BEGINNINGS)('%s starts nothing and says why', async (way) => {
    const chat = await maintained(language);
    await (way.startsWith('/') ? chat.write(way) : chat.tapShown(way));
    expect(chat.html()).toBe(chat.words.html('maintenance'));
    expectWithinLimits(chat.last());
    await chat.expectReply('qwerty', chat.words.html('menu-idle'));
  });

  test('screens that only read stay available', async () => {
    const chat = await maintained(language);
    for (const text of ['/start', OTHER_ADDRESS])
      await chat.expectReply(text, chat.words.html('menu-maintenance'));
    for (const text of ['/history', '/prices', '/invoices', '/help', '/settings', '/account', '/deposit']) {
      await chat.write(text);
      expect(chat.html(), text).not.toContain('🚧');
    }
  });

  test('Again at a receipt starts nothing, and the receipt stays unchanged', async () => {
    const chat = await maintained(language);
    const done = await chat.setup.claimed();
    await chat.setup.advance(done);
    await chat.tap(callbackData('operation', 'again', done.id), { message: CARD, carried: true });
    expect(chat.html()).toBe(chat.words.html('maintenance'));
    expect(chat.payloads('editMessageText')).toEqual([]);
  });
});

test('an open flow continues to its card, but Confirm works only after maintenance', async ({ chat }) => {
  await chat.write('/bandwidth');
  await chat.deps.maintenance.turnOn(ADMIN);
  await chat.input(ADDRESS, 'settings:language:ru');
  const { texts } = chat.deps;
  expect(chat.html()).toContain(ADDRESS);
  await chat.input(answerData('350'), answerData('1'));
  chat.shows(texts.in('ru').html('menu-maintenance'));
  const confirm = chat.dataWith('confirm');
  const id = confirm.split(':').at(-1) ?? '';
  const card = chat.lastMessage();
  await chat.tap(confirm, { message: card, carried: true });
  expect(chat.html()).toBe(texts.in('ru').html('maintenance-card', { confirm: '✅ Подтвердить' }));
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'draft' });
  await chat.deps.maintenance.turnOff();
  await chat.tap(confirm, { message: card, carried: true });
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'claimed' });
});

test("the refusal names the button of a guest's card", async () => {
  const chat = await openChat('en', { linked: false });
  await chat.write('/buy');
  await chat.deps.maintenance.turnOn(ADMIN);
  await chat.write(ADDRESS);
  chat.shows(chat.words.html('menu-maintenance'));
  await chat.setup.pass(1_000);
  await chat.tap(chat.dataWith('confirm'));
  chat.shows('Tap <i>✅ Create invoice</i> again later');
});

test('Back from a card leads to its last question during maintenance', async ({ chat }) => {
  await chat.input('/activate', ADDRESS);
  const back = chat.dataWith('back');
  await chat.deps.maintenance.turnOn(ADMIN);
  await chat.tapShown(back);
  const views = chat.views().map(({ html }) => html);
  expect(views.join()).not.toContain('🚧');
  expect(views.slice(-2).join()).toContain('Which address');
});

test('an outdated card says so during maintenance and does not mention maintenance', async () => {
  const chat = await maintained('en');
  const done = await chat.setup.claimed();
  await chat.setup.advance(done);
  await chat.tap(callbackData('operation', 'confirm', done.id), { message: CARD, carried: true });
  expect(chat.toast()).toBe(chat.words.plain('toast-card-over'));
  expect(chat.allHtml()).not.toContain('🚧');
});

test('a 2FA code is deleted without effect; a new one works after maintenance', async ({ chat }) => {
  chat.setProfile('1000.00', { codes: true });
  for (const text of ['/withdraw', '12.5', OTHER_ADDRESS]) await chat.write(text);
  const confirm = chat.dataWith('confirm');
  const id = confirm.split(':').at(-1) ?? '';
  await chat.tapShown(confirm);
  await chat.deps.maintenance.turnOn(ADMIN);
  await chat.write('123456');
  expect(chat.payloads('deleteMessage')).not.toEqual([]);
  expect(chat.html()).toBe(chat.words.html('maintenance-code'));
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'awaiting' });
  await chat.deps.maintenance.turnOff();
  await chat.write('654321');
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'claimed' });
});

test('deletes an API key without a request to the service, and accepts it after maintenance', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  await chat.deps.maintenance.turnOn(ADMIN);
  const { profile } = chat.setup.rental;
  await chat.write('a-key-of-somebody');
  expect(chat.payloads('deleteMessage')).not.toEqual([]);
  expect(chat.html()).toBe(chat.words.html('maintenance-link'));
  expect(profile).not.toHaveBeenCalled();
  await chat.deps.maintenance.turnOff();
  await chat.expectReply('a-key-of-somebody', chat.words.html('link-done'));
});
