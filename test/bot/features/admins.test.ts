import { describe, expect, test } from 'vitest';
import { adminsOnly } from '../../../src/bot/admins-only.ts';
import type { BotContext } from '../../../src/bot/context.ts';
import { commandList, commandsOf } from '../../../src/bot/listed-commands.ts';
import { createRouter } from '../../../src/bot/router.ts';
import { botDescription } from '../../../src/bot/start.ts';
import { answerData, callbackData } from '../../../src/texts/callback-data.ts';
import { createTexts, LANGUAGES } from '../../../src/texts/texts.ts';
import { CUT } from '../../operations/rental-stand-in.ts';
import { USER } from '../../operations/room.ts';
import { NO_OPERATOR } from '../../support/no-operator.ts';
import { buttonsOf, expectWithinLimits } from '../../texts/telegram-limits.ts';
import { openChat } from './chat.ts';

type Chat = Awaited<ReturnType<typeof openChat>>;

const ADMIN = 900;
const answers = ({ calls }: Chat) => calls.filter(({ method }) => method === 'answerCallbackQuery').length;

const dataOf = (chat: Chat) => Object.values(buttonsOf(chat.last()));
const isAdmin = (user: number) => user === USER;

/** Somebody who is no admin, as `isThere` asks. */
const ANYBODY = { from: { id: USER } } as BotContext;

/** What each feature has for admins alone: all that can be tapped, and all commands. Features added later are among them. */
function adminWays({ features }: Chat): { taps: string[]; commands: string[] } {
  const ways = features.flatMap((feature) => {
    const { name, buttons = {}, buttonCommands = {}, isThere } = feature;
    const isHidden = (button: string) => isThere?.(ANYBODY, button) === false;
    const commands = [
      ...commandsOf(feature).map((command) => [command.name, 'open'] as const),
      ...Object.entries(buttonCommands).map(([name, { button }]) => [name, button] as const),
    ];
    return {
      taps: ['open', ...Object.keys(buttons)].filter(isHidden).map((button) => callbackData(name, button)),
      commands: commands.filter(([, button]) => isHidden(button)).map(([command]) => command),
    };
  });
  return { taps: ways.flatMap(({ taps }) => taps), commands: ways.flatMap(({ commands }) => commands) };
}
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
      const below = chat.features.filter(({ menu }) =>
        [menu ?? []].flat().some(({ place }) => place === 'admin'),
      );
      expect(below.length).toBeGreaterThan(3);
      expect(dataOf(chat)).toEqual([...below.map(({ name }) => `${name}:open`), 'menu:open']);
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

test('whatever has its button below Admin is hidden from everybody else, with all its buttons and commands', async () => {
  const chat = await openChat('en');
  const { taps, commands } = adminWays(chat);
  const below = chat.features.filter(({ menu }) =>
    [menu ?? []].flat().some(({ place }) => place === 'admin'),
  );
  expect(below.length).toBeGreaterThan(2);
  for (const feature of below) {
    for (const button of ['open', ...Object.keys(feature.buttons ?? {})])
      expect(taps).toContain(callbackData(feature.name, button));
    for (const { name } of commandsOf(feature)) expect(commands).toContain(name);
  }
  expect(taps).toEqual(expect.arrayContaining(['menu:admin', 'reports:operator-off-yes']));
  expect(commands).toEqual(expect.arrayContaining(['admin', 'state', 'events', 'log']));
});

/** Does this with each, in a chat of its own: whoever sends too much at once isn't heard at all. */
async function inOwnChat<Way>(
  ways: readonly Way[],
  open: () => Promise<Chat>,
  go: (chat: Chat, way: Way) => Promise<void>,
) {
  expect(ways.length).toBeGreaterThan(2);
  for (const way of ways) {
    const chat = await open();
    await go(chat, way);
    // Nothing that admins do was done.
    expect(await chat.deps.adminLog.latest(1)).toEqual([]);
    expect(await chat.deps.maintenance.find()).toBeUndefined();
  }
}

describe('somebody else', async () => {
  const open = () => openChat('en');
  const { taps, commands } = adminWays(await open());
  const { features } = await open();

  test('hears at every tap of an admin what a tap that means nothing is told, and what they had begun goes on', () =>
    inOwnChat(['nothing:open', ...taps], open, async (chat, data) => {
      await chat.write('/buy');
      const before = shown(chat).length;
      for (const [forged, carried] of [
        [data, true],
        [data, false],
        [`${data}:1`, true],
      ] as const) {
        const answered = answers(chat);
        await chat.tap(forged, { carried });
        expect(answers(chat)).toBe(answered + 1);
        expect(chat.toast(), forged).toBe(chat.words.plain('toast-over'));
      }
      expect(shown(chat).length).toBe(before);
      await chat.tap(answerData('cancel'));
      expect(chat.last().html).toBe(chat.words.html('cancelled'));
    }));

  test('is told of every command of an admin what words that mean nothing are told, however it is brought', () =>
    inOwnChat(commands, open, async (chat, name) => {
      await chat.write('/nothing');
      const idle = chat.last();
      const text = `/${name}`;
      const from = { id: ADMIN, is_bot: false, first_name: 'Admin' };
      const of = {
        message_id: 1,
        date: 1,
        chat: { id: USER, type: 'private', first_name: 'Guest' },
      } as const;
      for (const more of [
        { text },
        { text: text.toUpperCase() },
        { text: `${text}@rental_demo_bot` },
        { text: `${text} 1` },
        { text, forward_origin: { type: 'user' as const, date: 1, sender_user: from } },
        { text, reply_to_message: { ...of, from, text: 'An admin wrote this', reply_to_message: undefined } },
        { text, via_bot: { ...from, is_bot: true } },
        {
          caption: text,
          caption_entities: [{ type: 'bot_command' as const, offset: 0, length: text.length }],
        },
      ]) {
        const before = shown(chat).length;
        await chat.bring(more);
        expect(shown(chat).length).toBe(before + 1);
        expect(chat.last(), JSON.stringify(more)).toEqual(idle);
      }
      await chat.write('hello');
      const before = shown(chat).length;
      await chat.edit({ text, entities: [{ type: 'bot_command', offset: 0, length: text.length }] });
      expect(shown(chat).length).toBe(before);
      await chat.write('/buy');
      const question = chat.last().keyboard;
      await chat.write(text);
      expect(shown(chat).length).toBeGreaterThan(before + 1);
      expect(chat.last().keyboard).toEqual(question);
    }));

  test('comes by a link to the bot to the menu, whatever of an admin stands in it', () =>
    inOwnChat([...commands, ...taps, ...features.map(({ name }) => name)], open, async (chat, payload) => {
      await chat.write('/start');
      const menu = chat.last();
      await chat.write(`/start ${payload}`);
      expect(shown(chat)).toHaveLength(2);
      expect(chat.last(), payload).toEqual(menu);
    }));

  test('whose tap belongs to no message of the bot reaches nothing', () =>
    inOwnChat(taps, open, async (chat, data) => {
      const from = { id: USER, is_bot: false, first_name: 'Guest' };
      await chat.receive({
        callback_query: { id: '1', from, chat_instance: '1', inline_message_id: '9', data },
      });
      expect(chat.calls.map(({ method }) => method)).toEqual(['answerCallbackQuery']);
    }));
});

describe.each([true, false])('an update that belongs to no private chat, of an admin: %s', async (admin) => {
  const from = { id: USER, is_bot: false, first_name: 'Somebody' };
  const open = () => openChat('en', { isAdmin: () => admin });
  const { taps, commands } = adminWays(await openChat('en'));

  test('does nothing and throws nothing where it is an inline query, which this bot does not answer', () =>
    inOwnChat(['', 'state', ...commands.map((name) => `/${name}`), ...taps], open, async (chat, query) => {
      await chat.receive({ inline_query: { id: '1', from, query, offset: '' } });
      await chat.receive({ inline_query: { id: '1', from, query, offset: '', chat_type: 'sender' } });
      await chat.receive({ chosen_inline_result: { result_id: '1', from, query, inline_message_id: '9' } });
      expect(chat.calls).toEqual([]);
    }));

  test('reaches nothing in a group or a channel', async () => {
    const group = { id: -1001, type: 'supergroup', title: 'A group' } as const;
    const channel = { id: -1002, type: 'channel', title: 'A channel' } as const;
    await inOwnChat(commands, open, async (chat, name) => {
      const text = `/${name}@rental_demo_bot`;
      const entities = [{ type: 'bot_command' as const, offset: 0, length: text.length }];
      await chat.receive({ message: { message_id: 1, date: 1, chat: group, from, text, entities } });
      await chat.receive({
        channel_post: { message_id: 1, date: 1, chat: channel, sender_chat: channel, text },
      });
      const said = shown(chat).map(({ payload }) => payload.text);
      expect([...new Set(said)]).toEqual([chat.words.plain('group-only')]);
    });
    await inOwnChat(taps, open, async (chat, data) => {
      const message = { message_id: 1, date: 1, chat: group, text: '' };
      await chat.receive({ callback_query: { id: '1', from, chat_instance: '1', data, message } });
      expect(chat.calls.map(({ method }) => method)).toEqual(['answerCallbackQuery']);
    });
  });
});

test('an admin gets something else by each of these commands and at their taps', async () => {
  const { taps, commands } = adminWays(await openChat('en'));
  const without: string[] = [];
  for (const name of commands) {
    const chat = await openChat('en', { isAdmin });
    await chat.write(`/${name}`);
    expect(chat.last().html, name).not.toContain(chat.words.html('menu-idle'));
  }
  for (const data of taps) {
    const chat = await openChat('en', {
      isAdmin,
      operator: { ...NO_OPERATOR, account: async () => 1000, owns: async () => false },
    });
    chat.room.rental.configureWebhook.mockResolvedValue(CUT);
    await chat.tap(data, { carried: true });
    if (shown(chat).length === 0) without.push(data);
  }
  // Each of these is about one, and there is none.
  const ABOUT_ONE = ['ask', 'decide', 'failed', 'leave', 'one', 'went'];
  expect(without.toSorted()).toEqual(ABOUT_ONE.map((name) => `unresolved:${name}`));
});

describe('somebody who was an admin', () => {
  test('is anybody as soon as they are no admin any more, though their buttons are still there', async () => {
    const ways = adminWays(await openChat('en')).taps;
    // More at once would be a flood, which is left out.
    for (let from = 0; from < ways.length; from += 30) {
      const admins = new Set([USER]);
      const chat = await openChat('en', { isAdmin: (user) => admins.has(user) });
      await chat.write('/events');
      await chat.tap('events:today', { carried: true });
      const before = shown(chat).length;
      admins.clear();
      for (const data of ways.slice(from, from + 30)) {
        await chat.tap(data, { carried: true });
        expect(chat.toast(), data).toBe(chat.words.plain('toast-over'));
      }
      expect(shown(chat).length).toBe(before);
      await chat.write('/events');
      expect(chat.last().html).toContain(chat.words.html('menu-idle'));
      expect(dataOf(chat)).not.toContain('menu:admin');
    }
  });
});

test('commands of admins stand in no list but theirs, neither Telegram’s nor that of Help', async () => {
  const { features, words } = await openChat('en');
  const { commands } = botDescription(createTexts(), features);
  expect(commands.en?.map(({ command }) => command)).toContain('help');
  expect(commands.en).toContainEqual({ command: 'menu', description: 'Open the menu' });
  expect(commands.ru).toContainEqual({ command: 'menu', description: 'Открыть меню' });
  const listed = JSON.stringify(commands);
  const hidden = adminWays(await openChat('en')).commands;
  for (const name of hidden) expect(listed).not.toContain(`"${name}"`);
  const theirs = commandList(words, features, { isAdmin: true }).map(({ command }) => command);
  expect(theirs.toSorted()).toEqual(
    [...(commands.en ?? []).map(({ command }) => command), ...hidden].toSorted(),
  );
  for (const asAdmin of [true, false]) {
    const chat = await openChat('en', { isAdmin: () => asAdmin });
    await chat.tap('help:commands');
    expect(chat.last().html).toContain('/settings');
    for (const name of hidden)
      expect(new RegExp(`^/${name} · `, 'm').test(chat.last().html), name).toBe(asAdmin);
  }
});

test('the question of an admin is answered by nobody who is none any more', async () => {
  const admins = new Set([USER]);
  const chat = await openChat('en', { isAdmin: (user) => admins.has(user) });
  const answered: string[] = [];
  const feature = adminsOnly(chat.deps, {
    ...{ name: 'people', button: 'button-events' },
    command: { name: 'people', text: 'command-people' },
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
