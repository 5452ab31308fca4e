import { GrammyError, HttpError } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createUsers } from '../../src/accounts/users.ts';
import type { BotContext } from '../../src/bot/context.ts';
import type { BotDeps, Feature } from '../../src/bot/feature.ts';
import {
  answerTaps,
  createFloodReplies,
  createUserMiddleware,
  floodGuard,
  privateOnly,
} from '../../src/bot/middleware.ts';
import { session, transaction } from '../../src/bot/receive.ts';
import { show } from '../../src/bot/reply.ts';
import { LANGUAGES, type Language } from '../../src/i18n/texts.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog, silentLog } from '../support/log-lines.ts';
import { NO_OPERATOR } from '../support/no-operator.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, groupUpdate, standInBot, tapUpdate } from './stand-in-bot.ts';

describe('the flood guard', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openBot() {
    const handled = vi.fn();
    const drop = vi.fn();
    return { ...standInBot(floodGuard(drop), handled), handled, drop };
  }

  async function send(bot: ReturnType<typeof openBot>, count: number, chat = CHAT): Promise<void> {
    for (let id = 0; id < count; id++) await bot.handle(textUpdate(id, chat));
  }

  test('handles forty updates in five seconds and drops the others', async () => {
    const bot = openBot();
    await send(bot, 40);
    expect([bot.handled.mock.calls.length, bot.drop.mock.calls]).toEqual([40, []]);
    await send(bot, 60);
    expect([bot.handled.mock.calls.length, bot.drop.mock.calls.length]).toEqual([40, 60]);
    expect(bot.drop).toHaveBeenLastCalledWith(textUpdate(59, CHAT));
  });

  test('does not limit other chats, nor the same chat five seconds later', async () => {
    const bot = openBot();
    await send(bot, 50);
    await send(bot, 1, CHAT + 1);
    expect(bot.handled).toHaveBeenCalledTimes(41);
    await vi.advanceTimersByTimeAsync(5_000);
    await send(bot, 1);
    expect(bot.handled).toHaveBeenCalledTimes(42);
  });
});

describe('the replies to a flood', () => {
  const KEY = 'demo-key-0123456789abcdefghij';
  const FLOOD = TEXTS.in('en').plain('busy-flood');

  let clock: { ms: number };

  beforeEach(() => {
    clock = { ms: 0 };
  });

  function open() {
    const standIn = standInBot();
    const drop = createFloodReplies(standIn.bot.api, { texts: TEXTS, log: silentLog(), now: () => clock.ms });
    const methods = () => standIn.calls.map(({ method }) => method);
    return { ...standIn, drop, methods };
  }

  test('answers each tap of a flood with a text', async () => {
    const { drop, calls } = open();
    for (let id = 1; id <= 33; id++) drop(tapUpdate(id, 'account:open'));
    await eventually(() => expect(calls).toHaveLength(33));
    const payload = { callback_query_id: '33', text: FLOOD };
    expect(calls.at(-1)).toEqual({ method: 'answerCallbackQuery', payload });
  });

  test('replies to a flood of messages once in five seconds per chat', async () => {
    const { drop, said } = open();
    for (let id = 1; id <= 100; id++) drop(textUpdate(id, CHAT));
    drop(textUpdate(101, CHAT + 1));
    await eventually(() => expect(said()).toEqual([FLOOD, FLOOD]));
    clock.ms = 4_999;
    drop(textUpdate(102, CHAT));
    clock.ms = 5_000;
    drop(textUpdate(103, CHAT));
    await eventually(() => expect(said()).toHaveLength(3));
  });

  test('replies in the language of the user’s Telegram app', async () => {
    const { drop, said } = open();
    const update = textUpdate(1, CHAT);
    if (update.message?.from) update.message.from.language_code = 'ru';
    drop(update);
    await eventually(() => expect(said()).toEqual([TEXTS.in('ru').plain('busy-flood')]));
  });

  test('deletes every message of a flood that looks like a key before other calls', async () => {
    const { drop, methods } = open();
    for (let id = 1; id <= 60; id++) drop(tapUpdate(id, 'account:open'));
    for (let id = 61; id <= 65; id++) drop(textUpdate(id, CHAT, `my key: ${KEY}`));
    await eventually(() => expect(methods()).toHaveLength(66));
    expect(methods().slice(10, 15)).toEqual(Array(5).fill('deleteMessage'));
  });

  test('asks the user to delete a key that could not be deleted', async () => {
    const { drop, said, trouble } = open();
    trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
    drop(textUpdate(1, CHAT, KEY));
    await eventually(() => expect(said()).toContain(TEXTS.in('en').html('secret-unasked-stays')));
  });

  test.each<[string, (id: number) => Update]>([
    ['taps', (id) => tapUpdate(id, 'account:open')],
    ['keys', (id) => textUpdate(id, CHAT, KEY)],
  ])('handles a flood of %s with at most ten concurrent calls and drops the excess', async (_, update) => {
    const { drop, bot } = open();
    const ends: (() => void)[] = [];
    bot.api.config.use(async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return { ok: true, result: JSON.parse('true') };
    });
    for (let id = 1; id <= 3_000; id++) drop(update(id));
    await eventually(() => expect(ends).toHaveLength(10));
    for (let ended = 0; ended < ends.length; ended++) {
      ends[ended]?.();
      await new Promise(setImmediate);
    }
    expect(ends).toHaveLength(1_010);
  });

  test('a failed call does not delay the others', async () => {
    const { drop, methods, trouble } = open();
    trouble('answerCallbackQuery', { code: 429, description: 'Too Many Requests' });
    for (let id = 1; id <= 30; id++) drop(tapUpdate(id, 'account:open'));
    drop(textUpdate(31, CHAT));
    await eventually(() => expect(methods().at(-1)).toBe('sendMessage'));
  });

  test('sends no message to a group', async () => {
    const { drop, methods } = open();
    drop(groupUpdate(1, KEY));
    drop(tapUpdate(2, 'account:open'));
    await eventually(() => expect(methods()).toEqual(['answerCallbackQuery']));
  });
});

describe('outside of private chats, the bot', () => {
  const OPERATOR_KEY = 'operator-key';

  function openBot() {
    const handled = vi.fn();
    const operatorKeySent = vi.fn();
    const operator = { ...NO_OPERATOR, isKey: (key: string) => key === OPERATOR_KEY };
    const deps = { texts: TEXTS, operator, adminAlerts: { operatorKeySent }, log: silentLog() };
    return { ...standInBot(privateOnly(deps), handled), handled, operatorKeySent };
  }

  /** Creates an update of a group with this message, new or edited. */
  function groupMessage(message: Partial<Message>, kind: 'message' | 'edited_message' = 'message'): Update {
    const update = groupUpdate(1, '');
    const { text: _, ...rest } = update.message ?? {};
    return { update_id: 1, [kind]: { ...rest, ...message } };
  }

  test('passes updates of a private chat on', async () => {
    const bot = openBot();
    await bot.handle(textUpdate(1, CHAT));
    await bot.handle(tapUpdate(2, 'menu'));
    expect(bot.handled).toHaveBeenCalledTimes(2);
    expect(bot.calls).toEqual([]);
  });

  test('replies to a group command for this bot with a link, in the sender’s language', async () => {
    const bot = openBot();
    await bot.handle(groupUpdate(1, '/start'));
    await bot.handle(groupUpdate(2, '/buy@Rental_Demo_Bot', 'ru'));
    await bot.handle(groupUpdate(3, '/start@another_bot'));
    await bot.handle(groupMessage({ caption: '/buy', photo: [] }));
    expect(bot.handled).not.toHaveBeenCalled();
    const english = expect.stringContaining('private chat');
    expect(bot.said()).toEqual([english, expect.stringMatching(/[а-я]/), english]);
    expect(JSON.stringify(bot.calls[0]?.payload)).toContain('https://t.me/rental_demo_bot?start=group');
  });

  test('in a group ignores other messages and only acknowledges taps', async () => {
    const bot = openBot();
    await bot.handle(groupUpdate(1, 'hello'));
    const tap = tapUpdate(2, 'confirm:ABCD1234');
    Object.assign(tap.callback_query ?? {}, { message: groupUpdate(1, '').message });
    await bot.handle(tap);
    expect(bot.handled.mock.calls).toEqual([]);
    expect(bot.calls.map(({ method }) => method)).toEqual(['answerCallbackQuery']);
  });

  const KEY = 'aB3dE5gH7jK9mN1pQ3sT5vW7';
  const FORBIDDEN = { code: 403, description: 'Forbidden' };
  const ME = { id: 700, is_bot: true, first_name: 'Energy Rental' };
  const chat = { id: -1001, type: 'supergroup' as const, title: 'Demo group' };
  const replyTo = (more: object = {}) =>
    ({ message_id: 1, date: 0, chat, from: ME, text: 'hi', reply_to_message: undefined, ...more }) as const;

  const ADDRESSED: [string, (secret: string) => Partial<Message>][] = [
    ['behind a command', (secret) => ({ text: `/link ${secret}` })],
    ['behind a command with the bot’s name', (secret) => ({ text: `/code@Rental_Demo_Bot ${secret}` })],
    ['behind the bot’s name', (secret) => ({ text: `@rental_demo_bot ${secret}` })],
    [
      'before the bot’s name in a caption',
      (secret) => ({ caption: `${secret} @rental_demo_bot`, photo: [] }),
    ],
    [
      'with a link to the bot',
      (secret) => ({ text: secret, entities: [{ type: 'text_mention', offset: 0, length: 2, user: ME }] }),
    ],
    ['in a reply to the bot', (secret) => ({ text: secret, reply_to_message: replyTo() })],
  ];

  test.each(
    ADDRESSED.flatMap(([where, message]) =>
      (['message', 'edited_message'] as const).map((kind) => [where, kind, message] as const),
    ),
  )('deletes a secret %s in a group (%s) and warns its author in private', async (where, kind, message) => {
    for (const secret of [KEY, OPERATOR_KEY, ...(/before|link/.test(where) ? [] : ['123 456'])]) {
      const bot = openBot();
      await bot.handle(groupMessage(message(secret), kind));
      expect(bot.handled).not.toHaveBeenCalled();
      expect(bot.calls.map(({ method, payload }) => [method, payload.chat_id])).toEqual([
        ['deleteMessage', -1001],
        ['sendMessage', CHAT],
      ]);
      expect(bot.said()[0]).toContain(secret === '123 456' ? '2FA code' : 'Replace it at the service');
      expect(bot.said()[0]).toContain('I deleted it');
      expect(bot.said()[0]).not.toContain(secret);
    }
  });

  const NOT_ADDRESSED: [string, (text: string) => Partial<Message>][] = [
    ['alone', (text) => ({ text })],
    ['in a caption', (caption) => ({ caption, photo: [] })],
    ['behind a command for another bot', (text) => ({ text: `/link@another_bot ${text}` })],
    ['behind a similar name', (text) => ({ text: `@rental_demo_bot2 ${text}` })],
    [
      'in a reply to another user',
      (text) => ({ text, reply_to_message: replyTo({ from: { ...ME, id: 1 } }) }),
    ],
    [
      'in a topic that the bot created',
      (text) => ({ text, reply_to_message: replyTo({ forum_topic_created: { name: 'Topic' } }) }),
    ],
  ];

  test.each(NOT_ADDRESSED)('neither deletes nor answers any word %s in a group', async (_, message) => {
    for (const word of [KEY, '123 456', '@a_username_of_24_letters1', `file_${KEY}.pdf`, OPERATOR_KEY]) {
      const bot = openBot();
      await bot.handle(groupMessage(message(word)));
      await bot.handle(groupMessage(message(word), 'edited_message'));
      expect(bot.calls).toEqual([]);
    }
  });

  test('notifies the admins of the operator’s key in any message of a group', async () => {
    const bot = openBot();
    await bot.handle(groupUpdate(1, `this is ${OPERATOR_KEY}.`));
    expect(bot.operatorKeySent.mock.calls).toEqual([[CHAT]]);
    await bot.handle(groupUpdate(2, KEY));
    expect(bot.operatorKeySent).toHaveBeenCalledOnce();
  });

  test('asks the sender to delete it if the bot cannot; falls back to the group', async () => {
    const bot = openBot();
    bot.trouble('deleteMessage', FORBIDDEN);
    await bot.handle(groupUpdate(1, `/link ${KEY}`));
    expect(bot.said().at(-1)).toContain('delete it yourself');
    bot.trouble('sendMessage', FORBIDDEN);
    await bot.handle(groupUpdate(2, `/link ${KEY}`, 'ru'));
    const told = bot.calls.filter(({ method }) => method === 'sendMessage').at(-1);
    expect(told?.payload.chat_id).toBe(-1001);
  });

  test('says that a key in a group was deleted if the result of deleteMessage is null', async () => {
    const bot = openBot();
    bot.trouble('deleteMessage', { result: null });
    await bot.handle(groupUpdate(1, `/link ${KEY}`));
    expect(bot.said().at(-1)).toContain('I deleted it');
  });

  test.each([
    '/start 12',
    `/start invoice-${KEY}`,
    '@rental_demo_bot hello 123456 everybody',
    '/buy TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ])('does not delete an addressed message such as %j', async (text) => {
    const bot = openBot();
    await bot.handle(groupUpdate(1, text));
    expect(bot.calls.some(({ method }) => method === 'deleteMessage')).toBe(false);
  });
});

describe('the answer to a tap', () => {
  /** Opens a bot that shows `toast` for each tap. The first call of `answerCallbackQuery` throws `error`. */
  function openBot(toast: string | undefined, error: Error) {
    const log = silentLog();
    const { chats } = createMemoryStorage();
    const bot = standInBot(transaction({ chats, log }), answerTaps({ log }), (ctx) => {
      if (toast !== undefined) ctx.toast = toast;
    });
    let tries = 0;
    bot.bot.api.config.use((call, method, payload, signal) => {
      if (method === 'answerCallbackQuery' && ++tries === 1) throw error;
      return call(method, payload, signal);
    });
    const said = () =>
      bot.calls.filter(({ method }) => method === 'answerCallbackQuery').map(({ payload }) => payload.text);
    return { ...bot, said, tries: () => tries };
  }

  const LOST = new HttpError('no answer', new Error('ECONNRESET'));
  const OLD = new GrammyError(
    'no',
    { ok: false, error_code: 400, description: 'Bad Request: query is too old' },
    'answerCallbackQuery',
    {},
  );

  test('repeats a toast whose request failed', async () => {
    const { handle, said } = openBot('Already on its way.', LOST);
    await handle(tapUpdate(1, 'operation:confirm:ABCD1234'));
    await eventually(() => expect(said()).toEqual(['Already on its way.']));
  });

  test('starts while the view is still being shown', async () => {
    const log = silentLog();
    const { chats } = createMemoryStorage();
    const updateTimeouts = { leaseMs: 2_000, handlerMs: 200 };
    const menu = (ctx: BotContext) => show(ctx, { html: 'Menu', keyboard: [] });
    const bot = standInBot(transaction({ chats, log, updateTimeouts }), answerTaps({ log }), menu);
    bot.trouble('editMessageText', 'hangs');
    const tap = tapUpdate(1, 'menu:open');
    const markup = { inline_keyboard: [[{ text: 'Menu', callback_data: 'menu:open' }]] };
    Object.assign(tap.callback_query?.message ?? {}, { reply_markup: markup });
    await expect(bot.handle(tap)).rejects.toThrow();
    expect(bot.calls.map(({ method }) => method)).toEqual(['editMessageText', 'answerCallbackQuery']);
  });

  test('delays neither the tap nor the next one while it hangs', async () => {
    const log = silentLog();
    const { chats } = createMemoryStorage();
    const handled = vi.fn();
    const bot = standInBot(transaction({ chats, log }), answerTaps({ log }), handled);
    bot.trouble('answerCallbackQuery', 'hangs');
    await bot.handle(tapUpdate(1, 'menu:open'));
    await bot.handle(tapUpdate(2, 'menu:open'));
    expect(handled).toHaveBeenCalledTimes(2);
  });

  test('leaves connections to messages while answers hang', async () => {
    const log = silentLog();
    const { chats } = createMemoryStorage();
    const bot = standInBot(transaction({ chats, log }), answerTaps({ log }));
    const fail: ((error: Error) => void)[] = [];
    bot.bot.api.config.use(() => new Promise((_, reject) => fail.push(reject)));
    for (let id = 1; id <= 40; id++) await bot.handle(tapUpdate(id, 'menu:open'));
    expect(fail).toHaveLength(25);
    fail[0]?.(LOST);
    await eventually(() => expect(fail).toHaveLength(26));
  });

  test('does not repeat an answer without a toast', async () => {
    const { handle, tries } = openBot(undefined, LOST);
    await handle(tapUpdate(1, 'menu:open'));
    await handle(tapUpdate(2, 'menu:open'));
    expect(tries()).toBe(2);
  });

  test('ignores the error for a tap that is too old, without a retry', async () => {
    const { handle, tries } = openBot('Already on its way.', OLD);
    await handle(tapUpdate(1, 'operation:confirm:ABCD1234'));
    await handle(tapUpdate(2, 'operation:confirm:ABCD1234'));
    expect(tries()).toBe(2);
  });
});

describe('the list of commands', () => {
  const help: Feature = { name: 'help', command: { name: 'help', text: 'command-help', inMenu: true } };
  const state: Feature = {
    name: 'state',
    command: { name: 'state', text: 'command-state', inMenu: true, admins: true },
  };
  const scope = { type: 'chat', chat_id: CHAT };

  /** Opens a chat. The texts `en` and `ru` choose a language, `fail` makes the update fail. */
  function openChat({
    admins = new Set<number>(),
    features = [help, state],
    storage = createMemoryStorage(),
  } = {}) {
    const recording = recordingLog({ secrets: [] });
    const { log } = recording;
    const users = createUsers({ storage, records: signedRecords(storage), now: () => 0 });
    const deps = { users, features: () => features, isAdmin: (user: number) => admins.has(user), log };
    const middleware = createUserMiddleware(deps as unknown as BotDeps);
    const bot = standInBot(
      transaction({ chats: storage.chats, log }, middleware.prefetch),
      session({ texts: TEXTS, log }),
      middleware.setCommands,
      middleware.track,
      async (ctx: BotContext) => {
        const text = ctx.message?.text;
        if (text === 'fail') throw new Error('it failed');
        const language = LANGUAGES.find((one) => one === text);
        if (language === undefined) return;
        ctx.session.language = language;
        ctx.words = TEXTS.in(language);
      },
    );
    const of = (method: string) =>
      bot.calls.filter((call) => call.method === method).map(({ payload }) => payload);
    return {
      ...bot,
      lines: recording.lines,
      admins,
      storage,
      write: (text: string, from: Language = 'en') => {
        const update = textUpdate(++updates, CHAT, text);
        if (update.message?.from) update.message.from.language_code = from;
        return bot.handle(update);
      },
      /** Waits until the user record says that the chat has its own command list, or the default one for `none`. */
      noted: (which: 'own' | 'none' = 'own') =>
        eventually(async () => {
          const { listedCommands: commands } = (await users.find(CHAT)) ?? {};
          expect(commands === undefined ? 'none' : 'own').toBe(which);
        }),
      mark: async () => (await users.find(CHAT))?.listedCommands,
      set: () => of('setMyCommands'),
      removed: () => of('deleteMyCommands'),
    };
  }

  let updates = 0;

  const described = (language: Language, ...names: ('help' | 'cancel' | 'state')[]) => ({
    commands: names.map((name) => ({
      command: name,
      description: TEXTS.in(language).plain(`command-${name}`),
    })),
    scope,
  });

  /** Opens the chat of an admin whose commands have been set. */
  async function openAdminChat() {
    const chat = openChat({ admins: new Set([CHAT]) });
    await chat.write('hello');
    await chat.noted();
    return chat;
  }

  test('sets the commands of an admin once, with their first message', async () => {
    const chat = await openAdminChat();
    expect(chat.set()).toEqual([described('en', 'help', 'cancel', 'state')]);
    await chat.write('hello');
    expect(chat.calls).toHaveLength(1);
  });

  test('sets the commands of an admin in the language of the bot', async () => {
    const chat = openChat({ admins: new Set([CHAT]) });
    await chat.write('hello', 'ru');
    await chat.noted();
    await chat.write('hello', 'en');
    await chat.write('ru', 'en');
    const languages = ['ru', 'en', 'ru'] as const;
    expect(chat.set()).toEqual(languages.map((one) => described(one, 'help', 'cancel', 'state')));
  });

  test('sets commands in the chosen language, whatever the Telegram language is', async () => {
    const chat = openChat();
    await chat.write('ru');
    await chat.noted();
    await chat.write('hello', 'en');
    expect(chat.set()).toEqual([described('ru', 'help', 'cancel')]);
    await chat.write('en', 'ru');
    expect(chat.set().slice(1)).toEqual([described('en', 'help', 'cancel')]);
  });

  test('removes admin commands with the next message of a former admin', async () => {
    const chat = await openAdminChat();
    chat.admins.clear();
    await chat.write('hello');
    expect(chat.removed()).toEqual([{ scope }]);
    await chat.noted('none');
    await chat.write('hello');
    expect(chat.calls).toHaveLength(2);
  });

  test('a former admin with a chosen language keeps the other commands in it', async () => {
    const chat = openChat({ admins: new Set([CHAT]) });
    await chat.write('ru');
    await chat.noted();
    chat.admins.clear();
    await chat.write('hello');
    expect(chat.set().slice(1)).toEqual([described('ru', 'help', 'cancel')]);
    expect(chat.removed()).toEqual([]);
  });

  test('sets the commands again only if a new version has other commands', async () => {
    const before = openChat();
    await before.write('ru');
    await before.noted();
    const mark = await before.mark();
    const features = [
      help,
      { ...state, command: { name: 'state', text: 'command-state', inMenu: true } as const },
    ];
    const after = openChat({ storage: before.storage, features });
    await after.write('hello');
    expect(after.set()).toEqual([described('ru', 'help', 'state', 'cancel')]);
    await eventually(async () => expect(await after.mark()).not.toBe(mark));
    const same = openChat({ storage: before.storage, features });
    await same.write('hello');
    expect(same.calls).toEqual([]);
  });

  test('a failed update sets no commands, the next one does', async () => {
    const chat = openChat({ admins: new Set([CHAT]) });
    await expect(chat.write('fail')).rejects.toThrow();
    expect(chat.calls).toEqual([]);
    await chat.write('hello');
    expect(chat.set()).toHaveLength(1);
  });

  test('sets no commands when the user blocks the bot', async () => {
    const chat = openChat({ admins: new Set([CHAT]) });
    const from = { id: CHAT, is_bot: false, first_name: 'Somebody' };
    const user = { ...from, is_bot: true };
    await chat.handle({
      update_id: ++updates,
      my_chat_member: {
        ...{ chat: { id: CHAT, type: 'private', first_name: 'Somebody' }, from, date: 1 },
        old_chat_member: { status: 'member', user },
        new_chat_member: { status: 'kicked', user, until_date: 0 },
      },
    });
    expect(chat.calls).toEqual([]);
  });

  test('a rejection by Telegram is logged and not retried', async () => {
    const chat = openChat({ admins: new Set([CHAT]) });
    chat.trouble('setMyCommands', { code: 400, description: 'Bad Request: chat not found' });
    await chat.write('hello');
    await chat.noted();
    expect(chat.lines()).toMatchObject([{ level: 'info', chat: CHAT }]);
    await chat.write('hello');
    expect(chat.set()).toHaveLength(1);
  });

  test('a 429 or a hanging request blocks nothing and is retried with the next update', async () => {
    const chat = openChat({ admins: new Set([CHAT]) });
    chat.trouble('setMyCommands', { code: 429, description: 'Too Many Requests', retryAfter: 3600 });
    await chat.write('hello');
    await eventually(() => expect(chat.lines()).toMatchObject([{ level: 'info', chat: CHAT }]));
    chat.trouble('setMyCommands', 'hangs');
    await chat.write('hello');
    chat.trouble('setMyCommands', undefined);
    await chat.write('hello');
    expect(chat.set()).toHaveLength(3);
    await chat.noted();
  });
});
