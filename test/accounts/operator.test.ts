import { describe, expect, test } from 'vitest';
import { createOperator, createOperatorLimits } from '../../src/accounts/operator.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { OFFLINE, profileOf, standInRental } from '../operations/rental-stand-in.ts';
import { tamperedTexts } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';

const OWN = 1000;
const KEY = 'operator-key';

function openOperator() {
  const rental = standInRental();
  rental.profile.mockImplementation(async () => profileOf('500.00', OWN));
  return { rental, operator: createOperator({ rental, operatorKey: KEY }) };
}

describe('the operator account', () => {
  test('is read once, with the operator’s key', async () => {
    const { operator, rental } = openOperator();
    expect(await operator.account()).toBe(OWN);
    expect(await operator.owns(OWN)).toBe(true);
    expect(await operator.owns(OWN + 1)).toBe(false);
    expect(rental.profile.mock.calls).toEqual([[KEY]]);
  });

  test('is unknown while the service is unavailable, and is requested again later', async () => {
    const { operator, rental } = openOperator();
    rental.profile.mockResolvedValueOnce(OFFLINE).mockResolvedValueOnce(OFFLINE);
    expect([await operator.account(), await operator.owns(OWN)]).toEqual([undefined, undefined]);
    expect(await operator.account()).toBe(OWN);
  });

  test('does not exist without a key, and causes no request', async () => {
    const rental = standInRental();
    const operator = createOperator({ rental, operatorKey: undefined });
    expect([await operator.account(), await operator.owns(OWN)]).toEqual([undefined, false]);
    expect(rental.profile).not.toHaveBeenCalled();
  });

  test.each([KEY.slice(1), `${KEY}x`, '', KEY.toUpperCase()])('does not have the key %j', (other) => {
    const { operator } = openOperator();
    expect([operator.isKey(KEY), operator.isKey(other)]).toEqual([true, false]);
  });
});

describe('the operator’s limits', () => {
  function openLimits() {
    const storage = createMemoryStorage();
    return { storage, limits: createOperatorLimits({ records: signedRecords(storage) }) };
  }

  test('are 100 TRX a day without an alert until they are set, each separately', async () => {
    const { limits } = openLimits();
    expect(await limits.get()).toEqual({ dailyCap: '100.00' });
    await limits.setAlert('50.00');
    await limits.setCap('0.00');
    expect(await limits.get()).toEqual({ dailyCap: '0.00', alertBelow: '50.00' });
    await limits.setAlert(undefined);
    expect(await limits.get()).toEqual({ dailyCap: '0.00' });
  });

  test('allow nothing if any field was tampered with, until an admin sets the cap', async () => {
    const { storage, limits } = openLimits();
    await limits.setAlert('50.00');
    await limits.setCap('5.00');
    for (const [path, text] of tamperedTexts((await storage.get('operator-limits')) ?? '')) {
      await storage.set('operator-limits', text);
      expect(await limits.get(), path).toEqual({ dailyCap: '0.00' });
    }
    await limits.setAlert('50.00');
    expect(await limits.get()).toEqual({ dailyCap: '0.00', alertBelow: '50.00' });
    await limits.setCap('7.00');
    expect(await limits.get()).toEqual({ dailyCap: '7.00', alertBelow: '50.00' });
  });
});
