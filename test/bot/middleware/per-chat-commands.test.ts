import { expect, test, vi } from 'vitest';
import { createUsers } from '../../../src/accounts/users.ts';
import type { BotContext } from '../../../src/bot/context.ts';
import type { Feature } from '../../../src/bot/feature.ts';
import { session, transaction } from '../../../src/bot/middleware/transaction.ts';
import { trackUsers } from '../../../src/bot/middleware/users.ts';
import { perChatCommands } from '../../../src/bot/router.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { signedRecords } from '../../support/records.ts';
import { TEXTS } from '../../support/texts.ts';
import { textUpdate } from '../../support/updates.ts';
import { CHAT, standInBot } from '../stand-in-bot.ts';

const texts = TEXTS;
const help: Feature = { name: 'help', command: { name: 'help', text: 'command-help' } };
const state: Feature = { name: 'state', command: { name: 'state', text: 'command-state', admins: true } };
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
  const meeting = trackUsers({ users, onReturn: async () => {}, log });
  const bot = standInBot(
    transaction({ chats: storage.chats, prefetch: meeting.prefetch, log }),
    session({ texts, log }),
    perChatCommands({
      features,
      isAdmin: (user) => admins.has(user),
      users,
      storedUser: meeting.storedUser,
      log,
    }),
    meeting.track,
    async (ctx: BotContext) => {
      const text = ctx.message?.text;
      if (text === 'fail') throw new Error('it failed');
      const language = LANGUAGES.find((one) => one === text);
      if (language === undefined) return;
      ctx.session.language = language;
      ctx.words = texts.in(language);
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
      vi.waitFor(async () => {
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
    description: texts.in(language).plain(`command-${name}`),
  })),
  scope,
});

test('users without a chosen language get the default commands', async () => {
  const chat = openChat();
  await chat.write('hello');
  await chat.write('hello', 'ru');
  expect(chat.calls).toEqual([]);
});

test('sets the commands of an admin once, with their first message', async () => {
  const chat = openChat({ admins: new Set([CHAT]) });
  await chat.write('hello');
  await chat.noted();
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
  expect(chat.set()).toEqual([
    described('ru', 'help', 'cancel', 'state'),
    described('en', 'help', 'cancel', 'state'),
    described('ru', 'help', 'cancel', 'state'),
  ]);
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
  const chat = openChat({ admins: new Set([CHAT]) });
  await chat.write('hello');
  await chat.noted();
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
  const features = [help, { ...state, command: { name: 'state', text: 'command-state' as const } }];
  const after = openChat({ storage: before.storage, features });
  await after.write('hello');
  expect(after.set()).toEqual([described('ru', 'help', 'state', 'cancel')]);
  await vi.waitFor(async () => expect(await after.mark()).not.toBe(mark));
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
  await vi.waitFor(() => expect(chat.lines()).toMatchObject([{ level: 'info', chat: CHAT }]));
  chat.trouble('setMyCommands', 'hangs');
  await chat.write('hello');
  chat.trouble('setMyCommands', undefined);
  await chat.write('hello');
  expect(chat.set()).toHaveLength(3);
  await chat.noted();
});
