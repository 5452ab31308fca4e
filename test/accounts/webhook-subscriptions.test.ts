import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createWebhookSubscriptions,
  type WebhookSubscriptions,
  webhookRotation,
} from '../../src/accounts/webhook-subscriptions.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { rotateRecords } from '../../src/platform/key-rotation.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { killedAfter } from '../support/killed.ts';
import { signedRecords } from '../support/records.ts';

const ACCOUNT = 1001;
const SECRET = 'whsec_of-the-tests';

let storage: Storage;
let webhookSubscriptions: WebhookSubscriptions;
let clock: { now: number };

const HOUR_MS = 3600_000;
const secretKey = randomBytes(32);
const hooksWith = (...keys: Uint8Array[]) =>
  createWebhookSubscriptions({
    records: signedRecords(storage),
    seal: createSeal(keys),
    now: () => clock.now,
  });

beforeEach(() => {
  clock = { now: 1_000 };
  storage = createMemoryStorage({ now: () => clock.now });
  webhookSubscriptions = hooksWith(secretKey);
});

test('creates unguessable hooks that fit into a URL path', () => {
  const invented = Array.from({ length: 100 }, () => webhookSubscriptions.createToken());
  for (const hook of invented) expect(hook).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(invented).size).toBe(100);
});

test('finds the account and the signing secret of an active hook', async () => {
  const hook = webhookSubscriptions.createToken();
  expect(await webhookSubscriptions.find(hook)).toBeUndefined();
  expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  await webhookSubscriptions.activate(hook, ACCOUNT, SECRET);
  expect(await webhookSubscriptions.find(hook)).toEqual({ account: ACCOUNT, secrets: [SECRET] });
  expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(true);
});

test('stores neither the hook nor the secret in plain text', async () => {
  const set = vi.spyOn(storage, 'set');
  const hook = webhookSubscriptions.createToken();
  await webhookSubscriptions.activate(hook, ACCOUNT, SECRET);
  const stored = JSON.stringify(set.mock.calls);
  expect(set).toHaveBeenCalled();
  expect(stored).not.toContain(hook);
  expect(stored).not.toContain(SECRET);
  expect(stored).not.toContain(Buffer.from(SECRET).toString('base64url'));
});

test('keeps a replaced hook for an hour, in which both accept both secrets', async () => {
  const [old, latest] = [webhookSubscriptions.createToken(), webhookSubscriptions.createToken()];
  await webhookSubscriptions.activate(old, ACCOUNT, 'old');
  await webhookSubscriptions.activate(latest, ACCOUNT, 'new');
  clock.now += HOUR_MS - 1;
  for (const hook of [old, latest]) {
    expect(await webhookSubscriptions.find(hook)).toEqual({ account: ACCOUNT, secrets: ['new', 'old'] });
  }
  clock.now += 1;
  expect(await webhookSubscriptions.find(old)).toBeUndefined();
  expect(await webhookSubscriptions.find(latest)).toEqual({ account: ACCOUNT, secrets: ['new'] });
});

test('another change neither extends an earlier hook’s hour nor leaves expired keys', async () => {
  const set = vi.spyOn(storage, 'set');
  const [first, second, third] = [
    webhookSubscriptions.createToken(),
    webhookSubscriptions.createToken(),
    webhookSubscriptions.createToken(),
  ];
  await webhookSubscriptions.activate(first, ACCOUNT, 'first');
  await webhookSubscriptions.activate(second, ACCOUNT, 'second');
  clock.now += HOUR_MS / 2;
  await webhookSubscriptions.activate(third, ACCOUNT, 'third');
  expect((await webhookSubscriptions.find(first))?.secrets).toEqual(['third', 'second', 'first']);
  clock.now += HOUR_MS / 2;
  expect(await webhookSubscriptions.find(first)).toBeUndefined();
  expect((await webhookSubscriptions.find(second))?.secrets).toEqual(['third', 'second']);
  clock.now += HOUR_MS / 2;
  expect((await webhookSubscriptions.find(third))?.secrets).toEqual(['third']);
  await webhookSubscriptions.activate(webhookSubscriptions.createToken(), ACCOUNT, 'fourth');
  const keys = [...new Set(set.mock.calls.map(([key]) => key))];
  const left = await Promise.all(keys.map((key) => storage.get(key)));
  expect(left.filter(Boolean)).toHaveLength(3);
});

test('keeps only the newest five hooks of an hour', async () => {
  const invented = Array.from({ length: 7 }, () => webhookSubscriptions.createToken());
  for (const [at, hook] of invented.entries())
    await webhookSubscriptions.activate(hook, ACCOUNT, `secret ${at}`);
  expect((await webhookSubscriptions.find(invented.at(-1) ?? ''))?.secrets).toHaveLength(5);
  expect(await webhookSubscriptions.find(invented[2] ?? '')).toBeDefined();
  expect(await webhookSubscriptions.find(invented[1] ?? '')).toBeUndefined();
});

test('keeps a hook that is activated again after the hour, with its new secret', async () => {
  const hook = webhookSubscriptions.createToken();
  await webhookSubscriptions.activate(hook, ACCOUNT, 'old');
  await webhookSubscriptions.activate(hook, ACCOUNT, 'new');
  clock.now += HOUR_MS;
  expect(await webhookSubscriptions.find(hook)).toEqual({ account: ACCOUNT, secrets: ['new'] });
});

test('returns when events were turned on, regardless of later hook changes', async () => {
  expect(await webhookSubscriptions.activeSince(ACCOUNT)).toBeUndefined();
  await webhookSubscriptions.activate(webhookSubscriptions.createToken(), ACCOUNT, SECRET);
  clock.now = 2_000;
  await webhookSubscriptions.activate(webhookSubscriptions.createToken(), ACCOUNT, SECRET);
  expect(await webhookSubscriptions.activeSince(ACCOUNT)).toBe(1_000);
  await webhookSubscriptions.deactivate(ACCOUNT);
  expect(await webhookSubscriptions.activeSince(ACCOUNT)).toBeUndefined();
  await webhookSubscriptions.activate(webhookSubscriptions.createToken(), ACCOUNT, SECRET);
  expect(await webhookSubscriptions.activeSince(ACCOUNT)).toBe(2_000);
});

test('deactivates replaced hooks too, and a new hook does not restore them', async () => {
  const [old, latest] = [webhookSubscriptions.createToken(), webhookSubscriptions.createToken()];
  await webhookSubscriptions.activate(old, ACCOUNT, 'old');
  await webhookSubscriptions.activate(latest, ACCOUNT, 'new');
  await webhookSubscriptions.deactivate(ACCOUNT);
  const another = webhookSubscriptions.createToken();
  await webhookSubscriptions.activate(another, ACCOUNT, 'another');
  for (const hook of [old, latest]) expect(await webhookSubscriptions.find(hook)).toBeUndefined();
  expect(await webhookSubscriptions.find(another)).toEqual({ account: ACCOUNT, secrets: ['another'] });
});

test('keeps the previous hook if the process crashes during a change', async () => {
  const [old, latest] = [webhookSubscriptions.createToken(), webhookSubscriptions.createToken()];
  await webhookSubscriptions.activate(old, ACCOUNT, 'old');
  const set = storage.set;
  vi.spyOn(storage, 'set').mockImplementation(async (key, ...more) => {
    if (key.startsWith('webhook-subscription:')) throw new Error('the process ended');
    await set(key, ...more);
  });
  await expect(webhookSubscriptions.activate(latest, ACCOUNT, 'new')).rejects.toThrow();
  expect(await webhookSubscriptions.find(old)).toEqual({ account: ACCOUNT, secrets: ['old'] });
  expect(await webhookSubscriptions.find(latest)).toBeUndefined();
});

describe('a crash after any storage call', () => {
  const endingAfter = (calls: number) =>
    createWebhookSubscriptions({
      records: signedRecords(killedAfter(calls, storage).storage),
      ...{ seal: createSeal([secretKey]), now: () => clock.now },
    });
  const CALLS = Array.from({ length: 8 }, (_, calls) => calls);

  test('never leaves an account active without a working hook', async () => {
    for (const calls of CALLS) {
      const [one, other] = [webhookSubscriptions.createToken(), webhookSubscriptions.createToken()];
      await endingAfter(calls)
        .activate(one, ACCOUNT, SECRET)
        .catch(() => undefined);
      expect([calls, await webhookSubscriptions.isActive(ACCOUNT)]).toEqual([
        calls,
        (await webhookSubscriptions.find(one)) !== undefined,
      ]);
      await webhookSubscriptions.activate(other, ACCOUNT, SECRET);
      await endingAfter(calls)
        .deactivate(ACCOUNT)
        .catch(() => undefined);
      expect([calls, await webhookSubscriptions.isActive(ACCOUNT)]).toEqual([
        calls,
        (await webhookSubscriptions.find(other)) !== undefined,
      ]);
      await webhookSubscriptions.deactivate(ACCOUNT);
    }
  });

  test('lets the previous hook expire after an hour if the new one is active', async () => {
    for (const calls of CALLS) {
      const [old, latest] = [webhookSubscriptions.createToken(), webhookSubscriptions.createToken()];
      await webhookSubscriptions.activate(old, ACCOUNT, 'old');
      await endingAfter(calls)
        .activate(latest, ACCOUNT, 'new')
        .catch(() => undefined);
      const isReplaced = (await webhookSubscriptions.find(latest)) !== undefined;
      clock.now += HOUR_MS;
      expect([calls, (await webhookSubscriptions.find(old)) === undefined]).toEqual([calls, isReplaced]);
      await webhookSubscriptions.deactivate(ACCOUNT);
    }
  });
});

test('re-encrypts all secrets of an older key during a key rotation', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const before = hooksWith(older);
  const [replaced, latest] = [before.createToken(), before.createToken()];
  await before.activate(replaced, ACCOUNT, 'old');
  await before.activate(latest, ACCOUNT, SECRET);
  const records = signedRecords(storage);
  await rotateRecords({ storage, records }, [webhookRotation(createSeal([newer, older]))]);
  for (const token of [replaced, latest])
    expect(await hooksWith(newer).find(token)).toEqual({ account: ACCOUNT, secrets: [SECRET, 'old'] });
});

test('deactivates a hook without affecting other accounts', async () => {
  const [ours, theirs] = [webhookSubscriptions.createToken(), webhookSubscriptions.createToken()];
  await webhookSubscriptions.activate(ours, ACCOUNT, SECRET);
  await webhookSubscriptions.activate(theirs, ACCOUNT + 1, 'theirs');
  await webhookSubscriptions.deactivate(ACCOUNT);
  expect(await webhookSubscriptions.find(ours)).toBeUndefined();
  expect(await webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  expect(await webhookSubscriptions.find(theirs)).toEqual({ account: ACCOUNT + 1, secrets: ['theirs'] });
});

test('rejects a hook with any tampered field, and allows a new one', async () => {
  const set = vi.spyOn(storage, 'set');
  const hook = webhookSubscriptions.createToken();
  await webhookSubscriptions.activate(hook, ACCOUNT, SECRET);
  for (const [key, text] of [...set.mock.calls]) {
    const [version, mac, ...content] = text.split('.');
    const said = content.join('.');
    const changed = said.startsWith('{') ? changedFields(said) : [['hash', `${said.slice(0, -1)}_`] as const];
    for (const [path, content] of changed) {
      await storage.set(key, `${version}.${mac}.${content}`);
      expect(await webhookSubscriptions.find(hook), path).toBeUndefined();
      if (!key.startsWith('webhook-token:'))
        expect(await webhookSubscriptions.isActive(ACCOUNT), path).toBe(false);
    }
    await storage.set(key, text);
  }
  const another = webhookSubscriptions.createToken();
  await webhookSubscriptions.activate(another, ACCOUNT, SECRET);
  expect(await webhookSubscriptions.find(another)).toEqual({ account: ACCOUNT, secrets: [SECRET, SECRET] });
});

test('re-encrypts a secret of an older key when it is used', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const hook = webhookSubscriptions.createToken();
  await hooksWith(older).activate(hook, ACCOUNT, SECRET);
  expect(await hooksWith(newer, older).find(hook)).toEqual({ account: ACCOUNT, secrets: [SECRET] });
  expect(await hooksWith(newer).find(hook)).toEqual({ account: ACCOUNT, secrets: [SECRET] });
});
