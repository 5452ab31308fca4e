import { expect, expectTypeOf, test } from 'vitest';
import type { Rental } from '../../src/rental-api/client.ts';
import {
  createOperatorInvoices,
  OPERATOR_ACCOUNT,
  type OperatorInvoices,
} from '../../src/rental-api/client.ts';
import { accepted, CUT, standInRental } from '../operations/rental-stand-in.ts';
import { ADDRESS } from './fixture.ts';

const KEY = 'the-key-of-the-operator';
const WISH = { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 } as const;

test('lets guests’ code create and read invoices only', () => {
  const rental = standInRental();
  const invoices = createOperatorInvoices({ rental, operatorKey: KEY });
  expect(Object.keys(invoices).sort()).toEqual(['create', 'read']);
  expectTypeOf<keyof OperatorInvoices>().toEqualTypeOf<'create' | 'read'>();
  expectTypeOf<Parameters<typeof createOperatorInvoices>[0]['rental']>().toEqualTypeOf<
    Pick<Rental, 'createInvoice' | 'invoice'>
  >();
  // Neither the key nor a function that takes one is reachable from the object.
  expect(JSON.stringify(invoices)).toBe('{}');
  for (const one of Object.values(invoices))
    expect(Object.getOwnPropertyNames(one)).not.toContain('operatorKey');
});

test('calls each endpoint once with the operator’s key', async () => {
  const rental = standInRental();
  rental.createInvoice.mockResolvedValue(CUT);
  rental.invoice.mockResolvedValue(CUT);
  const invoices = createOperatorInvoices({ rental, operatorKey: KEY });
  expect(await invoices.create(WISH)).toEqual(CUT);
  expect(await invoices.read(7)).toEqual(CUT);
  expect(rental.createInvoice.mock.calls).toEqual([[KEY, WISH]]);
  expect(rental.invoice.mock.calls).toEqual([[KEY, 7]]);
  for (const [name, method] of Object.entries(rental))
    expect(method).toHaveBeenCalledTimes(['createInvoice', 'invoice'].includes(name) ? 1 : 0);
});

test('uses an account number for the operator that the service never uses', () => {
  expect(OPERATOR_ACCOUNT).toBe(0);
  expect(accepted(OPERATOR_ACCOUNT).value).not.toBeGreaterThan(0);
});
