import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createLinks, linkRotation } from '../../src/accounts/links.ts';
import { createWebhookSubscriptions, webhookRotation } from '../../src/accounts/webhook-subscriptions.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import {
  createSignedRecords,
  defineRecord,
  isSigned,
  keyOf,
  rotateRecords,
} from '../../src/platform/records.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { recordingLog, silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';

describe('store of one definition', () => {
  const schema = z.object({ muted: z.array(z.string()) });
  const settings = { keys: 'settings:{user}:name', content: 'Settings of a user', ttlMs: 60_000 } as const;
  const SETTINGS = defineRecord({ ...settings, schema, signed: true });
  const REF = { user: 501, name: 'sound' };
  const KEY = 'settings:{501}:sound';

  function open() {
    const clock = { now: 1_000_000 };
    const storage = createMemoryStorage({ now: () => clock.now });
    const { log, lines } = recordingLog();
    const recordsOf = (byte: number) =>
      createSignedRecords({ storage, keys: [new Uint8Array(32).fill(byte)], log });
    const records = recordsOf(1);
    return { clock, storage, lines, recordsOf, records, store: records.store(SETTINGS) };
  }

  test('fills the key pattern with the fields of a reference', () => {
    expect(keyOf(SETTINGS.keys, REF)).toBe(KEY);
    expect(keyOf('maintenance', {})).toBe('maintenance');
  });

  test('describes the expiry of a constant TTL in words', () => {
    expect(SETTINGS.expiry).toBe('1 minute');
    expect(defineRecord({ ...settings, schema, signed: true, ttlMs: 730 * 86_400_000 }).expiry).toBe(
      '2 years',
    );
  });

  test('reads what was written, until it expires', async () => {
    const { clock, store } = open();
    await store.set(REF, { muted: ['deposits'] });
    expect(await store.get(REF)).toEqual({ muted: ['deposits'] });
    clock.now += 60_000;
    expect(await store.get(REF)).toBeUndefined();
  });

  test('leaves no rejection unhandled if a read that failed is not needed', async () => {
    const { storage, store } = open();
    storage.get = () => Promise.reject(new Error('away'));
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    const read = store.readAhead(REF);
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    await expect(read()).rejects.toThrow('away');
  });

  test('deletes only the expected value, if one is given', async () => {
    const { store } = open();
    const first = await store.set(REF, { muted: [] });
    await store.set(REF, { muted: ['deposits'] });
    await store.delete(REF, first);
    expect(await store.get(REF)).toEqual({ muted: ['deposits'] });
    await store.delete(REF);
    expect(await store.get(REF)).toBeUndefined();
  });

  test('stores a value that is no object', async () => {
    const store = open().records.store(defineRecord({ ...settings, schema: z.string(), signed: true }));
    await store.set(REF, 'muted');
    expect(await store.get(REF)).toBe('muted');
  });

  test('adds only if nothing is stored', async () => {
    const { store } = open();
    expect(await store.add(REF, { muted: [] })).toBe(true);
    expect(await store.add(REF, { muted: ['deposits'] })).toBe(false);
    expect(await store.get(REF)).toEqual({ muted: [] });
  });

  test('does not replace a record that was changed since it was read', async () => {
    const { store } = open();
    const first = await store.set(REF, { muted: [] });
    await store.set(REF, { muted: ['deposits'] });
    expect(await store.replace(REF, first, { muted: ['withdrawals'] })).toBeUndefined();
    expect(await store.get(REF)).toEqual({ muted: ['deposits'] });
  });

  test.each(['nothing', 'a forgery'])('loses no concurrent update of %s', async (before) => {
    const { storage, store } = open();
    if (before === 'a forgery') await storage.set(KEY, 's1.AAAA.{}');
    const kinds = Array.from({ length: 20 }, (_, at) => String(at));
    await Promise.all(
      kinds.map((kind) => store.update(REF, (before) => ({ muted: [...(before?.muted ?? []), kind] }))),
    );
    expect((await store.get(REF))?.muted.toSorted()).toEqual(kinds.toSorted());
  });

  test('writes nothing if the change returns `undefined`', async () => {
    const { storage, store } = open();
    expect(await store.update(REF, () => undefined)).toBeUndefined();
    expect(await storage.get(KEY)).toBeUndefined();
  });

  test('treats a record that fails verification as missing, reports it once, and lets an update replace it', async () => {
    const { recordsOf, store, lines } = open();
    const forged = recordsOf(2).store(SETTINGS);
    await forged.set(REF, { muted: ['deposits'] });
    expect([await store.get(REF), await store.get(REF)]).toEqual([undefined, undefined]);
    expect(lines().filter(({ key }) => key === KEY)).toHaveLength(1);
    await store.update(REF, (before) => ({ muted: before?.muted ?? ['withdrawals'] }));
    expect(await store.get(REF)).toEqual({ muted: ['withdrawals'] });
  });

  test('notices a change, a forgery and a deletion after an earlier read', async () => {
    const { recordsOf, storage, store } = open();
    const read = async () => (await store.get(REF))?.muted;
    await store.set(REF, { muted: ['deposits'] });
    expect([await read(), await read()]).toEqual([['deposits'], ['deposits']]);
    await recordsOf(1)
      .store(SETTINGS)
      .set(REF, { muted: ['withdrawals'] });
    expect(await read()).toEqual(['withdrawals']);
    await recordsOf(2).store(SETTINGS).set(REF, { muted: [] });
    expect(await read()).toBeUndefined();
    await storage.delete(KEY);
    expect(await read()).toBeUndefined();
  });

  test('verifies an unchanged text once, and keeps nothing of it once the record is found missing', async () => {
    const { storage, store } = open();
    await store.set(REF, { muted: ['deposits'] });
    const text = (await storage.get(KEY)) ?? '';
    const first = await store.read(REF);
    expect(await store.read(REF)).toBe(first);
    await storage.delete(KEY);
    await store.read(REF);
    await storage.set(KEY, text, {});
    const again = await store.read(REF);
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  test('no reader can change what others read', async () => {
    const { store } = open();
    await store.set(REF, { muted: ['deposits'] });
    const read = await store.get(REF);
    expect(() => read?.muted.push('withdrawals')).toThrow(TypeError);
    expect(await store.get(REF)).toEqual({ muted: ['deposits'] });
  });

  const NEWER = defineRecord({ ...settings, schema, signed: true, version: 2 });
  const OTHER = defineRecord({ ...settings, schema: z.object({ muted: z.literal('all') }), signed: true });

  test('never overwrites the record of a newer release, or a verified one that does not match its schema', async () => {
    const { recordsOf, store } = open();
    await recordsOf(1)
      .store(NEWER)
      .set(REF, { muted: ['deposits'] });
    expect(await store.get(REF)).toBeUndefined();
    await expect(store.update(REF, () => ({ muted: [] }))).rejects.toThrow("can't read");
    await recordsOf(1).store(OTHER).set(REF, { muted: 'all' });
    expect(await store.get(REF)).toBeUndefined();
    await expect(store.update(REF, () => ({ muted: [] }))).rejects.toThrow("can't read");
  });

  test('upgrades the content of an older version when it is read', async () => {
    const { recordsOf, store } = open();
    await store.set(REF, { muted: ['deposits'] });
    const renamed = defineRecord({
      ...settings,
      schema: z.object({ silenced: z.array(z.string()) }),
      signed: true,
      version: 2,
      upgrade: (content, version) => (version === 1 ? { silenced: schema.parse(content).muted } : content),
    });
    expect(await recordsOf(1).store(renamed).get(REF)).toEqual({ silenced: ['deposits'] });
  });

  test('stores an unsigned record as plain JSON, and replaces it only if it is no JSON', async () => {
    const { storage, records } = open();
    const store = records.store(defineRecord({ ...settings, schema, signed: false }));
    await store.update(REF, () => ({ muted: [] }));
    expect(await storage.get(KEY)).toBe('{"muted":[]}');
    expect(await store.get(REF)).toEqual({ muted: [] });
    await storage.set(KEY, 'not JSON');
    await store.update(REF, () => ({ muted: [] }));
    expect(await store.get(REF)).toEqual({ muted: [] });
    await storage.set(KEY, '{"format":"of a later release"}');
    await expect(store.update(REF, () => ({ muted: [] }))).rejects.toThrow("can't read");
  });
});

describe('signed records', () => {
  const SECRET = randomBytes(32);
  const KEY = 'link:{502}';
  const CONTENT = JSON.stringify({ account: 1001, language: 'en. ru' });

  let storage: Storage;
  beforeEach(() => {
    storage = createMemoryStorage();
  });

  async function written(content = CONTENT): Promise<string> {
    return (await signedRecords(storage).set(KEY, content)).text;
  }

  test('returns any content as it was written', async () => {
    const records = signedRecords(storage);
    for (const content of [CONTENT, '', '.', 's1.x.y', 'ключ\n🔑', 'x'.repeat(10_000)]) {
      await records.set(KEY, content);
      expect(await records.get(KEY)).toMatchObject({ content });
    }
    expect(await records.get('link:{503}')).toBeUndefined();
    expect([await written(), CONTENT].map(isSigned)).toEqual([true, false]);
  });

  test('treats a record as missing if any character was changed', async () => {
    const records = signedRecords(storage);
    const text = await written();
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      await storage.set(KEY, changed);
      expect(await records.get(KEY), `changed at ${at}`).toBeUndefined();
      expect(await records.has(KEY)).toBe(true);
    }
  });

  test.each([
    ['without a signature', CONTENT],
    ['with an empty signature', `s1..${CONTENT}`],
    ['with a truncated signature', `s1.AAAA.${CONTENT}`],
    ['with a signature of an unknown key', `s1.${'A'.repeat(43)}.${CONTENT}`],
    ['without any text', ''],
  ])('treats a record %s as missing', async (_, text) => {
    await storage.set(KEY, text);
    expect(await signedRecords(storage).get(KEY)).toBeUndefined();
  });

  test('treats a record that was copied to another key as missing', async () => {
    const text = await written();
    await storage.set('link:{503}', text);
    expect(await signedRecords(storage).get('link:{503}')).toBeUndefined();
    // The boundary between key and content can't be moved either.
    const [version, mac = ''] = text.split('.');
    await storage.set(KEY.slice(0, -1), `${version}.${mac}.}${CONTENT}`);
    expect(await signedRecords(storage).get(KEY.slice(0, -1))).toBeUndefined();
  });

  test('logs a record that fails verification once, without its content', async () => {
    const { log, lines } = recordingLog();
    const records = signedRecords(storage, { log });
    await storage.set(KEY, '{"account":666}');
    await storage.set('hook:x', '{"account":666}');
    for (let n = 0; n < 5; n++) await Promise.all([records.get(KEY), records.get('hook:x')]);
    expect(lines().map(({ level, key }) => [level, key])).toEqual([
      ['error', KEY],
      ['error', 'hook:x'],
    ]);
    expect(lines()[0]?.advice).toMatch(/list the former key .* accepted its loss.* link .* again\./);
    expect(JSON.stringify(lines())).not.toContain('666');
  });

  describe('during a change of the secret key', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];

    test('all listed keys verify, the newest one signs', async () => {
      await signedRecords(storage, { keys: [older] }).set(KEY, CONTENT);
      const both = signedRecords(storage, { keys: [newer, older] });
      const found = await both.get(KEY);
      expect(found).toMatchObject({ content: CONTENT });
      expect(found && both.isNewest(KEY, found)).toBe(false);
      const renewed = found && (await both.replace(KEY, found, CONTENT));
      expect(renewed && both.isNewest(KEY, renewed)).toBe(true);
      expect(await signedRecords(storage, { keys: [newer] }).get(KEY)).toMatchObject({ content: CONTENT });
      expect(await signedRecords(storage, { keys: [older] }).get(KEY)).toBeUndefined();
    });

    test('requires a key', () => {
      expect(() => signedRecords(storage, { keys: [] })).toThrow(RangeError);
    });
  });

  test('writes nothing if the record is not the one that the change was based on', async () => {
    const records = signedRecords(storage);
    const first = await records.set(KEY, 'first');
    const second = await records.replace(KEY, first, 'second');
    expect(second).toMatchObject({ content: 'second' });
    expect(await records.replace(KEY, first, 'third')).toBeUndefined();
    expect(await records.get(KEY)).toEqual(second);
    expect(await records.add(KEY, 'fourth')).toBeUndefined();
    expect(second && (await records.secure(KEY, second))).toBe(true);
    expect(await records.secure(KEY, first)).toBe(false);
  });

  test('replaces a record and adds another in one step, or neither', async () => {
    const records = signedRecords(storage);
    const other = { key: 'operation:{502}:A', content: '{}', ttlMs: 500 };
    const first = await records.set(KEY, 'first');
    const both = await records.replaceAndAdd(KEY, first, { content: 'second' }, other);
    expect(both).toEqual({ record: await records.get(KEY), added: true });
    expect(await records.get(other.key)).toMatchObject({ content: '{}' });
    expect(await records.replaceAndAdd(KEY, first, { content: 'third' }, other)).toBeUndefined();
  });

  test('restores a record that is missing or fails verification', async () => {
    const records = signedRecords(storage);
    await records.restore(KEY, 'first', {}, []);
    expect(await records.get(KEY)).toMatchObject({ content: 'first' });
    await records.restore(KEY, 'second', {}, []);
    expect(await records.get(KEY)).toMatchObject({ content: 'first' });
    await storage.set(KEY, 'forged');
    await records.restore(KEY, 'third', {}, []);
    expect(await records.get(KEY)).toMatchObject({ content: 'third' });
  });

  describe('a record of a format', () => {
    const formats = (link: number) => ({ 'link:': link });
    const open = (link: number) =>
      createSignedRecords({ storage, keys: [SECRET], formats: formats(link), log: silentLog() });

    test('is read by releases of that format and later ones', async () => {
      await open(1).set(KEY, 'first');
      expect(await open(2).get(KEY)).toMatchObject({ content: 'first' });
      await open(2).set(KEY, 'second');
      expect(await open(2).get(KEY)).toMatchObject({ content: 'second' });
    });

    test('is treated as missing by an earlier release, and reported once', async () => {
      await open(2).set(KEY, 'second');
      const earlier = open(1);
      const unreadable: string[] = [];
      earlier.onUnreadable((key) => unreadable.push(key));
      expect(await earlier.get(KEY)).toBeUndefined();
      await earlier.get(KEY);
      expect(unreadable).toEqual([KEY]);
    });

    test('fails verification as a record of another format', async () => {
      const { text } = await open(2).set(KEY, 'second');
      for (const version of ['s1', 's01', 's3']) {
        await storage.set(KEY, text.replace(/^s2/, version));
        expect(await open(3).get(KEY), version).toBeUndefined();
      }
    });

    test('is reported if it does not match its schema', async () => {
      const records = open(1);
      const unreadable: string[] = [];
      records.onUnreadable((key) => unreadable.push(key));
      for (const content of ['not JSON', '{"account":"x"}', 'null']) {
        const record = await records.set(KEY, content);
        expect(records.parse(KEY, record, z.object({ account: z.number() }))).toBeUndefined();
      }
      expect(unreadable).toEqual([KEY]);
    });
  });
});

describe('key rotation', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];

  /** Opens the modules with encrypted or signed records on this storage. The secrets are ordered newest first. */
  function shared(storage: Storage, ...keys: Uint8Array[]) {
    const [seal, records] = [createSeal(keys), signedRecords(storage, { keys })];
    return {
      links: createLinks({ storage, records, seal, now: () => 1_000 }),
      webhookSubscriptions: createWebhookSubscriptions({ records, seal, now: Date.now }),
      records,
      renew: () =>
        rotateRecords({ storage, records }, [
          linkRotation(seal),
          webhookRotation(seal),
          { prefix: 'webhook-token:' },
          { prefix: 'operation:' },
        ]),
    };
  }

  test('after the renewal, no record needs the older secret', async () => {
    const storage = createMemoryStorage();
    const before = shared(storage, older);
    for (const user of [1, 2, 3]) await before.links.link(user, 1001, `the-key-of-user-${user}`, 'en');
    const hook = before.webhookSubscriptions.createToken();
    await before.webhookSubscriptions.activate(hook, 1001, 'the-secret-of-the-service');
    await before.records.set('operation:{1}:A', '{}');

    expect(await shared(storage, newer, older).renew()).toEqual({ renewed: 6, newest: 0, unverified: 0 });
    const after = shared(storage, newer);
    for (const user of [1, 2, 3])
      expect(await after.links.apiKey(user, 1001)).toBe(`the-key-of-user-${user}`);
    expect(await after.webhookSubscriptions.find(hook)).toEqual({
      account: 1001,
      secrets: ['the-secret-of-the-service'],
    });
    expect(await after.webhookSubscriptions.isActive(1001)).toBe(true);
    expect(await after.records.get('operation:{1}:A')).toMatchObject({ content: '{}' });
    expect(await after.renew()).toEqual({ renewed: 0, newest: 6, unverified: 0 });
  });

  test('counts records that no listed secret signed and leaves them unchanged', async () => {
    const storage = createMemoryStorage();
    await storage.set('operation:{1}:A', 'forged');
    await shared(storage, older).records.set('operation:{1}:B', '{}');
    expect(await shared(storage, newer).renew()).toEqual({ renewed: 0, newest: 0, unverified: 2 });
    expect(await storage.get('operation:{1}:A')).toBe('forged');
  });

  test('keeps a concurrent change and the remaining lifetime of a record', async () => {
    const clock = { now: 1_000 };
    const storage = createMemoryStorage({ now: () => clock.now });
    await shared(storage, older).records.set('operation:{1}:A', 'before', { ttlMs: 500 });
    const both = shared(storage, newer, older);
    const racing = shared(
      {
        ...storage,
        async replace(...change) {
          await both.records.set('operation:{1}:A', 'changed meanwhile', { ttlMs: 500 });
          return storage.replace(...change);
        },
      },
      ...[newer, older],
    );
    await racing.renew();
    expect(await both.records.get('operation:{1}:A')).toMatchObject({ content: 'changed meanwhile' });
    await shared(storage, older).records.set('operation:{1}:B', 'x', { ttlMs: 500 });
    await both.renew();
    clock.now += 500;
    expect(await storage.get('operation:{1}:B')).toBeUndefined();
  });
});
