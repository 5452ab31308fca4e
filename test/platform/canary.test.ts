import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { CANARY, createCanary, WrongSecretKey } from '../../src/platform/canary.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { storedKeys } from '../support/stored-keys.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const ALL_READ = { renewed: 2, newest: 0, unverified: 1 };
const NONE_READ = { renewed: 0, newest: 0, unverified: 3 };
let storage: Storage;

beforeEach(() => {
  storage = createMemoryStorage();
});

/** Opens the canary in a process with these keys, newest first. */
const under = (...keys: Uint8Array[]) => createCanary({ storage, seal: createSeal(keys) });
const hasData = async () => (await storedKeys(storage)).some((key) => key !== CANARY.keys);
const start = (canary: ReturnType<typeof under>) => canary.prepare(hasData);
const stateUnder = async (...keys: Uint8Array[]) => (await under(...keys).read()).is;
const stored = () => storage.get(CANARY.keys);
/** Rotates the keys of a storage whose records are, or aren't, of a listed key. */
const rotate = (canary: ReturnType<typeof under>, { isProven = true, accepted = '' } = {}) =>
  canary.renewAfter(accepted || undefined, async () => (isProven ? ALL_READ : NONE_READ));

describe('a start', () => {
  test('makes one canary of an empty storage, whichever replica is first', async () => {
    const states = await Promise.all([start(under(OLD)), start(under(OLD))]);
    expect(states).toEqual([{ is: 'open', isMade: true }, { is: 'open' }]);
  });

  test('trusts the canary of a replica that started between its own steps', async () => {
    const late = under(OLD).prepare(async () => {
      await start(under(OLD));
      await storage.set('some', 'data');
      return hasData();
    });
    expect(await late).toEqual({ is: 'open' });
  });

  test('leaves the canary under its key while replicas with an older list run', async () => {
    await start(under(OLD));
    const before = await stored();
    await start(under(NEW, OLD));
    expect([await stored(), await stateUnder(OLD), await stateUnder(NEW, OLD)]).toEqual([
      before,
      'open',
      'open',
    ]);
  });

  test('is refused with the way out if no listed key opens the canary, and changes nothing', async () => {
    await start(under(OLD));
    const before = await stored();
    const [, id] = before?.split('.') ?? [];
    const refused = start(under(NEW));
    await expect(refused).rejects.toThrow(WrongSecretKey);
    await expect(refused).rejects.toThrow(new RegExp(`^SECRET_KEY: .*--accept-loss=${id}$`));
    expect(await stored()).toBe(before);
  });

  test('is not refused if the canary is missing or damaged, and does not make it beside other data', async () => {
    await storage.set('some', 'data');
    expect([await start(under(OLD)), await stored()]).toEqual([{ is: 'missing' }, undefined]);
    await storage.set(CANARY.keys, 'v1.damaged');
    expect(await start(under(OLD))).toEqual({ is: 'damaged' });
    await storage.set(CANARY.keys, createSeal([OLD]).seal('{}', { user: 502, purpose: 'api key' }));
    expect(await start(under(OLD))).toEqual({ is: 'damaged' });
  });
});

describe('a rotation', () => {
  test('seals the canary with the newest key after all records', async () => {
    await start(under(OLD));
    const canary = under(NEW, OLD);
    await expect(canary.renewAfter(undefined, () => Promise.reject(new Error('killed')))).rejects.toThrow();
    expect(await stateUnder(OLD)).toBe('open');
    await rotate(canary);
    expect([await stateUnder(OLD), await stateUnder(NEW)]).toEqual(['foreign', 'open']);
    const renewed = await stored();
    await rotate(canary);
    expect(await stored()).toBe(renewed);
  });

  test('is refused under another key, unless the loss of exactly that key is accepted', async () => {
    await start(under(OLD));
    const id = (await stored())?.split('.')[1];
    const records = vi.fn(async () => NONE_READ);
    for (const accepted of [undefined, 'unknown', `${id}x`])
      await expect(under(NEW).renewAfter(accepted, records)).rejects.toThrow(WrongSecretKey);
    expect(records).not.toHaveBeenCalled();
    await under(NEW).renewAfter(id, records);
    expect(await stateUnder(NEW)).toBe('open');
  });

  test.each([undefined, 'v1.damaged'])('replaces the canary %s if records prove the key', async (before) => {
    if (before) await storage.set(CANARY.keys, before);
    await expect(rotate(under(OLD), { isProven: false })).rejects.toThrow('--accept-loss=unknown');
    expect(await stored()).toBe(before);
    await rotate(under(OLD));
    expect(await stateUnder(OLD)).toBe('open');
    await storage.delete(CANARY.keys);
    await rotate(under(NEW), { isProven: false, accepted: 'unknown' });
    expect(await stateUnder(NEW)).toBe('open');
  });

  test('does not overwrite the canary of a concurrent rotation', async () => {
    await start(under(OLD));
    const late = under(NEW, OLD).renewAfter(undefined, async () => {
      return rotate(under(NEW, OLD));
    });
    await expect(late).rejects.toThrow('another process rotates');
  });
});
