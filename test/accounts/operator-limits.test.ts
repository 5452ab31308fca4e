import { beforeEach, expect, test } from 'vitest';
import { createOperatorLimits } from '../../src/accounts/operator.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';

const KEY = 'operator-limits';
let storage = createMemoryStorage();
const limits = () => createOperatorLimits({ records: signedRecords(storage) });

beforeEach(() => {
  storage = createMemoryStorage();
});

test('defaults to 100 TRX a day without an alert', async () => {
  expect(await limits().get()).toEqual({ dailyCap: '100.00' });
});

test('sets cap and alert separately', async () => {
  await limits().setAlert('50.00');
  await limits().setCap('0.00');
  expect(await limits().get()).toEqual({ dailyCap: '0.00', alertBelow: '50.00' });
  await limits().setAlert(undefined);
  expect(await limits().get()).toEqual({ dailyCap: '0.00' });
});

test('sets the cap to zero if any field was tampered with, until an admin sets it', async () => {
  await limits().setAlert('50.00');
  await limits().setCap('5.00');
  const [version, mac, ...content] = ((await storage.get(KEY)) ?? '').split('.');
  for (const [path, changed] of changedFields(content.join('.'))) {
    await storage.set(KEY, `${version}.${mac}.${changed}`);
    expect(await limits().get(), path).toEqual({ dailyCap: '0.00' });
  }
  await limits().setAlert('50.00');
  expect(await limits().get()).toEqual({ dailyCap: '0.00', alertBelow: '50.00' });
  await limits().setCap('7.00');
  expect(await limits().get()).toEqual({ dailyCap: '7.00', alertBelow: '50.00' });
});
