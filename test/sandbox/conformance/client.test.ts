import { Writable } from 'node:stream';
import { afterEach, describe, expect } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { createRental, type Outcome, type Rental } from '../../../src/rental-api/client.ts';
import { readTotpSecret, totpCode, totpStep } from '../../../src/sandbox/rental/two-factor.ts';
import { ADDRESS, addressOf, BANDWIDTH, ENERGY, HALF_HOUR_MS, pay } from './samples.ts';
import { createTarget, type Service } from './target.ts';

const { reads, spends, controls } = createTarget();
const open: Rental[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((rental) => rental.close()));
});

/** Creates a client of the service itself. */
function clientOf({ baseUrl }: Service): Rental {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const rental = createRental({ baseUrl, log: createLog({ level: 'fatal', stream }) });
  open.push(rental);
  return rental;
}

async function accepted<Value>(outcome: Promise<Outcome<Value>>): Promise<Value> {
  const settled = await outcome;
  if (settled.kind !== 'accepted') throw new Error(JSON.stringify(settled));
  return settled.value;
}

const readings = [
  'profile',
  'depositInfo',
  'deposits',
  'withdrawals',
  'subscriptions',
  'packageTiers',
  'webhookLogs',
  'prices',
] as const;

describe('the client, over HTTP', () => {
  for (const method of readings) {
    reads(`${method} is accepted`, async (service) => {
      await accepted<unknown>(clientOf(service)[method](service.key));
    });
  }

  spends('accepts an energy order and a bandwidth order', async (service) => {
    const rental = clientOf(service);
    expect(await accepted(rental.buyEnergy(service.key, ENERGY))).toMatchObject(ENERGY);
    expect(await accepted(rental.buyBandwidth(service.key, BANDWIDTH))).toMatchObject(BANDWIDTH);
  });

  spends('accepts an invoice by energy and one by transfers, and fetches them', async (service) => {
    const rental = clientOf(service);
    const byEnergy = await accepted(rental.createInvoice(service.key, ENERGY));
    const { energy_amount: _, ...rest } = ENERGY;
    const byTransfers = await accepted(rental.createInvoice(service.key, { ...rest, transfer_count: 2 }));
    for (const { invoice_id } of [byEnergy, byTransfers])
      expect(await accepted(rental.invoice(service.key, invoice_id))).toMatchObject({ status: 'pending' });
  });

  spends('a subscription is activated, paused, resumed and deactivated', async (service) => {
    const rental = clientOf(service);
    const { id, status } = await accepted(rental.activateSmartMode(service.key, { address: ADDRESS }));
    const states = [status];
    for (let i = 0; i < 2; i++)
      states.push((await accepted(rental.toggleSubscription(service.key, id))).status);
    states.push((await accepted(rental.deactivateSubscription(service.key, id))).status);
    expect(states).toEqual(['active', 'paused', 'active', 'deactivated']);
  });

  controls('reads an invoice in each state', async (target) => {
    const rental = clientOf(target);
    const states: string[] = [];
    for (const deeds of [[], ['pay'], ['pay', 'delegate'], ['pay', 'fail'], ['expire']]) {
      const { invoice_id } = await accepted(rental.createInvoice(target.key, ENERGY));
      for (const deed of deeds) {
        if (deed === 'pay') await pay(target, { invoice_id });
        else if (deed === 'expire') target.advance(HALF_HOUR_MS);
        else await target.control('POST', `/invoices/${invoice_id}/${deed}`);
      }
      states.push((await accepted(rental.invoice(target.key, invoice_id))).status);
    }
    expect(states).toEqual(['pending', 'paid', 'delegated', 'failed', 'expired']);
  });

  controls('accepts a withdrawal, also with 2FA, and reads it in each state', async (target) => {
    const rental = clientOf(target);
    const withdrawal = { to_address: addressOf('anybody'), amount_trx: '5.50' };
    const totp_code = totpCode(readTotpSecret('JBSWY3DPEHPK3PXP'), totpStep(target.now()));
    const pending = await accepted(rental.withdraw(target.key, withdrawal));
    const completed = await accepted(rental.withdraw('totp-key', { ...withdrawal, totp_code }));
    const failed = await accepted(rental.withdraw('merchant-key', withdrawal));
    await target.control('POST', `/withdrawals/${completed.id}/complete`);
    await target.control('POST', `/withdrawals/${failed.id}/fail`);
    const states = [];
    for (const key of [target.key, 'totp-key', 'merchant-key'])
      for (const { id, status } of await accepted(rental.withdrawals(key))) states.push([id, status]);
    expect(states).toEqual([
      [pending.id, 'pending'],
      [completed.id, 'completed'],
      [failed.id, 'failed'],
    ]);
  });
});
