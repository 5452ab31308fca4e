import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createSignedRecords } from '../../src/platform/records.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { recordingLog, silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';

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
  expect(lines().map(({ level, name }) => [level, name])).toEqual([
    ['error', KEY],
    ['error', 'hook:x'],
  ]);
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
  expect(await records.add(KEY, 'fourth')).toBe(false);
  expect(second && (await records.secure(KEY, second))).toBe(true);
  expect(await records.secure(KEY, first)).toBe(false);
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
