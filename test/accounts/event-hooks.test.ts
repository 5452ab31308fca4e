import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { createEventHooks, type EventHooks } from '../../src/accounts/event-hooks.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { createSeal } from '../../src/storage/seal.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';

const ACCOUNT = 1001;
const SECRET = 'whsec_of-the-tests';

let storage: Storage;
let hooks: EventHooks;

beforeEach(() => {
  storage = createMemoryStorage();
  hooks = createEventHooks({ records: signedRecords(storage), seal: createSeal([randomBytes(32)]) });
});

test('a hook can not be guessed, and fits into a path', () => {
  const invented = Array.from({ length: 100 }, () => hooks.invent());
  for (const hook of invented) expect(hook).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(invented).size).toBe(100);
});

test('an active hook finds its account and the secret that signs for it', async () => {
  const hook = hooks.invent();
  expect(await hooks.find(hook)).toBeUndefined();
  expect(await hooks.isActive(ACCOUNT)).toBe(false);
  await hooks.activate(hook, ACCOUNT, SECRET);
  expect(await hooks.find(hook)).toEqual({ account: ACCOUNT, secret: SECRET });
  expect(await hooks.isActive(ACCOUNT)).toBe(true);
});

test('what is stored tells neither the hook nor the secret', async () => {
  const set = vi.spyOn(storage, 'set');
  const hook = hooks.invent();
  await hooks.activate(hook, ACCOUNT, SECRET);
  const stored = JSON.stringify(set.mock.calls);
  expect(set).toHaveBeenCalled();
  expect(stored).not.toContain(hook);
  expect(stored).not.toContain(SECRET);
  expect(stored).not.toContain(Buffer.from(SECRET).toString('base64url'));
});

test('a new hook takes the place of the one before', async () => {
  const [old, latest] = [hooks.invent(), hooks.invent()];
  await hooks.activate(old, ACCOUNT, 'old');
  await hooks.activate(latest, ACCOUNT, 'new');
  expect(await hooks.find(old)).toBeUndefined();
  expect(await hooks.find(latest)).toEqual({ account: ACCOUNT, secret: 'new' });
});

test('a deactivated hook finds nothing, and the hooks of others stay', async () => {
  const [ours, theirs] = [hooks.invent(), hooks.invent()];
  await hooks.activate(ours, ACCOUNT, SECRET);
  await hooks.activate(theirs, ACCOUNT + 1, 'theirs');
  await hooks.deactivate(ACCOUNT);
  expect(await hooks.find(ours)).toBeUndefined();
  expect(await hooks.isActive(ACCOUNT)).toBe(false);
  expect(await hooks.find(theirs)).toEqual({ account: ACCOUNT + 1, secret: 'theirs' });
});

test('whatever field of a hook is changed, it takes no events, and another can be made', async () => {
  const set = vi.spyOn(storage, 'set');
  const hook = hooks.invent();
  await hooks.activate(hook, ACCOUNT, SECRET);
  for (const [key, text] of [...set.mock.calls]) {
    const [version, mac, ...content] = text.split('.');
    const said = content.join('.');
    const changed = said.startsWith('{') ? changedFields(said) : [['hash', `${said.slice(0, -1)}_`] as const];
    for (const [path, content] of changed) {
      await storage.set(key, `${version}.${mac}.${content}`);
      if (key.startsWith('hook:')) expect(await hooks.find(hook), path).toBeUndefined();
      else expect(await hooks.isActive(ACCOUNT), path).toBe(false);
    }
    await storage.set(key, text);
  }
  const another = hooks.invent();
  await hooks.activate(another, ACCOUNT, SECRET);
  expect(await hooks.find(another)).toEqual({ account: ACCOUNT, secret: SECRET });
});

test('a secret under an older key is sealed anew as it is used', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const hooksWith = (...keys: Uint8Array[]) =>
    createEventHooks({ records: signedRecords(storage), seal: createSeal(keys) });
  const hook = hooks.invent();
  await hooksWith(older).activate(hook, ACCOUNT, SECRET);
  expect(await hooksWith(newer, older).find(hook)).toEqual({ account: ACCOUNT, secret: SECRET });
  expect(await hooksWith(newer).find(hook)).toEqual({ account: ACCOUNT, secret: SECRET });
});
