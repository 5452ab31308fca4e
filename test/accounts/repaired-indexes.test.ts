import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { standInRental } from '../operations/rental-stand-in.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';

test('accounts and users that indexes lack are added by the keys of their records, and logged', async () => {
  const storage = createMemoryStorage();
  const { log, lines } = recordingLog();
  const { links, addressAnnouncements, repairIndexes } = createAccounts({
    ...{ storage, log, records: signedRecords(storage), leases: createLeases({ storage }) },
    ...{ seal: createSeal([randomBytes(32)]), rental: standInRental() },
    ...{ userKeys: { of: async () => [] }, operatorKey: undefined, isAdmin: () => false, now: Date.now },
  });
  const withdrawal = { user: 501, account: 1001, address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', trx: '5.00' };
  await links.link(501, 1001, 'an-api-key-of-the-tests', 'en');
  await links.link(502, 1002, 'an-api-key-of-the-tests', 'en');
  const announcement = await addressAnnouncements.draft(withdrawal);
  if (announcement) await addressAnnouncements.add(announcement);
  await addressAnnouncements.recordUse(withdrawal);

  await storage.index.remove('linked-accounts', '1001');
  await storage.index.remove('announcing-accounts:{501}', '1001');
  for (const _ of [1, 2]) await repairIndexes(await storedKeys(storage));
  expect(await links.linkedAccounts({ above: 0, limit: 9 })).toEqual([1001, 1002]);
  expect(await addressAnnouncements.ofUser(501)).toHaveLength(1);
  expect(lines()).toMatchObject([{ level: 'warn', count: 2 }]);
});
