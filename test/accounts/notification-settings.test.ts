import { expect, test } from 'vitest';
import { createNotificationSettings, MUTABLE_KINDS } from '../../src/accounts/users.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { SignedRecords } from '../../src/platform/records.ts';
import { signedRecords } from '../support/records.ts';

const USER = 502;
const OTHER = 503;
const KEY = `notification-settings:{${USER}}`;

function open() {
  const storage = createMemoryStorage();
  const records = signedRecords(storage);
  return { storage, records, settings: createNotificationSettings({ records }) };
}

test('has no muted kinds and no threshold by default', async () => {
  const { settings, storage } = open();
  expect(await settings.get(USER)).toEqual({ muted: [] });
  expect(await storage.get(KEY)).toBeUndefined();
});

test('mutes and unmutes each kind separately, for one user only', async () => {
  const { settings } = open();
  for (const what of MUTABLE_KINDS) await settings.setMuted(USER, what, true);
  await settings.setMuted(USER, 'deposits', false);
  expect(await settings.get(USER)).toEqual({ muted: MUTABLE_KINDS.filter((one) => one !== 'deposits') });
  expect(await settings.get(OTHER)).toEqual({ muted: [] });
});

test('unmutes a kind that was muted twice with one call', async () => {
  const { settings } = open();
  for (const on of [true, true, false]) await settings.setMuted(USER, 'orders', on);
  expect(await settings.get(USER)).toEqual({ muted: [] });
});

test('changes the threshold independently of muted kinds', async () => {
  const { settings } = open();
  await settings.setLowBalance(USER, '50.00');
  await settings.setMuted(USER, 'hook', true);
  expect(await settings.get(USER)).toEqual({ muted: ['hook'], lowBalance: '50.00' });
  await settings.setLowBalance(USER, '10.50');
  expect(await settings.get(USER)).toEqual({ muted: ['hook'], lowBalance: '10.50' });
  await settings.setLowBalance(USER, undefined);
  expect(await settings.get(USER)).toEqual({ muted: ['hook'] });
});

test('keeps all concurrent changes', async () => {
  const { settings } = open();
  await Promise.all([
    settings.setMuted(USER, 'orders', true),
    settings.setLowBalance(USER, '7.00'),
    settings.setMuted(USER, 'other', true),
  ]);
  expect(await settings.get(USER)).toEqual({ muted: ['orders', 'other'], lowBalance: '7.00' });
});

test('erases the settings of a user', async () => {
  const { settings, storage } = open();
  await settings.setMuted(USER, 'orders', true);
  await settings.delete(USER);
  expect(await storage.get(KEY)).toBeUndefined();
  expect(await settings.get(USER)).toEqual({ muted: [] });
});

test.each([
  ['the kind', '"withdrawals"', '"hook"'],
  ['the threshold', '50.00', '99.00'],
])('ignores the settings if %s was tampered with, until the next change', async (_, from, to) => {
  const { settings, storage } = open();
  await settings.setMuted(USER, 'withdrawals', true);
  await settings.setLowBalance(USER, '50.00');
  const text = (await storage.get(KEY)) ?? '';
  expect(text).toContain(from);
  await storage.set(KEY, text.replace(from, to));
  expect(await settings.get(USER)).toEqual({ muted: [] });
  await settings.setMuted(USER, 'orders', true);
  expect(await settings.get(USER)).toEqual({ muted: ['orders'] });
});

test('ignores settings that were copied from another user', async () => {
  const { settings, storage } = open();
  await settings.setMuted(OTHER, 'withdrawals', true);
  await storage.set(KEY, (await storage.get(`notification-settings:{${OTHER}}`)) ?? '');
  expect(await settings.get(USER)).toEqual({ muted: [] });
});

test('hides a kind of a later version but keeps it in the record', async () => {
  const { settings, records } = open();
  await records.set(KEY, JSON.stringify({ muted: ['storms', 'orders'] }));
  await settings.setMuted(USER, 'other', true);
  expect(await settings.get(USER)).toEqual({ muted: ['orders', 'other'] });
  expect((await content(records)).muted).toContain('storms');
});

async function content(records: SignedRecords): Promise<{ muted: string[] }> {
  return JSON.parse((await records.get(KEY))?.content ?? '{}');
}
