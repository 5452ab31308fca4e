import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createAddressBook } from '../src/accounts/address-book.ts';
import { createLinks } from '../src/accounts/links.ts';
import { createWebhookSubscriptions } from '../src/accounts/webhook-subscriptions.ts';
import { createCanary } from '../src/platform/canary.ts';
import { createSeal, deriveKeys } from '../src/platform/encryption.ts';
import { createRedisStorage } from '../src/platform/redis-storage.ts';
import { silentLog } from './support/log-lines.ts';
import { signedRecords } from './support/records.ts';
import { redisUrl } from './support/redis.ts';

const [USER, ACCOUNT, KEY, ADDRESS] = [502, 1001, 'demo-key', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'];
const PROGRAM = ['scripts/start.js', 'rotate-keys'];
const ENV = {
  PATH: process.env.PATH,
  BOT_TOKEN: '700:the-token-of-the-tests-and-of-nothing-else',
  RENTAL_API_URL: 'http://127.0.0.1:1/api',
};

const run = promisify(execFile);

test('npm run rotate-keys makes all records readable without the older key', async () => {
  const url = await redisUrl();
  const log = silentLog();
  const storage = createRedisStorage({ url, log });
  onTestFinished(() => storage.close());
  const [older, newer] = [randomBytes(32), randomBytes(32)];

  /** Opens the bot's stores with one secret key. */
  function under(secret: Uint8Array) {
    const seal = createSeal(deriveKeys([secret], 'seal'));
    const records = signedRecords(storage, { keys: deriveKeys([secret], 'records'), log });
    const links = createLinks({ storage, records, seal, now: Date.now });
    return {
      records,
      links,
      webhookSubscriptions: createWebhookSubscriptions({ records, seal, now: Date.now }),
      addresses: createAddressBook({ records }),
    };
  }

  const before = under(older);
  await before.links.link(USER, ACCOUNT, KEY, 'en');
  await before.webhookSubscriptions.activate('a-hook', ACCOUNT, 'whsec_x');
  await before.addresses.remember(USER, ADDRESS);
  const orders = ['order', 'order-report'].map((name) => `${name}:${ACCOUNT}:energy:7`);
  const money = [`operation:{${USER}}:A`, `attempt:{${USER}}:A`, ...orders];
  for (const key of money) await before.records.set(key, 'its content');

  const secrets = [newer, older].map((secret) => secret.toString('base64')).join(',');
  const { stdout } = await run(process.execPath, PROGRAM, {
    env: { ...ENV, REDIS_URL: url, SECRET_KEY: secrets },
  });
  expect(stdout).toContain('of no listed key: 0.');

  const after = under(newer);
  expect(await after.links.apiKey(USER, ACCOUNT)).toBe(KEY);
  expect(await after.webhookSubscriptions.find('a-hook')).toEqual({ account: ACCOUNT, secrets: ['whsec_x'] });
  expect(await after.webhookSubscriptions.isActive(ACCOUNT)).toBe(true);
  expect(await after.addresses.get(USER)).toEqual({ addresses: [{ address: ADDRESS }] });
  for (const key of money) expect(await after.records.get(key)).toMatchObject({ content: 'its content' });
});

test('npm run rotate-keys refuses another key than that of the data, until its loss is accepted', async () => {
  const url = await redisUrl();
  const storage = createRedisStorage({ url, log: silentLog() });
  onTestFinished(() => storage.close());
  const [lost, present] = [randomBytes(32), randomBytes(32)];
  const canaryUnder = (key: Uint8Array) =>
    createCanary({ storage, seal: createSeal(deriveKeys([key], 'seal')) });
  await canaryUnder(lost).prepare(async () => false);
  const key = 'operation:{502}:A';
  await signedRecords(storage, { keys: deriveKeys([lost], 'records') }).set(key, 'its content');
  await storage.set('data-format', 'read');
  await signedRecords(storage, { keys: deriveKeys([lost], 'records') }).set('key-check', '{}');

  const env = { ...ENV, REDIS_URL: url, SECRET_KEY: present.toString('base64') };
  const refused = await run(process.execPath, PROGRAM, { env }).catch((error) => error);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  const [, option = ''] = /npm run rotate-keys -- (--accept-loss=\S+)\n$/.exec(refused.stderr) ?? [];
  expect((await canaryUnder(lost).read()).is).toBe('open');

  const { stdout } = await run(process.execPath, [...PROGRAM, option], { env });
  expect(stdout).toContain('of no listed key: 2.');
  expect([(await canaryUnder(present).read()).is, (await canaryUnder(lost).read()).is]).toEqual([
    'open',
    'foreign',
  ]);
  // The record stays, because the key may be found. It is read once more, and its user gets a message.
  expect([await storage.get(key), await storage.get('data-format')]).toEqual([expect.any(String), undefined]);
  // No later run could make this record of the bot readable again.
  expect(await storage.get('key-check')).toBeUndefined();
});

test('npm run rotate-keys succeeds even if its output is on a full disk', async () => {
  const env = { ...ENV, REDIS_URL: await redisUrl(), SECRET_KEY: randomBytes(32).toString('base64') };
  const shell = ['-c', '"$@" > /dev/full 2>&1', 'sh', process.execPath, ...PROGRAM];
  await expect(run('/bin/sh', shell, { env })).resolves.toBeDefined();
});
