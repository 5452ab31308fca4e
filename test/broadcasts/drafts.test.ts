import { expect, test } from 'vitest';
import { createBroadcastDrafts } from '../../src/broadcasts/store.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';

const ADMIN = 502;
const KEY = `broadcast-draft:{${ADMIN}}`;
const content = {
  chat: ADMIN,
  message: 9,
  buttons: [{ text: 'Site', url: 'https://a.example/' }],
  hash: 'a',
};

async function openDrafts() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const drafts = createBroadcastDrafts({ records: signedRecords(storage) });
  await drafts.begin(ADMIN);
  const whole = await drafts.change(ADMIN, () => ({
    ...{ contents: { default: content, ru: { ...content, hash: 'b' } }, at: 1_000_000 },
    ...{ audience: { who: 'active', days: 7 }, source: { message: 8, hash: 'a', language: 'ru' } },
  }));
  expect(whole?.at).toBe(1_000_000);
  return { clock, storage, drafts, whole };
}

test('keeps the draft of an admin for a day and returns none for another admin', async () => {
  const { drafts, whole, clock } = await openDrafts();
  expect(await drafts.find(ADMIN)).toEqual(whole);
  expect(await drafts.find(ADMIN + 1)).toBeUndefined();
  expect(await drafts.change(ADMIN + 1, () => ({ at: 1 }))).toBeUndefined();
  clock.now += 24 * 3600_000;
  expect(await drafts.find(ADMIN)).toBeUndefined();
});

test('replaces the draft with an empty one under a new ID', async () => {
  const { drafts, whole } = await openDrafts();
  const other = await drafts.begin(ADMIN);
  expect(other).toEqual({ id: expect.any(String), admin: ADMIN, contents: {} });
  expect(other.id).not.toBe(whole?.id);
  expect(await drafts.find(ADMIN)).toEqual(other);
});

test('ignores a draft that was tampered with or copied from another admin', async () => {
  const { drafts, storage } = await openDrafts();
  const text = (await storage.get(KEY)) ?? '';
  const [version, mac] = text.split('.');
  const json = text.slice(`${version}.${mac}.`.length);
  const changed = changedFields(json);
  expect(changed.length).toBeGreaterThan(10);
  for (const [path, other] of changed) {
    await storage.set(KEY, `${version}.${mac}.${other}`);
    expect(await drafts.find(ADMIN), path).toBeUndefined();
  }
  await storage.set(KEY.replace(String(ADMIN), '7'), text);
  expect(await drafts.find(7)).toBeUndefined();
});
