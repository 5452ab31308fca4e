import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type BotDescription,
  describeBot,
  setChatCommands,
  setWebhook,
  type Webhook,
} from '../../src/telegram/telegram.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPauses } from '../support/pauses.ts';
import { type StubAnswer, startTelegramStub, type TelegramStub } from '../support/telegram-stub.ts';

let stub: TelegramStub;
let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;

beforeEach(async () => {
  stub = await startTelegramStub();
  pauses = createPauses();
  lines = recordingLog();
});

afterEach(() => stub.close());

const commands = {
  en: [{ command: 'start', description: 'Menu' }],
  ru: [{ command: 'start', description: 'Меню' }],
};
const webhook = { url: 'https://bot.example/telegram', secretToken: 'a-secret_Token1' };

const calling = (signal?: AbortSignal) => ({ log: lines.log, sleep: pauses.sleep, signal });
const describeAs = (about: Partial<BotDescription>, signal?: AbortSignal) =>
  describeBot(stub.api, { commands, ...about }, calling(signal));
const setWebhookTo = (to: Webhook, signal?: AbortSignal) => setWebhook(stub.api, to, calling(signal));

function told() {
  return stub.calls.map(({ method, params }) => [method, params]);
}

test('sets the commands for the default language and every other one', async () => {
  await describeAs({});
  expect(told()).toEqual([
    ['setMyCommands', { commands: commands.en }],
    ['setMyCommands', { commands: commands.ru, language_code: 'ru' }],
  ]);
});

test('sets the short description per language', async () => {
  await describeAs({
    commands: {},
    shortDescriptions: { en: 'Rents energy', ru: 'Аренда энергии' },
    defaultLanguage: 'ru',
  });
  expect(told()).toEqual([
    ['setMyShortDescription', { short_description: 'Rents energy', language_code: 'en' }],
    ['setMyShortDescription', { short_description: 'Аренда энергии' }],
  ]);
});

test('sets the description of the empty chat per language', async () => {
  await describeAs({ commands: {}, descriptions: { en: 'I rent energy', ru: 'Беру энергию' } });
  expect(told()).toEqual([
    ['setMyDescription', { description: 'I rent energy' }],
    ['setMyDescription', { description: 'Беру энергию', language_code: 'ru' }],
  ]);
});

test('sets the webhook with its secret token', async () => {
  await setWebhookTo(webhook);
  expect(told()).toEqual([
    [
      'setWebhook',
      {
        url: webhook.url,
        secret_token: webhook.secretToken,
        allowed_updates: ['message', 'edited_message', 'callback_query', 'my_chat_member'],
        max_connections: 40,
      },
    ],
  ]);
});

test.each(['', 'with space', 'x'.repeat(257)])('rejects the secret token "%.9s"', async (secretToken) => {
  await expect(setWebhookTo({ ...webhook, secretToken })).rejects.toThrow(RangeError);
  expect(stub.calls).toEqual([]);
});

test('continues when Telegram is available again', async () => {
  stub.plan('setWebhook', 'cut');
  stub.plan('setWebhook', { error: 500, description: 'Internal Server Error' });
  const settingUp = setWebhookTo(webhook);
  await pauses.end(1000);
  await pauses.end(2000);
  await settingUp;
  expect(stub.callsOf('setWebhook')).toHaveLength(3);
  expect(lines.lines()).toHaveLength(2);
});

test('does not retry a webhook that Telegram refuses', async () => {
  stub.plan('setWebhook', {
    error: 400,
    description: 'Bad Request: bad webhook: HTTPS url must be provided',
  });
  await expect(setWebhookTo(webhook)).rejects.toMatchObject({ error_code: 400 });
  expect(stub.calls).toHaveLength(1);
});

test.each<[string, StubAnswer, number]>([
  ['refuses', { error: 400, description: 'Bad Request' }, 1],
  ['fails to set', { error: 500, description: 'Internal Server Error' }, 4],
  [
    'delays by an hour',
    { error: 429, description: 'Too Many Requests', parameters: { retry_after: 3600 } },
    1,
  ],
])('only logs commands that Telegram %s', async (_, answer, calls) => {
  pauses.skip(() => true);
  stub.plan('setMyCommands', answer, 9);
  await describeAs({});
  expect(stub.callsOf('setMyCommands')).toHaveLength(calls);
  expect(lines.lines().at(-1)).toMatchObject({ level: 'warn', err: { name: 'GrammyError' } });
});

describe('the commands of one chat', () => {
  const list = commands.ru;
  const scope = { type: 'chat', chat_id: 504 };

  test('are set for every language, and removed', async () => {
    await setChatCommands(stub.api, { chat: 504, commands: list }, calling());
    await setChatCommands(stub.api, { chat: 504, commands: undefined }, calling());
    expect(told()).toEqual([
      ['setMyCommands', { commands: list, scope }],
      ['deleteMyCommands', { scope }],
    ]);
    expect(lines.lines()).toEqual([]);
  });

  test('are logged and not retried if Telegram refuses them', async () => {
    stub.plan('setMyCommands', { error: 400, description: 'Bad Request: chat not found' });
    expect(await setChatCommands(stub.api, { chat: 504, commands: list }, calling())).toBe(true);
    expect(stub.calls).toHaveLength(1);
    expect(lines.lines()).toMatchObject([{ level: 'info', chat: 504 }]);
  });

  test('are retried for ten seconds while Telegram is unavailable', async () => {
    pauses.skip(() => true);
    stub.plan('setMyCommands', 'cut');
    expect(await setChatCommands(stub.api, { chat: 504, commands: list }, calling())).toBe(true);
    expect(stub.callsOf('setMyCommands')).toHaveLength(2);
    stub.plan('deleteMyCommands', { error: 500, description: 'Internal Server Error' }, 9);
    expect(await setChatCommands(stub.api, { chat: 504, commands: undefined }, calling())).toBe(false);
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
  const describing = describeAs({}, giveUp.signal);
  await eventually(() => expect(stub.calls).toHaveLength(1));
  if (answer === 'cut') await eventually(() => expect(pauses.lasting()).toBe(1));
  const warned = lines.lines().length;
  giveUp.abort();
  await describing;
  expect(stub.calls).toHaveLength(1);
  expect(lines.lines()).toHaveLength(warned);
});
