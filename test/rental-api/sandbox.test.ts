import { expect, onTestFinished, test } from 'vitest';
import { createRental, type Outcome } from '../../src/rental-api/client.ts';
import { createClock } from '../../src/sandbox/clock.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { startHttpServer } from '../support/http-server.ts';
import { silentLog } from '../support/log-lines.ts';

const KEY = 'demo-key';
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const FRESH = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

/** Opens a client that calls the sandbox over HTTP, and the sandbox's control API. */
async function world() {
  const sandbox = createSandbox({ token: '700:client', clock: createClock(Date.UTC(2030, 0, 1)) });
  const server = await startHttpServer(sandbox.fetch);
  const rental = createRental({ baseUrl: `${server.origin}/api`, log: silentLog(), now: sandbox.clock.now });
  onTestFinished(async () => {
    await rental.close();
    sandbox.stop();
    await server.close();
  });
  const control = async (path: string, body: object = {}) => {
    const answer = await fetch(`${server.origin}/sandbox/rental${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, path).toBe(200);
  };
  return { rental, control, clock: sandbox.clock };
}

async function accepted<Value>(outcome: Promise<Outcome<Value>>): Promise<Value> {
  const settled = await outcome;
  if (settled.kind !== 'accepted') throw new Error(JSON.stringify(settled));
  return settled.value;
}

test('understands the responses of the sandbox', async () => {
  const { rental, control, clock } = await world();
  const order = await accepted(
    rental.buyEnergy(KEY, { address: ADDRESS, energy_amount: 65_000, duration_hours: 1 }),
  );
  expect(order).toMatchObject({ price_trx: '2.32', status: 'pending' });
  const bandwidth = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
  expect(await accepted(rental.buyBandwidth(KEY, bandwidth))).toMatchObject({ price_trx: '9.80' });
  expect(await accepted(rental.activateAddress(KEY, { address: FRESH }))).toMatchObject({ success: true });
  expect(await rental.activateAddress(KEY, { address: FRESH })).toMatchObject({
    kind: 'rejected',
    code: 'ADDRESS_ALREADY_ACTIVE',
  });

  const wish = { address: ADDRESS, transfer_count: 100, duration_hours: 24 };
  const { invoice_id } = await accepted(rental.createInvoice(KEY, wish));
  expect(await accepted(rental.invoice(KEY, { invoice_id }))).toMatchObject({ status: 'pending' });
  await control(`/invoices/${invoice_id}/pay`);
  await control(`/invoices/${invoice_id}/delegate`);
  expect(await accepted(rental.invoice(KEY, { invoice_id }))).toMatchObject({
    status: 'delegated',
    tx_hash: expect.any(String),
  });

  const { id, ...subscription } = await accepted(rental.activateSmartMode(KEY, { address: ADDRESS }));
  expect(subscription).toMatchObject({ label: null, bw_guarantee: true, status: 'active' });
  expect(await accepted(rental.toggleSubscription(KEY, { subscription_id: id }))).toMatchObject({
    id,
    status: 'paused',
  });
  expect(await accepted(rental.subscriptions(KEY))).toMatchObject([{ id, status: 'paused' }]);
  expect(await accepted(rental.deactivateSubscription(KEY, { subscription_id: id }))).toMatchObject({
    status: 'deactivated',
  });
  expect(await accepted(rental.subscriptions(KEY))).toEqual([]);

  const withdrawal = { to_address: ADDRESS, amount_trx: '5' };
  expect(await accepted(rental.withdraw(KEY, withdrawal))).toMatchObject({ status: 'pending' });
  await control('/withdrawals/1/complete');
  clock.advance(61_000);
  await accepted(rental.withdraw(KEY, withdrawal));
  expect(await accepted(rental.withdrawals(KEY))).toMatchObject([
    { status: 'pending' },
    { status: 'completed' },
  ]);

  await control('/accounts/1001/deposit', { amount: '3', currency: 'USDT' });
  await control('/accounts/1001/deposit', { amount: '3', confirm: false });
  expect(await accepted(rental.deposits(KEY))).toMatchObject([
    { status: 'pending', amount_trx: '3.00' },
    { status: 'confirmed', currency: 'USDT' },
  ]);

  expect((await accepted(rental.packageTiers(KEY))).tiers).not.toEqual([]);
  expect(await accepted(rental.prices(KEY))).toEqual({
    energySunPerUnit: { '1': '35.68', '24': '65.00' },
    burnTrx: '6.50',
    usdRate: '0.3250',
  });
  expect(await accepted(rental.configureWebhook(KEY, { url: '' }))).toMatchObject({ active: false });
  await accepted(rental.webhookLogs(KEY));
  await accepted(rental.depositInfo(KEY));
  expect(await accepted(rental.profile(KEY))).toMatchObject({ id: 1001, totp_enabled: false });
});

test('requires a one-time code if 2FA is enabled', async () => {
  const { rental, clock } = await world();
  const request = { to_address: ADDRESS, amount_trx: '5' };
  expect(await rental.withdraw('totp-key', request)).toMatchObject({
    kind: 'rejected',
    code: '2FA_REQUIRED',
  });
  clock.advance(61_000);
  const wrong = await rental.withdraw('totp-key', { ...request, totp_code: '000000' });
  expect(wrong).toMatchObject({ kind: 'rejected', code: 'INVALID_2FA_CODE' });
});
