import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createEventHooks,
  type EventHooks,
  hooksRotations,
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
let hooks: EventHooks;
let clock: { now: number };

const HOUR_MS = 3600_000;
const secretKey = randomBytes(32);
const hooksWith = (...keys: Uint8Array[]) =>
  createEventHooks({ records: signedRecords(storage), seal: createSeal(keys), now: () => clock.now });

beforeEach(() => {
  clock = { now: 1_000 };
  storage = createMemoryStorage({ now: () => clock.now });
  hooks = hooksWith(secretKey);
});

test('creates unguessable hooks that fit into a URL path', () => {
  const invented = Array.from({ length: 100 }, () => hooks.invent());
  for (const hook of invented) expect(hook).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(invented).size).toBe(100);
});

test('finds the account and the signing secret of an active hook', async () => {
  const hook = hooks.invent();
  expect(await hooks.find(hook)).toBeUndefined();
  expect(await hooks.isActive(ACCOUNT)).toBe(false);
  await hooks.activate(hook, ACCOUNT, SECRET);
  expect(await hooks.find(hook)).toEqual({ account: ACCOUNT, secrets: [SECRET] });
  expect(await hooks.isActive(ACCOUNT)).toBe(true);
});

test('stores neither the hook nor the secret in plain text', async () => {
  const set = vi.spyOn(storage, 'set');
  const hook = hooks.invent();
  await hooks.activate(hook, ACCOUNT, SECRET);
  const stored = JSON.stringify(set.mock.calls);
  expect(set).toHaveBeenCalled();
  expect(stored).not.toContain(hook);
  expect(stored).not.toContain(SECRET);
  expect(stored).not.toContain(Buffer.from(SECRET).toString('base64url'));
});

test('keeps a replaced hook for an hour, in which both accept both secrets', async () => {
  const [old, latest] = [hooks.invent(), hooks.invent()];
  await hooks.activate(old, ACCOUNT, 'old');
  await hooks.activate(latest, ACCOUNT, 'new');
  clock.now += HOUR_MS - 1;
  for (const hook of [old, latest]) {
    expect(await hooks.find(hook)).toEqual({ account: ACCOUNT, secrets: ['new', 'old'] });
  }
  clock.now += 1;
  expect(await hooks.find(old)).toBeUndefined();
  expect(await hooks.find(latest)).toEqual({ account: ACCOUNT, secrets: ['new'] });
});

test('another change neither extends an earlier hook’s hour nor leaves expired keys', async () => {
  const set = vi.spyOn(storage, 'set');
  const [first, second, third] = [hooks.invent(), hooks.invent(), hooks.invent()];
  await hooks.activate(first, ACCOUNT, 'first');
  await hooks.activate(second, ACCOUNT, 'second');
  clock.now += HOUR_MS / 2;
  await hooks.activate(third, ACCOUNT, 'third');
  expect((await hooks.find(first))?.secrets).toEqual(['third', 'second', 'first']);
  clock.now += HOUR_MS / 2;
  expect(await hooks.find(first)).toBeUndefined();
  expect((await hooks.find(second))?.secrets).toEqual(['third', 'second']);
  clock.now += HOUR_MS / 2;
  expect((await hooks.find(third))?.secrets).toEqual(['third']);
  await hooks.activate(hooks.invent(), ACCOUNT, 'fourth');
  const keys = [...new Set(set.mock.calls.map(([key]) => key))];
  const left = await Promise.all(keys.map((key) => storage.get(key)));
  expect(left.filter(Boolean)).toHaveLength(3);
});

test('keeps only the newest five hooks of an hour', async () => {
  const invented = Array.from({ length: 7 }, () => hooks.invent());
  for (const [at, hook] of invented.entries()) await hooks.activate(hook, ACCOUNT, `secret ${at}`);
  expect((await hooks.find(invented.at(-1) ?? ''))?.secrets).toHaveLength(5);
  expect(await hooks.find(invented[2] ?? '')).toBeDefined();
  expect(await hooks.find(invented[1] ?? '')).toBeUndefined();
});

test('keeps a hook that is activated again after the hour, with its new secret', async () => {
  const hook = hooks.invent();
  await hooks.activate(hook, ACCOUNT, 'old');
  await hooks.activate(hook, ACCOUNT, 'new');
  clock.now += HOUR_MS;
  expect(await hooks.find(hook)).toEqual({ account: ACCOUNT, secrets: ['new'] });
});

test('returns when events were turned on, regardless of later hook changes', async () => {
  expect(await hooks.since(ACCOUNT)).toBeUndefined();
  await hooks.activate(hooks.invent(), ACCOUNT, SECRET);
  clock.now = 2_000;
  await hooks.activate(hooks.invent(), ACCOUNT, SECRET);
  expect(await hooks.since(ACCOUNT)).toBe(1_000);
  await hooks.deactivate(ACCOUNT);
  expect(await hooks.since(ACCOUNT)).toBeUndefined();
  await hooks.activate(hooks.invent(), ACCOUNT, SECRET);
  expect(await hooks.since(ACCOUNT)).toBe(2_000);
});

test('deactivates replaced hooks too, and a new hook does not restore them', async () => {
  const [old, latest] = [hooks.invent(), hooks.invent()];
  await hooks.activate(old, ACCOUNT, 'old');
  await hooks.activate(latest, ACCOUNT, 'new');
  await hooks.deactivate(ACCOUNT);
  const another = hooks.invent();
  await hooks.activate(another, ACCOUNT, 'another');
  for (const hook of [old, latest]) expect(await hooks.find(hook)).toBeUndefined();
  expect(await hooks.find(another)).toEqual({ account: ACCOUNT, secrets: ['another'] });
});

test('keeps the previous hook if the process crashes during a change', async () => {
  const [old, latest] = [hooks.invent(), hooks.invent()];
  await hooks.activate(old, ACCOUNT, 'old');
  const set = storage.set;
  vi.spyOn(storage, 'set').mockImplementation(async (key, ...more) => {
    if (key.startsWith('hook-of-account:')) throw new Error('the process ended');
    await set(key, ...more);
  });
  await expect(hooks.activate(latest, ACCOUNT, 'new')).rejects.toThrow();
  expect(await hooks.find(old)).toEqual({ account: ACCOUNT, secrets: ['old'] });
  expect(await hooks.find(latest)).toBeUndefined();
});

describe('a crash after any storage call', () => {
  const endingAfter = (calls: number) =>
    createEventHooks({
      records: signedRecords(killedAfter(calls, storage).storage),
      ...{ seal: createSeal([secretKey]), now: () => clock.now },
    });
  const CALLS = Array.from({ length: 8 }, (_, calls) => calls);

  test('never leaves an account active without a working hook', async () => {
    for (const calls of CALLS) {
      const [one, other] = [hooks.invent(), hooks.invent()];
      await endingAfter(calls)
        .activate(one, ACCOUNT, SECRET)
        .catch(() => undefined);
      expect([calls, await hooks.isActive(ACCOUNT)]).toEqual([calls, (await hooks.find(one)) !== undefined]);
      await hooks.activate(other, ACCOUNT, SECRET);
      await endingAfter(calls)
        .deactivate(ACCOUNT)
        .catch(() => undefined);
      expect([calls, await hooks.isActive(ACCOUNT)]).toEqual([
        calls,
        (await hooks.find(other)) !== undefined,
      ]);
      await hooks.deactivate(ACCOUNT);
    }
  });

  test('lets the previous hook expire after an hour if the new one is active', async () => {
    for (const calls of CALLS) {
      const [old, latest] = [hooks.invent(), hooks.invent()];
      await hooks.activate(old, ACCOUNT, 'old');
      await endingAfter(calls)
        .activate(latest, ACCOUNT, 'new')
        .catch(() => undefined);
      const isReplaced = (await hooks.find(latest)) !== undefined;
      clock.now += HOUR_MS;
      expect([calls, (await hooks.find(old)) === undefined]).toEqual([calls, isReplaced]);
      await hooks.deactivate(ACCOUNT);
    }
  });
});

describe('a hook in the format before overlapping hooks', () => {
  /** Stores a hook in the earlier format. */
  async function keepEarlier(hook: string, key = secretKey): Promise<void> {
    const records = signedRecords(storage);
    const hash = createHash('sha256').update(hook).digest('base64url');
    const secret = createSeal([key]).seal(SECRET, { user: ACCOUNT, purpose: 'webhook-secret' });
    await records.set(`hook:${hash}`, JSON.stringify({ account: ACCOUNT, secret }));
    await records.set(`hook-of-account:${ACCOUNT}`, hash);
  }

  test('is found, and is active since it was first read', async () => {
    await keepEarlier('earlier');
    clock.now = 5_000;
    expect(await hooks.isActive(ACCOUNT)).toBe(true);
    clock.now = 6_000;
    expect(await hooks.find('earlier')).toEqual({ account: ACCOUNT, secrets: [SECRET] });
    expect(await hooks.since(ACCOUNT)).toBe(5_000);
  });

  test('is not found if it is deactivated during the lookup', async () => {
    await keepEarlier('earlier');
    const replace = storage.replace;
    vi.spyOn(storage, 'replace').mockImplementationOnce(async (...given) => {
      await hooks.deactivate(ACCOUNT);
      return replace(...given);
    });
    expect(await hooks.find('earlier')).toBeUndefined();
  });

  test('overlaps with its replacement', async () => {
    await keepEarlier('earlier');
    await hooks.activate('later', ACCOUNT, 'new');
    expect((await hooks.find('earlier'))?.secrets).toEqual(['new', SECRET]);
    clock.now += HOUR_MS;
    expect(await hooks.find('earlier')).toBeUndefined();
  });

  test('can be deactivated', async () => {
    await keepEarlier('earlier');
    await hooks.deactivate(ACCOUNT);
    expect(await hooks.find('earlier')).toBeUndefined();
    expect(await hooks.isActive(ACCOUNT)).toBe(false);
  });

  test('is re-encrypted with a newer secret key', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    await keepEarlier('earlier', older);
    const records = signedRecords(storage);
    await rotateRecords({ storage, records }, hooksRotations(createSeal([newer, older])));
    expect((await hooksWith(newer).find('earlier'))?.secrets).toEqual([SECRET]);
  });
});

test('deactivates a hook without affecting other accounts', async () => {
  const [ours, theirs] = [hooks.invent(), hooks.invent()];
  await hooks.activate(ours, ACCOUNT, SECRET);
  await hooks.activate(theirs, ACCOUNT + 1, 'theirs');
  await hooks.deactivate(ACCOUNT);
  expect(await hooks.find(ours)).toBeUndefined();
  expect(await hooks.isActive(ACCOUNT)).toBe(false);
  expect(await hooks.find(theirs)).toEqual({ account: ACCOUNT + 1, secrets: ['theirs'] });
});

test('rejects a hook with any tampered field, and allows a new one', async () => {
  const set = vi.spyOn(storage, 'set');
  const hook = hooks.invent();
  await hooks.activate(hook, ACCOUNT, SECRET);
  for (const [key, text] of [...set.mock.calls]) {
    const [version, mac, ...content] = text.split('.');
    const said = content.join('.');
    const changed = said.startsWith('{') ? changedFields(said) : [['hash', `${said.slice(0, -1)}_`] as const];
    for (const [path, content] of changed) {
      await storage.set(key, `${version}.${mac}.${content}`);
      expect(await hooks.find(hook), path).toBeUndefined();
      if (!key.startsWith('hook:')) expect(await hooks.isActive(ACCOUNT), path).toBe(false);
    }
    await storage.set(key, text);
  }
  const another = hooks.invent();
  await hooks.activate(another, ACCOUNT, SECRET);
  expect(await hooks.find(another)).toEqual({ account: ACCOUNT, secrets: [SECRET, SECRET] });
});

test('re-encrypts a secret of an older key when it is used', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const hook = hooks.invent();
  await hooksWith(older).activate(hook, ACCOUNT, SECRET);
  expect(await hooksWith(newer, older).find(hook)).toEqual({ account: ACCOUNT, secrets: [SECRET] });
  expect(await hooksWith(newer).find(hook)).toEqual({ account: ACCOUNT, secrets: [SECRET] });
});
