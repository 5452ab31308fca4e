import { beforeEach, expect, test } from 'vitest';
import { createOperatorLimits } from '../../src/accounts/operator-limits.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { changedFields } from '../support/changed-fields.ts';
import { signedRecords } from '../support/records.ts';

const KEY = 'operator-limits';
let storage = createMemoryStorage();
const limits = () => createOperatorLimits({ records: signedRecords(storage) });

beforeEach(() => {
  storage = createMemoryStorage();
});

test('admins may spend 100 TRX a day until one of them says otherwise, and are warned of nothing', async () => {
  expect(await limits().now()).toEqual({ cap: '100.00' });
});

test('each is set by itself', async () => {
  await limits().setAlert('50.00');
  await limits().setCap('0.00');
  expect(await limits().now()).toEqual({ cap: '0.00', alert: '50.00' });
  await limits().setAlert(undefined);
  expect(await limits().now()).toEqual({ cap: '0.00' });
});

test('where anything was changed from outside nobody may spend, until an admin sets a limit anew', async () => {
  await limits().setAlert('50.00');
  await limits().setCap('5.00');
  const [version, mac, ...content] = ((await storage.get(KEY)) ?? '').split('.');
  for (const [path, changed] of changedFields(content.join('.'))) {
    await storage.set(KEY, `${version}.${mac}.${changed}`);
    expect(await limits().now(), path).toEqual({ cap: '0.00' });
  }
  await limits().setAlert('50.00');
  expect(await limits().now()).toEqual({ cap: '0.00', alert: '50.00' });
  await limits().setCap('7.00');
  expect(await limits().now()).toEqual({ cap: '7.00', alert: '50.00' });
});
