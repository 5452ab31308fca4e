import { describe, expect, test } from 'vitest';
import { botDescription } from '../../src/bot/bot.ts';
import type { BotContext } from '../../src/bot/context.ts';
import { adminsOnly } from '../../src/bot/feature.ts';
import { commandsOf, createRouter, menuCommands } from '../../src/bot/router.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData, callbackData } from '../../src/views/callback-data.ts';
import { expectWithinLimits } from '../i18n/telegram-limits.ts';
import { FILLED, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, CUT } from '../operations/rental-stand-in.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { TEXTS } from '../support/texts.ts';
import { type Chat, OTHER_ADDRESS, openChat } from './chat.ts';

const ADMIN = 900;
const answers = ({ calls }: Chat) => calls.filter(({ method }) => method === 'answerCallbackQuery').length;

const admins = new Set([USER]);

/** Context of a user who is not an admin, as `isAvailable` expects it. */
const ANYBODY = { from: { id: USER } } as BotContext;

/** Returns all buttons and commands that only admins can use. Reads them from the features, so new ones are included. */
function adminWays({ features }: Chat): { taps: string[]; commands: string[] } {
  const ways = features.flatMap((feature) => {
    const { name, buttons = {}, isAvailable } = feature;
    const isHidden = (button: string) => isAvailable?.(ANYBODY, button) === false;
    const commands = commandsOf(feature).map(({ name, button = 'open' }) => [name, button] as const);
    return {
      taps: ['open', ...Object.keys(buttons)].filter(isHidden).map((button) => callbackData(name, button)),
      commands: commands.filter(([, button]) => isHidden(button)).map(([command]) => command),
    };
  });
  return { taps: ways.flatMap(({ taps }) => taps), commands: ways.flatMap(({ commands }) => commands) };
}
const shown = (chat: Chat) => chat.calls.filter(({ method }) => /^(send|edit)/.test(method));

describe.each([true, false])('an admin (account linked: %s)', (linked) => {
  test('has Admin alone in the last row of the menu and opens it in place', async () => {
    for (const language of LANGUAGES) {
      const chat = await openChat(language, { linked, admins });
      await chat.write('/start');
      const message = chat.lastMessage();
      const [above, last] = chat.last().keyboard.slice(-2);
      expect(last).toMatchObject([{ callback_data: 'menu:admin' }]);
      expect(above?.length).toBeGreaterThan(0);
      await chat.tapShown('menu:admin');
      const below = chat.features.filter(({ menu }) =>
        [menu ?? []].flat().some(({ place }) => place === 'admin'),
      );
      expect(below.length).toBeGreaterThan(3);
      expect(chat.data()).toEqual([...below.map(({ name }) => `${name}:open`), 'menu:open']);
      expect(chat.calls.at(-2)).toMatchObject({
        method: 'editMessageText',
        payload: { message_id: message },
      });
      expectWithinLimits(chat.last());
    }
  });

  test('has the same menu as other users above that row', async () => {
    const [admin, other] = [await openChat('en', { linked, admins }), await openChat('en', { linked })];
    for (const chat of [admin, other]) await chat.write('/start');
    expect(admin.last().keyboard.slice(0, -1)).toEqual(other.last().keyboard);
    expect(other.data()).not.toContain('menu:admin');
  });
});

test('hides all buttons and commands of admin features from other users', async () => {
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
  const named = [
    'admin',
    'state',
    'events',
    'log',
    'operations',
    'unresolved',
    'people',
    'operator',
    'broadcast',
  ];
  expect(commands).toEqual(expect.arrayContaining(named));
});

/**
 * Runs `go` for each item in a separate chat, because many updates in one chat hit the flood limit. Expects that no admin
 * action is logged and maintenance mode stays off.
 */
async function inOwnChat<Way>(
  ways: readonly Way[],
  open: () => Promise<Chat>,
  go: (chat: Chat, way: Way) => Promise<void>,
) {
  expect(ways.length).toBeGreaterThan(2);
  for (const way of ways) {
    const chat = await open();
    await go(chat, way);
    // No admin action was executed.
    expect(await chat.deps.adminLog.latest(1)).toEqual([]);
    expect(await chat.deps.maintenance.find()).toBeUndefined();
  }
}

describe('a user who is not an admin', async () => {
  const open = () => openChat('en');
  const { taps, commands } = adminWays(await open());
  const { features } = await open();

  test('gets the toast of an unknown button for each admin button, and keeps the flow', () =>
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
      expect(chat.html()).toBe(chat.words.html('cancelled'));
    }));

  test('gets the fallback reply to each admin command, however it is sent', () =>
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

  const unlinked = features.filter(({ startLinks }) => startLinks === undefined).map(({ name }) => name);

  test('opens the menu by a deep link, whatever admin command it names', () =>
    inOwnChat([...commands, ...taps, ...unlinked], open, async (chat, payload) => {
      // A price that isn't known yet would follow with an edit.
      await chat.input('/prices', '/start');
      const menu = chat.last();
      await chat.write(`/start ${payload}`);
      expect(shown(chat)).toHaveLength(3);
      expect(chat.last(), payload).toEqual(menu);
    }));

  test('cannot use an admin button of an inline message', () =>
    inOwnChat(taps, open, async (chat, data) => {
      const from = { id: USER, is_bot: false, first_name: 'Guest' };
      await chat.receive({
        callback_query: { id: '1', from, chat_instance: '1', inline_message_id: '9', data },
      });
      expect(chat.calls.map(({ method }) => method)).toEqual(['answerCallbackQuery']);
    }));
});

describe.each([true, false])('an update outside private chats (admin: %s)', async (admin) => {
  const from = { id: USER, is_bot: false, first_name: 'Somebody' };
  const open = () => openChat('en', { admins: new Set(admin ? [USER] : []) });
  const { taps, commands } = adminWays(await openChat('en'));

  test('is ignored if it is an inline query', () =>
    inOwnChat(['', 'state', ...commands.map((name) => `/${name}`), ...taps], open, async (chat, query) => {
      await chat.receive({ inline_query: { id: '1', from, query, offset: '' } });
      await chat.receive({ inline_query: { id: '1', from, query, offset: '', chat_type: 'sender' } });
      await chat.receive({ chosen_inline_result: { result_id: '1', from, query, inline_message_id: '9' } });
      expect(chat.calls).toEqual([]);
    }));

  test('has no effect in a group or a channel', async () => {
    const group = { id: -1001, type: 'supergroup', title: 'A group' } as const;
    const channel = { id: -1002, type: 'channel', title: 'A channel' } as const;
    await inOwnChat(commands, open, async (chat, name) => {
      const text = `/${name}@rental_demo_bot`;
      const entities = [{ type: 'bot_command' as const, offset: 0, length: text.length }];
      await chat.receive({ message: { message_id: 1, date: 1, chat: group, from, text, entities } });
      await chat.receive({
        channel_post: { message_id: 1, date: 1, chat: channel, sender_chat: channel, text },
      });
      const texts = shown(chat).map(({ payload }) => payload.text);
      expect([...new Set(texts)]).toEqual([chat.words.plain('group-only')]);
    });
    await inOwnChat(taps, open, async (chat, data) => {
      const message = { message_id: 1, date: 1, chat: group, text: '' };
      await chat.receive({ callback_query: { id: '1', from, chat_instance: '1', data, message } });
      expect(chat.calls.map(({ method }) => method)).toEqual(['answerCallbackQuery']);
    });
  });
});

test('an admin gets a reply to each admin command and button', async () => {
  const { taps, commands } = adminWays(await openChat('en'));
  const without: string[] = [];
  for (const name of commands) {
    const chat = await openChat('en', { admins });
    await chat.write(`/${name}`);
    expect(chat.html(), name).not.toContain(chat.words.html('menu-idle'));
  }
  for (const data of taps) {
    const chat = await openChat('en', { admins });
    chat.setup.rental.configureWebhook.mockResolvedValue(CUT);
    await chat.tapShown(data);
    if (shown(chat).length === 0) without.push(data);
  }
  // Each of these needs an operation, and none exists.
  const ABOUT_ONE = ['ask', 'decide', 'failed', 'leave', 'one', 'went'];
  expect(without.toSorted()).toEqual(ABOUT_ONE.map((name) => `unresolved:${name}`));
});

describe('a former admin', () => {
  test('has no access any longer, even through old buttons', async () => {
    const ways = adminWays(await openChat('en')).taps;
    // More taps in one chat would hit the flood limit.
    for (let from = 0; from < ways.length; from += 30) {
      const admins = new Set([USER]);
      const chat = await openChat('en', { admins });
      await chat.input('/events', 'events:today');
      const before = shown(chat).length;
      admins.clear();
      for (const data of ways.slice(from, from + 30)) {
        await chat.tapShown(data);
        expect(chat.toast(), data).toBe(chat.words.plain('toast-over'));
      }
      expect(shown(chat).length).toBe(before);
      await chat.expectReply('/events', chat.words.html('menu-idle'));
      expect(chat.data()).not.toContain('menu:admin');
    }
  });
});

test('an admin is notified once of a report that contradicts an order', async () => {
  const { setup } = await openChat('en', { admins });
  await setup.executed();
  for (let times = 0; times < 2; times += 1)
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, address: OTHER_ADDRESS });
  const stored = await storedKeys(setup.storage, `notification:{${USER}}:`);
  expect(stored).toEqual([expect.stringContaining(':contradiction:')]);
});

test('lists at most ten commands in Telegram, and the others in Help for those who use them', async () => {
  const { features, words } = await openChat('en');
  const { commands } = botDescription(TEXTS, features);
  expect(commands.en).toContainEqual({ command: 'menu', description: 'Open the menu' });
  expect(commands.ru).toContainEqual({ command: 'menu', description: 'Открыть меню' });
  const listed = commands.en?.map(({ command }) => command) ?? [];
  const hidden = adminWays(await openChat('en')).commands;
  for (const name of [...hidden, 'webhooklog']) expect(listed).not.toContain(name);
  const theirs = menuCommands(words, features, { isAdmin: true }).map(({ command }) => command);
  expect(theirs).toEqual([...listed, 'admin']);
  expect(theirs.length).toBeLessThanOrEqual(10);
  const merchant = await openChat('en');
  await merchant.links.setMerchant(USER, true);
  await merchant.expectReply('help:commands', '/webhooklog · ');
  for (const asAdmin of [true, false]) {
    const chat = await openChat('en', { admins: new Set(asAdmin ? [USER] : []) });
    await chat.expectReply('help:commands', '/settings');
    expect(chat.html()).not.toContain('/webhooklog');
    for (const name of hidden) expect(new RegExp(`^/${name} · `, 'm').test(chat.html()), name).toBe(asAdmin);
  }
});

test('closes an open admin question when its user is no longer an admin', async () => {
  const admins = new Set([USER]);
  const chat = await openChat('en', { admins });
  const answered: string[] = [];
  const feature = adminsOnly(chat.deps, {
    name: 'people',
    button: 'button-events',
    command: { name: 'people', text: 'command-people' },
    open: async () => {},
    flow: {
      version: 1,
      questions: {},
      begin: async () => ({ kind: 'asked', state: {} }),
      answer: async (ctx) => {
        answered.push(ctx.message?.text ?? '');
        return { kind: 'asked', state: {} };
      },
      parse: (kept) => kept,
    },
  });
  expect(createRouter([feature]).routeCommand('people', by(USER))).toBeDefined();
  expect(await feature.flow?.answer(by(USER), {})).toMatchObject({ kind: 'asked' });
  admins.clear();
  expect(await feature.flow?.begin(by(USER), {})).toEqual({ kind: 'ended' });
  expect(await feature.flow?.answer(by(USER), {})).toEqual({ kind: 'ended' });
  expect(answered).toHaveLength(1);

  function by(id: number) {
    return { from: { id } } as Parameters<NonNullable<typeof feature.open>>[0];
  }
});
