import { expect, test } from 'vitest';
import { createNoticeSettings, MUTABLE } from '../../src/accounts/notice-settings.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { SignedRecords } from '../../src/platform/records.ts';
import { signedRecords } from '../support/records.ts';

const USER = 502;
const OTHER = 503;
const KEY = `notice-settings:{${USER}}`;

function open() {
  const storage = createMemoryStorage();
  const records = signedRecords(storage);
  return { storage, records, settings: createNoticeSettings({ records }) };
}

test('has no muted kinds and no threshold by default', async () => {
  const { settings, storage } = open();
  expect(await settings.of(USER)).toEqual({ muted: [] });
  expect(await storage.get(KEY)).toBeUndefined();
});

test('mutes and unmutes each kind separately, for one user only', async () => {
  const { settings } = open();
  for (const what of MUTABLE) await settings.mute(USER, what, true);
  await settings.mute(USER, 'deposits', false);
  expect(await settings.of(USER)).toEqual({ muted: MUTABLE.filter((one) => one !== 'deposits') });
  expect(await settings.of(OTHER)).toEqual({ muted: [] });
});

test('unmutes a kind that was muted twice with one call', async () => {
  const { settings } = open();
  for (const on of [true, true, false]) await settings.mute(USER, 'orders', on);
  expect(await settings.of(USER)).toEqual({ muted: [] });
});

test('changes the threshold independently of muted kinds', async () => {
  const { settings } = open();
  await settings.setLowBalance(USER, '50.00');
  await settings.mute(USER, 'hook', true);
  expect(await settings.of(USER)).toEqual({ muted: ['hook'], lowBalance: '50.00' });
  await settings.setLowBalance(USER, '10.50');
  expect(await settings.of(USER)).toEqual({ muted: ['hook'], lowBalance: '10.50' });
  await settings.setLowBalance(USER, undefined);
  expect(await settings.of(USER)).toEqual({ muted: ['hook'] });
});

test('keeps all concurrent changes', async () => {
  const { settings } = open();
  await Promise.all([
    settings.mute(USER, 'orders', true),
    settings.setLowBalance(USER, '7.00'),
    settings.mute(USER, 'other', true),
  ]);
  expect(await settings.of(USER)).toEqual({ muted: ['orders', 'other'], lowBalance: '7.00' });
});

test('erases the settings of a user', async () => {
  const { settings, storage } = open();
  await settings.mute(USER, 'orders', true);
  await settings.forget(USER);
  expect(await storage.get(KEY)).toBeUndefined();
  expect(await settings.of(USER)).toEqual({ muted: [] });
});

test.each([
  ['the kind', '"withdrawals"', '"hook"'],
  ['the threshold', '50.00', '99.00'],
])('ignores the settings if %s was tampered with, until the next change', async (_, from, to) => {
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

test('ignores settings that were copied from another user', async () => {
  const { settings, storage } = open();
  await settings.mute(OTHER, 'withdrawals', true);
  await storage.set(KEY, (await storage.get(`notice-settings:{${OTHER}}`)) ?? '');
  expect(await settings.of(USER)).toEqual({ muted: [] });
});

test('hides a kind of a later version but keeps it in the record', async () => {
  const { settings, records } = open();
  await records.set(KEY, JSON.stringify({ muted: ['storms', 'orders'] }));
  await settings.mute(USER, 'other', true);
  expect(await settings.of(USER)).toEqual({ muted: ['orders', 'other'] });
  expect((await content(records)).muted).toContain('storms');
});

async function content(records: SignedRecords): Promise<{ muted: string[] }> {
  return JSON.parse((await records.get(KEY))?.content ?? '{}');
}
