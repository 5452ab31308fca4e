import type { Api } from 'grammy';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createApi } from '../../src/telegram/fetch.ts';
import {
  type BotDescription,
  createTelegram,
  describeBot,
  setChatCommands,
  setWebhook,
  type Webhook,
} from '../../src/telegram/telegram.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog, silentLog } from '../support/log-lines.ts';
import { createPauses } from '../support/pauses.ts';
import {
  badRequest,
  refusal,
  SERVER_ERROR,
  type StubAnswer,
  startTelegramStub,
  type TelegramStub,
  TOKEN,
  tooManyRequests,
} from '../support/telegram-stub.ts';

let stub: TelegramStub;
let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;

beforeEach(async () => {
  stub = await startTelegramStub();
  pauses = createPauses();
  lines = recordingLog();
});

afterEach(() => stub.close());

const NOW = 1_000_000;

function openTelegram() {
  const now = () => NOW;
  const countReply = vi.fn();
  const bulkLimit = { acquireSoon: async () => 0, countReply, onRateLimited: async () => undefined };
  const calls = { note() {} };
  const telegram = createTelegram({
    token: TOKEN,
    apiRoot: stub.root,
    calls,
    bulkLimit,
    now,
    log: silentLog(),
  });
  return { ...telegram, countReply };
}

test('returns a 429 for messages and copies outside of updates at once', async () => {
  const { sender, copier, close } = openTelegram();
  stub.plan('*', tooManyRequests(1), 2);
  expect(await sender.send(501, { html: 'Hello' })).toMatchObject({ kind: 'later' });
  expect(await copier.copy(502, { chat: 504, message: 9 }, [])).toMatchObject({ kind: 'later' });
  expect(stub.calls).toHaveLength(2);
  await close();
});

describe('the limit of messages in bulk counts', () => {
  const EDIT = ['editMessageText', { chat_id: 501, message_id: 7, text: 'x' }] as const;

  test.each<[number, string, (api: Api, telegram: ReturnType<typeof openTelegram>) => Promise<unknown>]>([
    [1, 'a reply of the client', (api) => api.sendMessage(501, 'x')],
    [1, 'a picture of the client', (api) => api.sendPhoto(501, 'file-id')],
    [1, 'a copy of the client', (api) => api.copyMessage(501, 504, 9)],
    [0, 'an edit', (api) => api.raw[EDIT[0]](EDIT[1])],
    [0, 'a chat action', (api) => api.sendChatAction(501, 'typing')],
    [0, 'an answer to a tap', (api) => api.answerCallbackQuery('8')],
    [0, 'a copy in bulk', (_, { copier }) => copier.copy(502, { chat: 504, message: 9 }, [])],
  ])('%i replies: %s', async (count, _, call) => {
    const telegram = openTelegram();
    await call(createApi(TOKEN, telegram.client), telegram);
    expect(telegram.countReply).toHaveBeenCalledTimes(count);
    await telegram.close();
  });
});

const commands = {
  en: [{ command: 'start', description: 'Menu' }],
  ru: [{ command: 'start', description: 'Меню' }],
};
const webhook = { url: 'https://bot.example/telegram', secretToken: 'a-secret_Token1' };

const options = (signal?: AbortSignal) => ({ log: lines.log, sleep: pauses.sleep, signal });
const describeAs = (about: Partial<BotDescription>, signal?: AbortSignal) =>
  describeBot(stub.api, { commands: {}, shortDescriptions: {}, descriptions: {}, ...about }, options(signal));
const setWebhookTo = (to: Webhook, signal?: AbortSignal) => setWebhook(stub.api, to, options(signal));
const requests = () => stub.calls.map(({ method, params }) => [method, params]);

test('sets commands and descriptions for English as the default and for every other language', async () => {
  await describeAs({
    commands,
    shortDescriptions: { en: 'Rents energy', ru: 'Аренда энергии' },
    descriptions: { en: 'I rent energy', ru: 'Беру энергию' },
  });
  expect(requests()).toEqual([
    ['setMyCommands', { commands: commands.en }],
    ['setMyCommands', { commands: commands.ru, language_code: 'ru' }],
    ['setMyShortDescription', { short_description: 'Rents energy' }],
    ['setMyShortDescription', { short_description: 'Аренда энергии', language_code: 'ru' }],
    ['setMyDescription', { description: 'I rent energy' }],
    ['setMyDescription', { description: 'Беру энергию', language_code: 'ru' }],
  ]);
});

test('sets the webhook with its secret token', async () => {
  await setWebhookTo(webhook);
  const params = {
    url: webhook.url,
    secret_token: webhook.secretToken,
    allowed_updates: ['message', 'edited_message', 'callback_query', 'my_chat_member'],
    max_connections: 40,
  };
  expect(requests()).toEqual([['setWebhook', params]]);
});

test.each(['', 'with space', 'x'.repeat(257)])('rejects the secret token "%.9s"', async (secretToken) => {
  await expect(setWebhookTo({ ...webhook, secretToken })).rejects.toThrow(RangeError);
  expect(stub.calls).toEqual([]);
});

test('continues when Telegram is available again', async () => {
  stub.plan('setWebhook', 'cut');
  stub.plan('setWebhook', SERVER_ERROR);
  const settingUp = setWebhookTo(webhook);
  await pauses.end(1000);
  await pauses.end(2000);
  await settingUp;
  expect(stub.callsOf('setWebhook')).toHaveLength(3);
  expect(lines.lines()).toHaveLength(2);
});

test('does not retry a webhook that Telegram refuses', async () => {
  stub.plan('setWebhook', badRequest('bad webhook: HTTPS url must be provided'));
  await expect(setWebhookTo(webhook)).rejects.toMatchObject({ error_code: 400 });
  expect(stub.calls).toHaveLength(1);
});

test.each<[string, StubAnswer, number]>([
  ['refuses', refusal(400, 'Bad Request'), 1],
  ['fails to set', SERVER_ERROR, 4],
  ['delays by an hour', tooManyRequests(3600), 1],
])('only logs commands that Telegram %s', async (_, answer, calls) => {
  pauses.skip(() => true);
  stub.plan('setMyCommands', answer, 9);
  await describeAs({ commands });
  expect(stub.callsOf('setMyCommands')).toHaveLength(calls);
  expect(lines.lines().at(-1)).toMatchObject({ level: 'warn', err: { name: 'GrammyError' } });
});

describe('the commands of one chat', () => {
  const list = commands.ru;
  const scope = { type: 'chat', chat_id: 504 };

  test('are set for every language, and removed', async () => {
    await setChatCommands(stub.api, { chat: 504, commands: list }, options());
    await setChatCommands(stub.api, { chat: 504, commands: undefined }, options());
    expect(requests()).toEqual([
      ['setMyCommands', { commands: list, scope }],
      ['deleteMyCommands', { scope }],
    ]);
    expect(lines.lines()).toEqual([]);
  });

  test('are logged and not retried if Telegram refuses them', async () => {
    stub.plan('setMyCommands', badRequest('chat not found'));
    expect(await setChatCommands(stub.api, { chat: 504, commands: list }, options())).toBe(true);
    expect(stub.calls).toHaveLength(1);
    expect(lines.lines()).toMatchObject([{ level: 'info', chat: 504 }]);
  });

  test('are retried for ten seconds while Telegram is unavailable', async () => {
    pauses.skip(() => true);
    stub.plan('setMyCommands', 'cut');
    expect(await setChatCommands(stub.api, { chat: 504, commands: list }, options())).toBe(true);
    expect(stub.callsOf('setMyCommands')).toHaveLength(2);
    stub.plan('deleteMyCommands', SERVER_ERROR, 9);
    expect(await setChatCommands(stub.api, { chat: 504, commands: undefined }, options())).toBe(false);
    expect(stub.callsOf('deleteMyCommands')).toHaveLength(4);
  });
});

test('stops setting the webhook when aborted', async () => {
  stub.plan('setWebhook', 'cut', 9);
  const giveUp = new AbortController();
  const settingUp = setWebhookTo(webhook, giveUp.signal);
  await pauses.end(1000);
  giveUp.abort();
  await expect(settingUp).rejects.toThrow();
  expect(stub.calls.at(-1)?.method).toBe('setWebhook');
});

test.each<[string, StubAnswer]>([
  ['waits for a retry', 'cut'],
  ['waits for a response', 'silence'],
])('stops setting commands silently when aborted while it %s', async (_, answer) => {
  stub.plan('setMyCommands', answer, 9);
  const giveUp = new AbortController();
  const describing = describeAs({ commands }, giveUp.signal);
  await eventually(() => expect(stub.calls).toHaveLength(1));
  if (answer === 'cut') await eventually(() => expect(pauses.lasting()).toBe(1));
  const warned = lines.lines().length;
  giveUp.abort();
  await describing;
  expect(stub.calls).toHaveLength(1);
  expect(lines.lines()).toHaveLength(warned);
});
