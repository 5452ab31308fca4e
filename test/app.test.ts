import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, createApp } from '../src/app.ts';
import type { AppOptions } from '../src/composition.ts';
import type { Config } from '../src/config.ts';
import { createMemoryStorage } from '../src/platform/memory-storage.ts';
import { createWebhookUse } from '../src/telegram/webhook-use.ts';
import { requestApp } from './support/app-request.ts';
import { eventually } from './support/eventually.ts';
import { recordingLog } from './support/log-lines.ts';
import { signedRecords } from './support/records.ts';
import { redisUrl } from './support/redis.ts';
import { readKeys } from './support/stored-data.ts';
import { startTelegramStub, type TelegramStub, TOKEN } from './support/telegram-stub.ts';
import { textUpdate } from './support/updates.ts';

let telegram: TelegramStub;
let app: App | undefined;

beforeEach(async () => {
  telegram = await startTelegramStub();
});

afterEach(async () => {
  await app?.stop();
  app = undefined;
  await telegram.close();
});

function open(more: Partial<Config> = {}, options: AppOptions = {}) {
  const recording = recordingLog({ secrets: [TOKEN] });
  const config: Config = {
    botToken: TOKEN,
    rentalApiUrl: 'http://127.0.0.1:1/api',
    secretKeys: [],
    adminIds: new Set(),
    port: 0,
    host: '127.0.0.1',
    metricsHost: '127.0.0.1',
    telegramApiRoot: telegram.root,
    explorerUrl: 'https://explorer.example/{kind}/{id}',
    signatureHeader: 'X-Webhook-Signature',
    withdrawCapTrx: '1000',
    logLevel: 'debug',
    ...more,
  };
  app = createApp(config, { log: recording.log, ...options });
  return { app, ...recording };
}

const status = async (path: string) => (await app?.fetch(new Request(`http://127.0.0.1${path}`)))?.status;

const START = textUpdate(1, 502, '/start');
const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

const post = (path: string, headers: Record<string, string> = {}) =>
  app &&
  requestApp(
    app,
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      body: JSON.stringify(START),
      headers: { 'content-type': 'application/json', ...headers },
    }),
  );

/** Has Telegram deliver a command, and waits for the reply. */
async function getsReply() {
  telegram.push(START);
  await eventually(() => expect(telegram.callsOf('sendMessage')).toHaveLength(1));
}

test('is live but not ready, and does not call Telegram, before it is started', async () => {
  open();
  expect(await status('/livez')).toBe(200);
  expect(await status('/readyz')).toBe(503);
  expect(telegram.calls).toEqual([]);
});

describe('without a public address', () => {
  test('polls for updates and replies to them', async () => {
    const { app } = open();
    await app.start();
    await getsReply();
    expect(telegram.callsOf('sendMessage')[0]?.params).toMatchObject({ chat_id: 502 });
    expect(await status('/readyz')).toBe(200);
    expect(telegram.callsOf('setWebhook')).toEqual([]);
  });

  test('responds with 404 to posted updates and events', async () => {
    const { app } = open();
    await app.start();
    expect((await post('/updates/telegram'))?.status).toBe(404);
    expect((await post('/events/hook'))?.status).toBe(404);
  });

  test('logs at start and stop what runs and how', async () => {
    const { app, lines } = open();
    await app.start();
    await app.stop('SIGTERM');
    const named = Object.fromEntries(lines().map((line) => [line.msg, line]));
    expect(named.starting).toMatchObject({
      ...{ version: expect.stringMatching(/^\d/), node: process.version },
      replica: expect.stringContaining(`/${process.pid}-`),
    });
    const runs = { mode: 'polling', storage: 'memory', payments: 'open' };
    expect(named['the bot takes updates']).toMatchObject({ level: 'info', ...runs });
    expect(lines().slice(-2)).toMatchObject([{ signal: 'SIGTERM' }, { level: 'info', msg: 'stopped' }]);
  });

  test('says at the start that it waits for replicas with a webhook', async () => {
    const storage = createMemoryStorage({ now: Date.now });
    const webhook = 'https://bot.example/updates/telegram';
    await createWebhookUse({ records: signedRecords(storage) }).begin(webhook);
    telegram.plan('getWebhookInfo', { result: { url: webhook, pending_update_count: 0 } }, 1_000);
    const { app, lines } = open({}, { storage });
    await app.start();
    const messages = lines().map(({ msg }) => msg);
    expect(messages).toContain('this process waits: replicas on the same Redis use a webhook');
    expect(messages).not.toContain('the bot takes updates');
  });

  test('warns that REDIS_URL is not set', async () => {
    const { app, lines } = open();
    await app.start();
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: expect.stringContaining('REDIS_URL is not set') }),
    );
  });
});

describe('with a public address', () => {
  test('sets a webhook with a secret and rejects updates without it', async () => {
    const { app } = open({ publicUrl: 'https://bot.example' });
    await app.start();
    const { params } = telegram.callsOf('setWebhook')[0] ?? {};
    expect(params).toMatchObject({ url: 'https://bot.example/updates/telegram' });
    const secret = String(params?.secret_token);
    expect(secret).toMatch(/^[A-Za-z0-9_-]{32,256}$/);
    expect(TOKEN).not.toContain(secret);

    for (const wrong of [undefined, { [SECRET_HEADER]: 'wrong' }])
      expect((await post('/updates/telegram', wrong))?.status).not.toBe(200);
    expect(telegram.callsOf('sendMessage')).toEqual([]);
    expect((await post('/updates/telegram', { [SECRET_HEADER]: secret }))?.status).toBe(200);
    expect(telegram.callsOf('sendMessage')).toHaveLength(1);
    expect(telegram.callsOf('getUpdates')).toEqual([]);
  });

  test('uses the same webhook secret on every replica', async () => {
    const secrets = [];
    const secretKeys = [randomBytes(32)];
    for (let replica = 0; replica < 2; replica++) {
      const { app: one } = open({ publicUrl: 'https://bot.example', secretKeys });
      await one.start();
      secrets.push(telegram.callsOf('setWebhook').at(-1)?.params.secret_token);
      await one.stop();
    }
    expect(secrets[0]).toBe(secrets[1]);
  });
});

test('sets commands and descriptions in both languages', async () => {
  const { app } = open();
  await app.start();
  await eventually(() => expect(telegram.callsOf('setMyDescription')).toHaveLength(2));
  const commands = telegram.callsOf('setMyCommands').map(({ params }) => params);
  expect(commands).toContainEqual(
    expect.objectContaining({
      commands: expect.arrayContaining([{ command: 'buy', description: 'Buy energy' }]),
    }),
  );
  expect(JSON.stringify(commands)).toMatch(/Купить/);
});

test('replies to updates while setMyCommands hangs, and stops without waiting for it', async () => {
  telegram.plan('setMyCommands', 'silence');
  const { app, lines } = open();
  await app.start();
  await getsReply();
  expect(telegram.callsOf('setMyCommands')).toHaveLength(1);
  await app.stop();
  expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('responds with 503 and Retry-After to updates posted before getMe succeeds', async () => {
  const webhooks = { publicUrl: 'https://bot.example', secretKeys: [randomBytes(32)] };
  await open(webhooks).app.start();
  const secret = String(telegram.callsOf('setWebhook')[0]?.params.secret_token);
  await app?.stop();

  const before = telegram.calls.length;
  // The health check of Telegram calls it too.
  telegram.plan('getMe', 'cut', 2);
  const { app: next, texts } = open(webhooks);
  const started = next.start();
  await eventually(() => expect(texts.join()).toContain('Telegram is out of reach'));
  const early = await post('/updates/telegram', { [SECRET_HEADER]: secret });
  expect([early?.status, early?.headers.get('Retry-After')]).toEqual([503, '1']);
  const calls = telegram.calls.slice(before).map(({ method }) => method);
  expect(new Set(calls)).toEqual(new Set(['getMe', 'getWebhookInfo']));
  await started;
  expect((await post('/updates/telegram', { [SECRET_HEADER]: secret }))?.status).toBe(200);
  expect(telegram.callsOf('sendMessage')).toHaveLength(1);
});

test('does not start if Telegram rejects the token', async () => {
  await telegram.close();
  telegram = await startTelegramStub();
  telegram.plan('getMe', { error: 401, description: 'Unauthorized' }, 2);
  await expect(open().app.start()).rejects.toThrow('Unauthorized');
});

test('can be stopped while Telegram is unreachable', async () => {
  const { app: waiting } = open({ telegramApiRoot: 'http://127.0.0.1:1' });
  const started = waiting.start();
  started.catch(() => undefined);
  expect(await status('/readyz')).toBe(503);
  await waiting.stop();
  await expect(started).rejects.toThrow();
});

test('names the failing check in /readyz while it starts without Redis', async () => {
  const { app: waiting } = open({ redisUrl: 'redis://127.0.0.1:1', secretKeys: [randomBytes(32)] });
  const started = waiting.start();
  started.catch(() => undefined);
  await eventually(async () => {
    const response = await waiting.fetch(new Request('http://127.0.0.1/readyz'));
    const body = { status: 'not ready', phase: 'starting', failing: { storage: 'error' } };
    expect([response.status, await response.json()]).toMatchObject([503, body]);
  });
  await waiting.stop();
  await expect(started).rejects.toThrow();
});

test('alerts admins soon after a start on a Redis that was emptied', async () => {
  telegram.plan('getMyCommands', 'cut');
  telegram.plan('getMyCommands', { result: [{ command: 'start', description: 'Start' }] });
  const { app } = open({
    ...{ redisUrl: await redisUrl(), secretKeys: [randomBytes(32)], adminIds: new Set([504]) },
  });
  await app.start();
  await eventually(() => {
    const sent = telegram.callsOf('sendMessage').map(({ params }) => params);
    expect(sent).toMatchObject([{ chat_id: 504, text: expect.stringContaining('Redis was empty') }]);
  });
});

test('is ready and processes updates with Redis', async () => {
  const { app } = open({ redisUrl: await redisUrl(), secretKeys: [randomBytes(32)] });
  await app.start();
  expect(await status('/readyz')).toBe(200);
  await getsReply();
});

test('does not start under another SECRET_KEY, and neither sends nor stores nor handles anything', async () => {
  const url = await redisUrl();
  const [right, wrong] = [randomBytes(32), randomBytes(32)];
  const webhooks = { publicUrl: 'https://bot.example', redisUrl: url };
  const { app: first, texts } = open({ ...webhooks, secretKeys: [right] });
  await first.start();
  await first.stop();
  expect(texts.join()).toContain('the storage is empty, as in a new installation');
  const stored = async () => (await readKeys(url, 'none')).map(({ ttlMs: _, ...one }) => one);
  const [before, calls] = [await stored(), telegram.calls.length];

  const started = open({ ...webhooks, secretKeys: [wrong] }).app.start();
  started.catch(() => undefined);
  for (const path of ['/updates/telegram', '/events/hook']) expect((await post(path))?.status).toBe(503);
  await expect(started).rejects.toThrow(/^SECRET_KEY: .*npm run rotate-keys -- --accept-loss=[\w-]{11}$/);
  expect((await post('/updates/telegram'))?.status).toBe(503);
  expect([await stored(), telegram.calls.length]).toEqual([before, calls]);

  await app?.stop();
  await open({ ...webhooks, secretKeys: [wrong, right] }).app.start();
  expect(await status('/readyz')).toBe(200);
});

test('does not write the bot token to the log', async () => {
  const { app, texts } = open({ logLevel: 'debug' });
  telegram.plan('sendMessage', { error: 500, description: 'Internal Server Error' }, 3);
  await app.start();
  telegram.push(START);
  await eventually(() => expect(texts.join()).toContain('an update failed'));
  expect(texts.join()).not.toContain(TOKEN.split(':')[1]);
});
