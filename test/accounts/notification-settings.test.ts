import { describe, expect, test } from 'vitest';
import {
  createNotificationSettings,
  isMuted,
  MUTABLE_KINDS,
} from '../../src/accounts/notification-settings.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

describe('notification settings', () => {
  const [USER, OTHER] = [502, 503];
  const KEY = `notification-settings:{${USER}}`;
  const ON_BY_DEFAULT = MUTABLE_KINDS.filter((kind) => !isMuted({ muted: [] }, kind));

  function openSettings() {
    const storage = createMemoryStorage();
    const records = signedRecords(storage);
    return { storage, records, settings: createNotificationSettings({ records }) };
  }

  test('mute and unmute each kind separately, for one user only', async () => {
    const { settings } = openSettings();
    for (const kind of MUTABLE_KINDS) await settings.setMuted(USER, kind, true);
    await settings.setMuted(USER, 'orders', true);
    await settings.setMuted(USER, 'orders', false);
    expect(await settings.get(USER)).toEqual({ muted: ON_BY_DEFAULT.filter((kind) => kind !== 'orders') });
    expect(await settings.get(OTHER)).toEqual({ muted: [] });
  });

  test('turn rental reminders on and off, which are off by default', async () => {
    const { settings } = openSettings();
    expect(isMuted(await settings.get(USER), 'rentals')).toBe(true);
    for (let times = 0; times < 2; times++) await settings.setMuted(USER, 'rentals', false);
    await settings.setMuted(USER, 'orders', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders'], turnedOn: ['rentals'] });
    expect(isMuted(await settings.get(USER), 'rentals')).toBe(false);
    await settings.setMuted(USER, 'rentals', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders'] });
  });

  test('change the threshold independently of muted kinds', async () => {
    const { settings } = openSettings();
    await settings.setLowBalance(USER, '50.00');
    await settings.setMuted(USER, 'hook', true);
    expect(await settings.get(USER)).toEqual({ muted: ['hook'], lowBalance: '50.00' });
    await settings.setLowBalance(USER, '10.50');
    expect(await settings.get(USER)).toEqual({ muted: ['hook'], lowBalance: '10.50' });
    await settings.setLowBalance(USER, undefined);
    expect(await settings.get(USER)).toEqual({ muted: ['hook'] });
  });

  test('keep the changes of concurrent calls', async () => {
    const { settings } = openSettings();
    await Promise.all([
      settings.setMuted(USER, 'orders', true),
      settings.setLowBalance(USER, '7.00'),
      settings.setMuted(USER, 'other', true),
    ]);
    expect(await settings.get(USER)).toEqual({ muted: ['orders', 'other'], lowBalance: '7.00' });
  });

  test('have no muted kinds and no threshold by default, and after they are deleted', async () => {
    const { settings, storage } = openSettings();
    const expectNone = async () => {
      expect(await settings.get(USER)).toEqual({ muted: [] });
      expect(await storedKeys(storage)).toEqual([]);
    };
    await expectNone();
    await settings.setMuted(USER, 'orders', true);
    await settings.delete(USER);
    await expectNone();
  });

  test.each([
    ['the kind was tampered with', (text: string) => text.replace('"withdrawals"', '"hook"')],
    ['the threshold was tampered with', (text: string) => text.replace('50.00', '99.00')],
    ['they are those of another user', (_: string, others: string) => others],
  ])('count as missing if %s, until the next change', async (_, forge) => {
    const { settings, storage } = openSettings();
    for (const user of [USER, OTHER]) {
      await settings.setMuted(user, 'withdrawals', true);
      await settings.setLowBalance(user, '50.00');
    }
    const [text = '', others = ''] = [
      await storage.get(KEY),
      await storage.get(`notification-settings:{${OTHER}}`),
    ];
    expect(forge(text, others)).not.toBe(text);
    await storage.set(KEY, forge(text, others));
    expect(await settings.get(USER)).toEqual({ muted: [] });
    await settings.setMuted(USER, 'orders', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders'] });
  });

  test('ignore a muted kind of a later version but keep it in the record', async () => {
    const { settings, records } = openSettings();
    await records.set(KEY, JSON.stringify({ muted: ['storms', 'orders'] }));
    await settings.setMuted(USER, 'other', true);
    expect(await settings.get(USER)).toEqual({ muted: ['orders', 'other'] });
    expect((await records.get(KEY))?.content).toContain('storms');
  });
});
