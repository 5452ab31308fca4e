import { Bot } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startBot } from '../../src/bot/bot.ts';
import type { BotContext } from '../../src/bot/context.ts';
import { callWithRetry, createTelegramTransport } from '../../src/telegram/fetch.ts';
import { recordingLog } from '../support/log-lines.ts';
import { createPauses } from '../support/pauses.ts';
import { startTelegramStub, type TelegramStub, TOKEN, tooManyRequests } from '../support/telegram-stub.ts';

const webhook = { url: 'https://bot.example/telegram', secretToken: 'a-secret_Token1' };

let stub: TelegramStub;
let pauses: ReturnType<typeof createPauses>;
let lines: ReturnType<typeof recordingLog>;

beforeEach(async () => {
  stub = await startTelegramStub();
  pauses = createPauses();
  lines = recordingLog();
});

afterEach(() => stub.close());

const options = () => ({
  ...{ log: lines.log, sleep: pauses.sleep },
  webhookUse: { isForeign: async () => true, recordForeignChange: async () => {} },
});

test.each(['getMe', 'setWebhook'])(
  'starts half a minute after a long 429 of %s and logs it',
  async (method) => {
    const { client, close } = createTelegramTransport({ token: TOKEN, log: lines.log, apiRoot: stub.root });
    const bot = new Bot<BotContext>(TOKEN, { client: client.options });
    bot.api.config.use(client.call);
    stub.plan(method, tooManyRequests(900));
    const starting = startBot(bot, { webhook, ...options() });
    await pauses.end(30_000);
    await starting;
    expect(stub.callsOf('setWebhook').length + stub.callsOf('getMe').length).toBe(3);
    expect(lines.lines()).toMatchObject([{ level: 'warn', method, status: 429, ms: 30_000 }]);
    await close();
  },
);

test('tries a refused webhook again, because DNS may not know the host yet', async () => {
  const bot = new Bot<BotContext>(TOKEN, { client: { apiRoot: stub.root } });
  const description = 'Bad Request: bad webhook: Failed to resolve host';
  stub.plan('setWebhook', { error: 400, description });
  const starting = startBot(bot, { webhook, ...options() });
  await pauses.end(1_000);
  await starting;
  expect(stub.callsOf('setWebhook')).toHaveLength(2);
  expect(lines.lines()).toMatchObject([{ level: 'warn', reason: description }]);
});

test.each([
  [401, 'Unauthorized'],
  [404, 'Not Found'],
])('names BOT_TOKEN if getMe is refused with %i', async (error, description) => {
  const bot = new Bot<BotContext>(TOKEN, { client: { apiRoot: stub.root } });
  stub.plan('getMe', { error, description });
  const starting = startBot(bot, { webhook, ...options() });
  await expect(starting).rejects.toThrow(new RegExp(`^BOT_TOKEN: .*@BotFather .*${error} ${description}`));
});

test.each([
  [900, 900_000],
  [1e9, 86_400_000],
])('waits for other calls as long as a 429 of %i seconds asks, at most a day', async (seconds, ms) => {
  stub.plan('setMyCommands', tooManyRequests(seconds));
  const calling = callWithRetry(() => stub.api.setMyCommands([]), options());
  await pauses.end(ms);
  await calling;
});
