import { expect, test } from 'vitest';
import { z } from 'zod';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createSignedRecords, defineRecord } from '../../src/platform/records.ts';
import { keyOf } from '../../src/platform/stored-data.ts';
import { recordingLog } from '../support/log-lines.ts';

const schema = z.object({ muted: z.array(z.string()) });
const SETTINGS = defineRecord({
  keys: 'settings:{user}:name',
  content: 'Settings of a user',
  schema,
  ttlMs: 60_000,
  signed: true,
});
const REF = { user: 501, name: 'sound' };
const KEY = 'settings:{501}:sound';

function open(secret = 1) {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const { log, lines } = recordingLog();
  const recordsOf = (byte: number) =>
    createSignedRecords({ storage, keys: [new Uint8Array(32).fill(byte)], log });
  return { clock, storage, lines, recordsOf, records: recordsOf(secret) };
}

test('fills the key pattern with the fields of a reference', () => {
  expect(keyOf(SETTINGS.keys, REF)).toBe(KEY);
  expect(keyOf('maintenance', {})).toBe('maintenance');
});

test('describes the expiry of a constant TTL in words', () => {
  expect(SETTINGS.expiry).toBe('1 minute');
});

test('reads what was written, until it expires', async () => {
  const { clock, records } = open();
  const store = records.store(SETTINGS);
  await store.set(REF, { muted: ['deposits'] });
  expect(await store.get(REF)).toEqual({ muted: ['deposits'] });
  clock.now += 60_000;
  expect(await store.get(REF)).toBeUndefined();
});

test('adds only if nothing is stored', async () => {
  const { records } = open();
  const store = records.store(SETTINGS);
  expect(await store.add(REF, { muted: [] })).toBe(true);
  expect(await store.add(REF, { muted: ['deposits'] })).toBe(false);
  expect(await store.get(REF)).toEqual({ muted: [] });
});

test('does not replace a record that was changed since it was read', async () => {
  const { records } = open();
  const store = records.store(SETTINGS);
  const first = await store.set(REF, { muted: [] });
  await store.set(REF, { muted: ['deposits'] });
  expect(await store.replace(REF, first, { muted: ['withdrawals'] })).toBeUndefined();
  expect(await store.get(REF)).toEqual({ muted: ['deposits'] });
});

test('loses no concurrent update', async () => {
  const { records } = open();
  const store = records.store(SETTINGS);
  const kinds = Array.from({ length: 20 }, (_, at) => String(at));
  await Promise.all(
    kinds.map((kind) => store.update(REF, (before) => ({ muted: [...(before?.muted ?? []), kind] }))),
  );
  expect((await store.get(REF))?.muted.toSorted()).toEqual(kinds.toSorted());
});

test('writes nothing if the change returns `undefined`', async () => {
  const { storage, records } = open();
  expect(await records.store(SETTINGS).update(REF, () => undefined)).toBeUndefined();
  expect(await storage.get(KEY)).toBeUndefined();
});

test('treats a record that fails verification as missing, reports it once, and lets an update replace it', async () => {
  const { recordsOf, lines } = open();
  await recordsOf(2)
    .store(SETTINGS)
    .set(REF, { muted: ['deposits'] });
  const store = recordsOf(1).store(SETTINGS);
  expect([await store.get(REF), await store.get(REF)]).toEqual([undefined, undefined]);
  expect(lines().filter(({ name }) => name === KEY)).toHaveLength(1);
  await store.update(REF, (before) => ({ muted: before?.muted ?? ['withdrawals'] }));
  expect(await store.get(REF)).toEqual({ muted: ['withdrawals'] });
});

test('does not accept a record that was copied to another key', async () => {
  const { storage, records } = open();
  const store = records.store(SETTINGS);
  await store.set(REF, { muted: ['deposits'] });
  await storage.set('settings:{502}:sound', (await storage.get(KEY)) ?? '');
  expect(await store.get({ user: 502, name: 'sound' })).toBeUndefined();
});

test('never overwrites the record of a newer release', async () => {
  const { records, recordsOf } = open();
  const newer = defineRecord({ ...SETTINGS, ttlMs: 60_000, version: 2 });
  await recordsOf(1)
    .store(newer)
    .set(REF, { muted: ['deposits'] });
  const store = records.store(SETTINGS);
  expect(await store.get(REF)).toBeUndefined();
  await expect(store.update(REF, () => ({ muted: [] }))).rejects.toThrow("can't read");
});

test('never overwrites a verified record that does not match its schema', async () => {
  const { records } = open();
  const other = defineRecord({ ...SETTINGS, ttlMs: 60_000, schema: z.object({ volume: z.number() }) });
  await records.store(other).set(REF, { volume: 3 });
  const store = records.store(SETTINGS);
  expect(await store.get(REF)).toBeUndefined();
  await expect(store.update(REF, () => ({ muted: [] }))).rejects.toThrow("can't read");
});

test('upgrades the content of an older version when it is read', async () => {
  const { records, recordsOf } = open();
  await records.store(SETTINGS).set(REF, { muted: ['deposits'] });
  const renamed = defineRecord({
    ...SETTINGS,
    ttlMs: 60_000,
    schema: z.object({ silenced: z.array(z.string()) }),
    version: 2,
    upgrade: (content, version) => (version === 1 ? { silenced: schema.parse(content).muted } : content),
  });
  expect(await recordsOf(1).store(renamed).get(REF)).toEqual({ silenced: ['deposits'] });
});

test('stores an unsigned record as plain JSON', async () => {
  const { storage, records } = open();
  const store = records.store(defineRecord({ ...SETTINGS, ttlMs: 60_000, signed: false }));
  await store.update(REF, () => ({ muted: [] }));
  expect(await storage.get(KEY)).toBe('{"muted":[]}');
  expect(await store.get(REF)).toEqual({ muted: [] });
});

test('replaces an unsigned record that is not JSON, but not JSON of another format', async () => {
  const { storage, records } = open();
  const store = records.store(defineRecord({ ...SETTINGS, ttlMs: 60_000, signed: false }));
  await storage.set(KEY, 'not JSON');
  await store.update(REF, () => ({ muted: [] }));
  expect(await store.get(REF)).toEqual({ muted: [] });
  await storage.set(KEY, '{"format":"of a later release"}');
  await expect(store.update(REF, () => ({ muted: [] }))).rejects.toThrow("can't read");
});
