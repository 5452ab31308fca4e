import { expect, test } from 'vitest';
import { json } from '../support/rental-server.ts';
import { calls, invoice } from './calls.ts';
import { ADDRESS, clientOf, KEY } from './fixture.ts';

const ANOTHER = 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig';

const mismatches: [name: string, wrong: object][] = [
  ['buyEnergy', { address: ANOTHER }],
  ['buyBandwidth', { address: ANOTHER }],
  ['buyBandwidth', { bandwidth_amount: 1_001 }],
  ['buyBandwidth', { duration_hours: 1 }],
  ['createInvoice', { address: ANOTHER }],
  ['createInvoice', { energy_amount: 131_000 }],
  ['createInvoice', { duration_hours: 24 }],
  ['activateSmartMode', { address: ANOTHER }],
  ['withdraw', { to_address: ANOTHER }],
  ['withdraw', { amount_trx: '50.000001' }],
  ['withdraw', { amount_trx: '5' }],
];

test.each(mismatches)(
  'reports %s as unknown if the response differs from the request (%j)',
  async (name, wrong) => {
    const call = calls.find((one) => one.name === name);
    const { rental, server } = await clientOf(json(200, Object.assign({}, call?.answer, wrong)));
    expect(await call?.call(rental)).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
    expect(server.requests).toHaveLength(1);
  },
);

test('expects 65,000 energy per transfer in the response to an invoice by transfers', async () => {
  const wish = { address: ADDRESS, transfer_count: 3, duration_hours: 1 };
  const { rental, server } = await clientOf(json(200, { ...invoice, energy_amount: 195_000 }));
  expect(await rental.createInvoice(KEY, wish)).toMatchObject({ kind: 'accepted' });
  server.answerWith(json(200, { ...invoice, energy_amount: 65_000 }));
  expect(await rental.createInvoice(KEY, wish)).toMatchObject({ kind: 'unknown', reason: 'mismatch' });
});
