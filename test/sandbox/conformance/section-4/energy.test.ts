import { describe, expect } from 'vitest';
import { ADDRESS, addressOf } from '../addresses.ts';
import { units } from '../amounts.ts';
import { wallet } from '../chain.ts';
import { Activation } from '../resources.ts';
import { balance, buyEnergy, cost, ENERGY } from '../samples.ts';
import { createTarget } from '../target.ts';

const { spends, controls } = createTarget();

describe('4.1 POST /api/v1/energy/buy', () => {
  spends('"Response: an Energy order", with the requested values', async (service) => {
    const asked = { ...ENERGY, energy_amount: 65_000, duration_hours: 24 };
    expect(await buyEnergy(service, asked)).toMatchObject({ ...asked, status: 'pending' });
  });

  spends('"the cost is deducted from the account balance": exactly price_trx', async (service) => {
    const before = await balance(service);
    const { price_trx } = await buyEnergy(service);
    expect(units(price_trx)).toBeGreaterThan(0n);
    expect(before - (await balance(service))).toBe(units(price_trx));
  });

  controls(
    '"Delegates energy to a chain address": to any address, once the order is filled',
    async (target) => {
      for (const address of [ADDRESS, addressOf('anybody')]) {
        const { order_id } = await buyEnergy(target, { address });
        expect(await wallet(target, address)).toMatchObject({ energy: 0 });
        await target.control('POST', `/orders/${order_id}/fill`);
        expect(await wallet(target, address)).toMatchObject({ energy: 32_000 });
      }
    },
  );

  for (const hours of [1, 24]) {
    controls(
      `"for a rental duration of ${hours} hours": from the time it is filled, and no longer`,
      async (target) => {
        const { order_id } = await buyEnergy(target, { duration_hours: hours });
        target.advance(60_000);
        await target.control('POST', `/orders/${order_id}/fill`);
        target.advance(hours * 3_600_000 - 1);
        expect(await wallet(target, ADDRESS)).toMatchObject({ energy: 32_000 });
        target.advance(1);
        expect(await wallet(target, ADDRESS)).toMatchObject({ energy: 0 });
      },
    );
  }

  controls('an insufficient balance is rejected without a charge', async (target) => {
    const { price_trx } = await buyEnergy(target);
    const asked = { key: 'empty-key', body: ENERGY };
    const short = `${units(price_trx) - 1n}`.padStart(7, '0').replace(/(\d{6})$/, '.$1');
    await target.control('POST', '/accounts/1003/balance', { balance_trx: short });
    const refused = await target.ask('POST', '/energy/buy', asked);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('INSUFFICIENT_BALANCE')]);
    expect(await balance(target, { key: 'empty-key' })).toBe(units(price_trx) - 1n);
    await target.control('POST', '/accounts/1003/balance', { balance_trx: price_trx });
    await buyEnergy(target, {}, { key: 'empty-key' });
    expect(await balance(target, { key: 'empty-key' })).toBe(0n);
  });
});

describe('4.3 POST /api/v1/energy/activate', () => {
  controls('"Activates a chain address that has never received any transaction"', async (target) => {
    const address = addressOf('new');
    expect(await wallet(target, address)).toMatchObject({ active: false });
    expect(await target.post('/energy/activate', Activation, { address })).toMatchObject({ success: true });
    expect(await wallet(target, address)).toMatchObject({ active: true });
  });

  controls('"Cost: 1.1 TRX, deducted from the balance"', async (target) => {
    const activate = () => target.post('/energy/activate', Activation, { address: addressOf('new') });
    expect(await cost(target, activate)).toBe(1_100_000n);
  });

  controls('an active address is rejected without a charge', async (target) => {
    const body = { address: addressOf('new') };
    await target.post('/energy/activate', Activation, body);
    const again = async () => {
      const { status, text } = await target.ask('POST', '/energy/activate', { body });
      expect([status, text]).toEqual([409, expect.stringContaining('ADDRESS_ALREADY_ACTIVE')]);
    };
    expect(await cost(target, again)).toBe(0n);
  });

  controls('an insufficient balance is rejected without an activation', async (target) => {
    const address = addressOf('new');
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '1.099999' });
    const asked = { key: 'empty-key', body: { address } };
    expect(await target.ask('POST', '/energy/activate', asked)).toMatchObject({ status: 400 });
    expect(await wallet(target, address)).toMatchObject({ active: false });
    await target.control('POST', '/accounts/1003/balance', { balance_trx: '1.1' });
    await target.post('/energy/activate', Activation, { address }, { key: 'empty-key' });
    expect(await balance(target, { key: 'empty-key' })).toBe(0n);
  });
});
