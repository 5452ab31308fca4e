import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData, callbackData } from '../../src/i18n/view.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { CARD, USER } from '../operations/operations-setup.ts';
import { ADDRESS, accepted, profileOf, subscription } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

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
  ...['smart-mode:start', 'smart-mode:pause:12', 'smart-mode:end:12'],
  ...['energy:open', 'link:open'],
];

describe.each(LANGUAGES)('during maintenance, in %s', (language) => {
  test.each(BEGINNINGS)('%s starts nothing and says why', async (way) => {
    const chat = await maintained(language);
    await (way.startsWith('/') ? chat.write(way) : chat.tap(way, { carried: true }));
    expect(chat.last().html).toBe(chat.words.html('maintenance'));
    expectWithinLimits(chat.last());
    await chat.write('hello');
    expect(chat.last().html).toContain(chat.words.html('menu-idle'));
  });

  test('screens that only read stay available', async () => {
    const chat = await maintained(language);
    for (const said of [
      '/start',
      '/history',
      '/prices',
      '/invoices',
      '/help',
      '/settings',
      '/account',
      '/deposit',
    ]) {
      await chat.write(said);
      expect(chat.last().html, said).not.toContain('🚧');
    }
  });

  test('Again at a receipt starts nothing, and the receipt stays unchanged', async () => {
    const chat = await maintained(language);
    const done = await chat.setup.claimed();
    await chat.setup.advance(done);
    await chat.tap(callbackData('operation', 'again', done.id), { message: CARD, carried: true });
    expect(chat.last().html).toBe(chat.words.html('maintenance'));
    expect(chat.calls.filter(({ method }) => method === 'editMessageText')).toEqual([]);
  });
});

test('an open flow continues to its card, but Confirm works only after maintenance', async () => {
  const chat = await openChat('en');
  await chat.write('/buy');
  await chat.deps.maintenance.turnOn(ADMIN);
  await chat.write(ADDRESS);
  await chat.tap('settings:language:ru');
  const { texts } = chat.deps;
  expect(chat.last().html).toContain(ADDRESS);
  await chat.tap(answerData('holder'));
  await chat.tap(answerData('1'));
  const confirm = Object.values(buttonsOf(chat.last())).find((data) => data.includes('confirm')) ?? '';
  const [, , id = ''] = confirm.split(':');
  const card = chat.lastMessage();
  await chat.tap(confirm, { message: card, carried: true });
  expect(chat.last().html).toBe(texts.in('ru').html('maintenance-card'));
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'draft' });
  await chat.deps.maintenance.turnOff();
  await chat.tap(confirm, { message: card, carried: true });
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'claimed' });
});

test('Back from a card leads to its last question during maintenance', async () => {
  const chat = await openChat('en');
  await chat.write('/activate');
  await chat.write(ADDRESS);
  const back = Object.values(buttonsOf(chat.last())).find((data) => data.includes('back')) ?? '';
  await chat.deps.maintenance.turnOn(ADMIN);
  await chat.tap(back, { carried: true });
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
  expect(
    chat
      .views()
      .map(({ html }) => html)
      .join(),
  ).not.toContain('🚧');
});

test('a 2FA code is deleted without effect; a new one works after maintenance', async () => {
  const chat = await openChat('en');
  const profile = profileOf('1000.00');
  chat.setup.rental.profile.mockResolvedValue({
    ...profile,
    value: { ...profile.value, totp_enabled: true },
  });
  for (const said of ['/withdraw', '12.5', 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4']) await chat.write(said);
  const confirm = Object.values(buttonsOf(chat.last())).find((data) => data.includes('confirm')) ?? '';
  const [, , id = ''] = confirm.split(':');
  await chat.tap(confirm, { carried: true });
  await chat.deps.maintenance.turnOn(ADMIN);
  await chat.write('123456');
  expect(chat.calls.map(({ method }) => method)).toContain('deleteMessage');
  expect(chat.last().html).toBe(chat.words.html('maintenance-code'));
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
  expect(chat.calls.map(({ method }) => method)).toContain('deleteMessage');
  expect(chat.last().html).toBe(chat.words.html('maintenance-link'));
  expect(profile).not.toHaveBeenCalled();
  await chat.deps.maintenance.turnOff();
  await chat.write('a-key-of-somebody');
  expect(chat.last().html).toContain(chat.words.html('link-done'));
});
