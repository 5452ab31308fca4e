import { expect, test } from 'vitest';
import { createKeyAttempts } from '../../src/accounts/account-keys.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';

const USER = 502;
const MINUTE_MS = 60_000;

function openAttempts() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  return {
    clock,
    attempts: createKeyAttempts({ records: signedRecords(createMemoryStorage({ now })), now }),
  };
}

test('pauses only this user after five rejected keys, until the hour is over', async () => {
  const { clock, attempts } = openAttempts();
  for (let n = 0; n < 5; n++) {
    expect(await attempts.waitMs(USER)).toBe(0);
    await attempts.recordRefusal(USER);
    clock.now += MINUTE_MS;
  }
  expect(await attempts.waitMs(USER)).toBe(55 * MINUTE_MS);
  expect(await attempts.waitMs(USER + 1)).toBe(0);
  clock.now += 55 * MINUTE_MS;
  expect(await attempts.waitMs(USER)).toBe(0);
});

test('forgets rejected keys after an hour', async () => {
  const { clock, attempts } = openAttempts();
  for (let n = 0; n < 20; n++) {
    await attempts.recordRefusal(USER);
    clock.now += 16 * MINUTE_MS;
    expect(await attempts.waitMs(USER)).toBe(0);
  }
});

test('treats an unreadable count as zero', async () => {
  const storage = createMemoryStorage();
  await storage.set(`refused-keys:{${USER}}`, 'garbage');
  expect(await createKeyAttempts({ records: signedRecords(storage), now: Date.now }).waitMs(USER)).toBe(0);
});
