import { describe, expect, test } from 'vitest';
import { adminsOnly } from '../../../src/bot/admins-only.ts';
import { createRouter } from '../../../src/bot/router.ts';
import { botDescription } from '../../../src/bot/start.ts';
import { answerData } from '../../../src/texts/callback-data.ts';
import { createTexts, LANGUAGES } from '../../../src/texts/texts.ts';
import { USER } from '../../operations/room.ts';
import { buttonsOf, expectWithinLimits } from '../../texts/telegram-limits.ts';
import { openChat } from './chat.ts';

type Chat = Awaited<ReturnType<typeof openChat>>;

const dataOf = (chat: Chat) => Object.values(buttonsOf(chat.last()));
const isAdmin = (user: number) => user === USER;

/** All that admins' features can be tapped for. */
const adminTaps = (chat: Chat) => [
  'menu:admin',
  ...chat.features
    .filter(({ menu }) => [menu ?? []].flat().some((entry) => entry.for === 'admin'))
    .flatMap(({ name, buttons = {} }) => ['open', ...Object.keys(buttons)].map((one) => `${name}:${one}`)),
];
const shown = (chat: Chat) => chat.calls.filter(({ method }) => /^(send|edit)/.test(method));

describe.each([true, false])('an admin, whose account is linked: %s', (linked) => {
  test('has Admin as the last row of the menu, alone, and what is below it in the same message', async () => {
    for (const language of LANGUAGES) {
      const chat = await openChat(language, { linked, isAdmin });
      await chat.write('/start');
      const message = chat.lastMessage();
      const [above, last] = chat.last().keyboard.slice(-2);
      expect(last).toMatchObject([{ callback_data: 'menu:admin' }]);
      expect(above?.length).toBeGreaterThan(0);
      await chat.tap('menu:admin', { carried: true });
      expect(dataOf(chat)).toEqual(['broadcast:open', 'events:open', 'people:open', 'menu:open']);
      expect(chat.calls.at(-2)).toMatchObject({
        method: 'editMessageText',
        payload: { message_id: message },
      });
      expectWithinLimits(chat.last());
    }
  });

  test('has the same menu as others above it', async () => {
    const [admin, other] = [await openChat('en', { linked, isAdmin }), await openChat('en', { linked })];
    for (const chat of [admin, other]) await chat.write('/start');
    expect(admin.last().keyboard.slice(0, -1)).toEqual(other.last().keyboard);
    expect(dataOf(other)).not.toContain('menu:admin');
  });
});

describe('somebody else', () => {
  test('hears at every tap of an admin what a tap that means nothing is told, and what they had begun goes on', async () => {
    const chat = await openChat('en');
    await chat.write('/buy');
    const before = shown(chat).length;
    expect(adminTaps(chat).length).toBeGreaterThan(3);
    for (const data of ['nothing:open', ...adminTaps(chat)]) {
      await chat.tap(data, { carried: true });
      expect(chat.toast(), data).toBe(chat.words.plain('toast-over'));
    }
    expect(shown(chat).length).toBe(before);
    await chat.tap(answerData('cancel'));
    expect(chat.last().html).toBe(chat.words.html('cancelled'));
  });

  test('is told of the command of an admin what words that mean nothing are told', async () => {
    const chat = await openChat('en');
    await chat.write('/nothing');
    const idle = chat.last();
    for (const text of [
      '/events',
      '/EVENTS',
      '/events@rental_demo_bot',
      '/start events',
      '/start menu:admin',
    ]) {
      await chat.write(text);
      expect(dataOf(chat), text).toEqual(Object.values(buttonsOf(idle)));
    }
    await chat.write('/events');
    expect(chat.last()).toEqual(idle);
    await chat.write('/buy');
    const question = chat.last().keyboard;
    await chat.write('/events');
    expect(chat.last().keyboard).toEqual(question);
  });

  test('is anybody as soon as they are no admin any more, though their buttons are still there', async () => {
    const admins = new Set([USER]);
    const chat = await openChat('en', { isAdmin: (user) => admins.has(user) });
    await chat.write('/events');
    await chat.tap('events:today', { carried: true });
    const before = shown(chat).length;
    admins.clear();
    for (const data of adminTaps(chat)) {
      await chat.tap(data, { carried: true });
      expect(chat.toast(), data).toBe(chat.words.plain('toast-over'));
    }
    expect(shown(chat).length).toBe(before);
    await chat.write('/events');
    expect(chat.last().html).toContain(chat.words.html('menu-idle'));
    expect(dataOf(chat)).not.toContain('menu:admin');
  });
});

test('commands of admins stand in no list, neither Telegram’s nor that of Help', async () => {
  const chat = await openChat('en', { isAdmin });
  const { commands } = botDescription(createTexts(), chat.features);
  expect(commands.en?.map(({ command }) => command)).toContain('help');
  expect(commands.en).toContainEqual({ command: 'menu', description: 'Open the menu' });
  expect(commands.ru).toContainEqual({ command: 'menu', description: 'Открыть меню' });
  expect(JSON.stringify(commands)).not.toContain('events');
  await chat.write('/help');
  expect(chat.last().html).toContain('/settings');
  expect(chat.last().html).not.toContain('/events');
});

test('the question of an admin is answered by nobody who is none any more', async () => {
  const admins = new Set([USER]);
  const chat = await openChat('en', { isAdmin: (user) => admins.has(user) });
  const answered: string[] = [];
  const feature = adminsOnly(chat.deps, {
    ...{ name: 'people', button: 'button-events', command: 'people' },
    open: async () => {},
    flow: {
      version: 1,
      begin: async () => ({ kind: 'asked', state: {} }),
      answer: async (ctx) => {
        answered.push(ctx.message?.text ?? '');
        return { kind: 'asked', state: {} };
      },
      read: (kept) => kept,
    },
  });
  expect(createRouter([feature]).command('people', by(USER))).toBe(feature.open);
  expect(await feature.flow?.answer(by(USER), {})).toMatchObject({ kind: 'asked' });
  admins.clear();
  expect(await feature.flow?.begin(by(USER), {})).toEqual({ kind: 'over' });
  expect(await feature.flow?.answer(by(USER), {})).toEqual({ kind: 'over' });
  expect(answered).toHaveLength(1);

  function by(id: number) {
    return { from: { id } } as Parameters<NonNullable<typeof feature.open>>[0];
  }
});
