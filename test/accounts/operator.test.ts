import { expect, test, vi } from 'vitest';
import { createOperator } from '../../src/accounts/operator.ts';
import type { Rental } from '../../src/rental/client.ts';
import { OFFLINE, profileOf } from '../operations/rental-stand-in.ts';

const OWN = 1000;
const profile = () => vi.fn<Rental['profile']>(async () => profileOf('500.00', OWN));

test("the operator's account is read once, by the operator's key", async () => {
  const rental = { profile: profile() };
  const operator = createOperator({ rental, operatorKey: 'operator-key' });
  expect(await operator.account()).toBe(OWN);
  expect(await operator.owns(OWN)).toBe(true);
  expect(await operator.owns(OWN + 1)).toBe(false);
  expect(rental.profile).toHaveBeenCalledExactlyOnceWith('operator-key');
});

test('while the service is away nobody knows, and afterwards it is asked again', async () => {
  const rental = { profile: profile().mockResolvedValueOnce(OFFLINE).mockResolvedValueOnce(OFFLINE) };
  const operator = createOperator({ rental, operatorKey: 'operator-key' });
  expect(await operator.account()).toBeUndefined();
  expect(await operator.owns(OWN)).toBeUndefined();
  expect(await operator.account()).toBe(OWN);
});

test('without a key there is no such account, and nobody is asked', async () => {
  const rental = { profile: profile() };
  const operator = createOperator({ rental, operatorKey: undefined });
  expect(await operator.account()).toBeUndefined();
  expect(await operator.owns(OWN)).toBe(false);
  expect(rental.profile).not.toHaveBeenCalled();
});
