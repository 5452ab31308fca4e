import { expect, test, vi } from 'vitest';
import { createOperator } from '../../src/accounts/operator.ts';
import type { Rental } from '../../src/rental-api/client.ts';
import { OFFLINE, profileOf } from '../operations/rental-stand-in.ts';

const OWN = 1000;
const profile = () => vi.fn<Rental['profile']>(async () => profileOf('500.00', OWN));

test('reads the operator account once, with the operator’s key', async () => {
  const rental = { profile: profile() };
  const operator = createOperator({ rental, operatorKey: 'operator-key' });
  expect(await operator.account()).toBe(OWN);
  expect(await operator.owns(OWN)).toBe(true);
  expect(await operator.owns(OWN + 1)).toBe(false);
  expect(rental.profile).toHaveBeenCalledExactlyOnceWith('operator-key');
});

test('returns undefined while the service is unavailable, and asks again later', async () => {
  const rental = { profile: profile().mockResolvedValueOnce(OFFLINE).mockResolvedValueOnce(OFFLINE) };
  const operator = createOperator({ rental, operatorKey: 'operator-key' });
  expect(await operator.account()).toBeUndefined();
  expect(await operator.owns(OWN)).toBeUndefined();
  expect(await operator.account()).toBe(OWN);
});

test('has no account without a key, and sends no request', async () => {
  const rental = { profile: profile() };
  const operator = createOperator({ rental, operatorKey: undefined });
  expect(await operator.account()).toBeUndefined();
  expect(await operator.owns(OWN)).toBe(false);
  expect(rental.profile).not.toHaveBeenCalled();
});
