import { expect, test } from 'vitest';
import { createNoticeSettings, MUTABLE } from '../../src/accounts/notice-settings.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import type { SignedRecords } from '../../src/storage/signed-records.ts';
import { signedRecords } from '../support/records.ts';

const USER = 502;
const OTHER = 503;
const KEY = `notice-settings:{${USER}}`;

function open() {
  const storage = createMemoryStorage();
  const records = signedRecords(storage);
  return { storage, records, settings: createNoticeSettings({ records }) };
}

test('nobody has anything muted, nor a threshold, before they say so', async () => {
  const { settings, storage } = open();
  expect(await settings.of(USER)).toEqual({ muted: [] });
  expect(await storage.get(KEY)).toBeUndefined();
});

test('each kind is muted and told again by itself, and for its user alone', async () => {
  const { settings } = open();
  for (const what of MUTABLE) await settings.mute(USER, what, true);
  await settings.mute(USER, 'deposits', false);
  expect(await settings.of(USER)).toEqual({ muted: MUTABLE.filter((one) => one !== 'deposits') });
  expect(await settings.of(OTHER)).toEqual({ muted: [] });
});

test('muted twice is muted once, and told again at the first word', async () => {
  const { settings } = open();
  for (const on of [true, true, false]) await settings.mute(USER, 'orders', on);
  expect(await settings.of(USER)).toEqual({ muted: [] });
});

test('a threshold stays what it is while kinds are muted, and goes without them', async () => {
  const { settings } = open();
  await settings.setLowBalance(USER, '50.00');
  await settings.mute(USER, 'hook', true);
  expect(await settings.of(USER)).toEqual({ muted: ['hook'], lowBalance: '50.00' });
  await settings.setLowBalance(USER, '10.50');
  expect(await settings.of(USER)).toEqual({ muted: ['hook'], lowBalance: '10.50' });
  await settings.setLowBalance(USER, undefined);
  expect(await settings.of(USER)).toEqual({ muted: ['hook'] });
});

test('of two changes at once none is lost', async () => {
  const { settings } = open();
  await Promise.all([
    settings.mute(USER, 'orders', true),
    settings.setLowBalance(USER, '7.00'),
    settings.mute(USER, 'other', true),
  ]);
  expect(await settings.of(USER)).toEqual({ muted: ['orders', 'other'], lowBalance: '7.00' });
});

test('what is forgotten is gone', async () => {
  const { settings, storage } = open();
  await settings.mute(USER, 'orders', true);
  await settings.forget(USER);
  expect(await storage.get(KEY)).toBeUndefined();
  expect(await settings.of(USER)).toEqual({ muted: [] });
});

test.each([
  ['the kind', '"withdrawals"', '"hook"'],
  ['the threshold', '50.00', '99.00'],
])('where %s was changed from outside nothing is muted, until it is said anew', async (_, from, to) => {
  const { settings, storage } = open();
  await settings.mute(USER, 'withdrawals', true);
  await settings.setLowBalance(USER, '50.00');
  const text = (await storage.get(KEY)) ?? '';
  expect(text).toContain(from);
  await storage.set(KEY, text.replace(from, to));
  expect(await settings.of(USER)).toEqual({ muted: [] });
  await settings.mute(USER, 'orders', true);
  expect(await settings.of(USER)).toEqual({ muted: ['orders'] });
});

test('another user’s settings in the place of one’s own mute nothing', async () => {
  const { settings, storage } = open();
  await settings.mute(OTHER, 'withdrawals', true);
  await storage.set(KEY, (await storage.get(`notice-settings:{${OTHER}}`)) ?? '');
  expect(await settings.of(USER)).toEqual({ muted: [] });
});

test('a kind of a later version is not shown, and not lost by a change', async () => {
  const { settings, records } = open();
  await records.set(KEY, JSON.stringify({ muted: ['storms', 'orders'] }));
  await settings.mute(USER, 'other', true);
  expect(await settings.of(USER)).toEqual({ muted: ['orders', 'other'] });
  expect((await content(records)).muted).toContain('storms');
});

async function content(records: SignedRecords): Promise<{ muted: string[] }> {
  return JSON.parse((await records.get(KEY))?.content ?? '{}');
}
