import { expect, test } from 'vitest';
import { chainAddressOf } from '../../../../src/sandbox/rental/chain-address.ts';
import { events, operations, resources } from '../../../../src/sandbox/rental/openapi.ts';
import { demoSeed } from '../../../../src/sandbox/rental/state.ts';
import { readTotpSecret, totpCode, totpStep } from '../../../../src/sandbox/rental/two-factor.ts';
import { expectDocumented } from '../documented.ts';
import { ADDRESS, ORDER, PATIENCE, serveRental } from '../rental-server.ts';
import { receiveWebhooks } from '../webhook-receiver.ts';

const BROKEN = 'TKVSaJQDWeKFSEXmA44pjxduGTxy999999';
const SECRET = readTotpSecret('JBSWY3DPEHPK3PXP');
const [PACKAGE] = demoSeed().packages ?? [];
const bandwidth = { address: ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 };
const invoice = { address: ADDRESS, transfer_count: 2, duration_hours: 1 };
const withdrawal = { to_address: ADDRESS, amount_trx: '5' };

/** Opens a visitor that sends requests, checks the responses against the document and records them. */
async function visitor() {
  const rental = await serveRental();
  const seen = new Set<string>();
  const visit = async (name: string, asked: { id?: number; key?: string; body?: unknown } = {}) => {
    const { id, ...more } = asked;
    const [method = '', path = ''] = name.replace(/\{\w+\}/, String(id)).split(' ');
    const { status, json } = await rental.ask<Record<string, unknown>>(method, path, more);
    const detail = json.detail as { error?: { code: string } } | undefined;
    seen.add(`${name} → ${detail?.error?.code ?? status}`);
    return json;
  };
  return { rental, seen, visit };
}

test('responds at every endpoint as documented, including every rejection', async () => {
  const { rental, seen, visit } = await visitor();
  const fresh = chainAddressOf('never used');
  const other = chainAddressOf('another one that was never used');

  for (const name of Object.keys(operations).filter((one) => one.startsWith('GET ') && !one.includes('{'))) {
    await visit(name);
  }
  const buying: [name: string, body: object][] = [
    ['POST /energy/buy', ORDER],
    ['POST /bandwidth/buy', bandwidth],
    ['POST /energy/activate', { address: fresh }],
    ['POST /smart-mode/activate', { address: ADDRESS, label: 'Shop' }],
  ];
  for (const [name, body] of buying) {
    await visit(name, {
      key: 'empty-key',
      body: { ...body, ...(name.includes('energy/activate') && { address: other }) },
    });
    await visit(name, { body });
    await visit(name, { body: { ...body, address: BROKEN } });
    await visit(name, { body });
  }
  await visit('POST /smart-mode/activate', { body: { address: PACKAGE?.address } });

  const [subscription] = (await visit('GET /smart-mode/subscriptions')) as unknown as { id: number }[];
  for (const action of ['toggle', 'deactivate']) {
    const name = `POST /smart-mode/{subscription_id}/${action}`;
    await visit(name, { id: subscription?.id, key: 'merchant-key' });
    await visit(name, { id: subscription?.id });
    await visit(name, { id: subscription?.id });
  }
  await visit('POST /smart-mode/{subscription_id}/toggle', { id: subscription?.id });

  await visit('POST /invoices', { body: { ...invoice, address: BROKEN } });
  const made = await visit('POST /invoices', { body: invoice });
  await visit('GET /invoices/{invoice_id}', { id: Number(made.invoice_id) });
  await visit('GET /invoices/{invoice_id}', { id: 99 });
  for (const end of ['pay', 'delegate']) {
    await rental.control('POST', `/invoices/${made.invoice_id}/${end}`);
    await visit('GET /invoices/{invoice_id}', { id: Number(made.invoice_id) });
  }

  const withdraw = async (key: string, body: object) => {
    await visit('POST /account/withdrawal', { key, body });
    rental.clock.advance(61_000);
  };
  await withdraw('demo-key', { ...withdrawal, to_address: BROKEN });
  await withdraw('demo-key', { ...withdrawal, amount_trx: '100000' });
  await withdraw('totp-key', withdrawal);
  await withdraw('totp-key', { ...withdrawal, totp_code: '000000' });
  const code = totpCode(SECRET, totpStep(rental.clock.now()));
  await withdraw('totp-key', { ...withdrawal, totp_code: code });
  await withdraw('demo-key', withdrawal);
  await rental.control('POST', '/withdrawals/2/complete');
  await rental.control('POST', '/accounts/1001/deposit', { amount: '3', currency: 'USDT' });
  await rental.control('POST', '/accounts/1001/deposit', { amount: '3', confirm: false });
  for (const history of ['withdrawals', 'deposits']) await visit(`GET /account/${history}`);
  await visit('POST /webhooks/configure', { body: { url: '' } });

  const documented = Object.entries(operations).flatMap(([name, { refusals }]) =>
    [200, ...Object.values(refusals ?? {}).flat()].map((answer) => `${name} → ${answer}`),
  );
  // The first is tested below. The second can't occur because packages can't be bought.
  expect(documented.filter((one) => !seen.has(one))).toEqual([
    'POST /smart-mode/{subscription_id}/toggle → INSUFFICIENT_BALANCE',
    'POST /smart-mode/{subscription_id}/toggle → PACKAGE_CONFLICT',
  ]);
});

test('rejects resuming a subscription after its paid day without money', async () => {
  const { rental, seen, visit } = await visitor();
  const subscription = await visit('POST /smart-mode/activate', { body: { address: ADDRESS } });
  await rental.control('POST', '/accounts/1001/balance', { balance_trx: '0' });
  rental.clock.advance(25 * 60 * 60 * 1000);
  await visit('POST /smart-mode/{subscription_id}/toggle', { id: Number(subscription.id) });
  expect(seen).toContain('POST /smart-mode/{subscription_id}/toggle → INSUFFICIENT_BALANCE');
});

test('detects a response that is not documented', () => {
  const order = { order_id: 1, ...ORDER, price_trx: '2.32', status: 'pending' };
  const check =
    (json: unknown, status = 200) =>
    () =>
      expectDocumented('POST', '/energy/buy', { status, json });
  const refusal = (code: string) => ({ detail: { error: { code, message: '' } } });
  check(order)();
  check(refusal('INSUFFICIENT_BALANCE'), 400)();
  expect(check({ ...order, more: 1 })).toThrow('more');
  expect(check({ ...order, price_trx: 2.32 })).toThrow('price_trx');
  expect(check(refusal('INVOICE_NOT_FOUND'), 400)).toThrow('INVOICE_NOT_FOUND');
  expect(check({ error: 'no' }, 422)).toThrow('error');
});

test('sends every event as documented', async () => {
  const { rental, visit } = await visitor();
  const receiver = await receiveWebhooks(200);
  await visit('POST /webhooks/configure', { body: { url: receiver.url } });
  await visit('POST /energy/buy', { body: ORDER });
  await visit('POST /bandwidth/buy', { body: bandwidth });
  await rental.control('POST', '/orders/10001/fill');
  await rental.control('POST', '/orders/10002/fail');
  await rental.control('POST', '/accounts/1001/deposit', { amount: '3', currency: 'USDT' });
  const { invoice_id } = await visit('POST /invoices', { body: invoice });
  await rental.control('POST', `/invoices/${invoice_id}/pay`, { currency: 'USDT' });
  await rental.control('POST', `/invoices/${invoice_id}/delegate`);
  const { id } = await visit('POST /smart-mode/activate', { body: { address: ADDRESS } });
  await rental.control('POST', `/smart-mode/${id}/transfer`, { amount: '7' });
  await visit('POST /account/withdrawal', { body: withdrawal });
  await rental.control('POST', '/withdrawals/1/complete');

  await expect
    .poll(async () => (await rental.state()).webhook_log.filter(({ attempts }) => attempts), PATIENCE)
    .toHaveLength(7);
  const { webhook_log: log } = await rental.state();
  expect(log.map(({ event_type }) => event_type).sort()).toEqual(Object.keys(events).sort());
  for (const { event_type, payload } of log) {
    const { data = 'Refusal' } = events[event_type] ?? {};
    expect(resources[data].safeParse(payload).error?.issues, event_type).toBeUndefined();
  }
});
