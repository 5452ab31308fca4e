import { describe, expect } from 'vitest';
import { z } from 'zod';
import { ADDRESS, addressOf } from '../addresses.ts';
import { units } from '../amounts.ts';
import { transfer } from '../chain.ts';
import { Deactivation, Subscription } from '../resources.ts';
import { activateSmartMode, balance, cost, DAY_MS } from '../samples.ts';
import { createTarget, type SandboxTarget } from '../target.ts';

const { controls } = createTarget();
const SHOP = addressOf('shop');

describe('3. Smart Mode subscription', () => {
  const toggle = (target: SandboxTarget, id: number) => target.post(`/smart-mode/${id}/toggle`, Subscription);
  const list = (target: SandboxTarget) => target.get('/smart-mode/subscriptions', z.array(Subscription));
  /** Makes the watched address send USDT, which uses energy. */
  const watchedTransfer = async (target: SandboxTarget) => {
    await transfer(target, { to: ADDRESS, amount: '1' });
    await transfer(target, { to: SHOP, amount: '1' });
    await transfer(target, { to: ADDRESS, currency: 'USDT', amount: '1' });
    await transfer(target, { from: ADDRESS, to: SHOP, currency: 'USDT', amount: '1' });
  };

  controls('(none) → active: "first daily fee charged immediately"', async (target) => {
    const before = await balance(target);
    const { status, subscription_fee_trx } = await activateSmartMode(target);
    expect(status).toBe('active');
    expect(units(subscription_fee_trx)).toBeGreaterThan(0n);
    expect(before - (await balance(target))).toBe(units(subscription_fee_trx));
  });

  controls('(none) → active only if the "address has no active transfer package"', async (target) => {
    const { packages } = await target.controlled(Packages, 'GET', '/state');
    const address = packages[0]?.address;
    expect(address).toBeDefined();
    const asked = { key: 'package-key', body: { address } };
    const refused = await target.ask('POST', '/smart-mode/activate', asked);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('PACKAGE_CONFLICT')]);
    await target.post('/smart-mode/activate', Subscription, { address: addressOf('other') }, asked);
  });

  controls('"A daily fee is charged": one each 24 hours while active', async (target) => {
    const { subscription_fee_trx } = await activateSmartMode(target);
    const fee = units(subscription_fee_trx);
    const { advance } = target;
    expect(await cost(target, async () => advance(DAY_MS - 1))).toBe(0n);
    expect(await cost(target, async () => advance(1))).toBe(fee);
    expect(await cost(target, async () => advance(3 * DAY_MS))).toBe(3n * fee);
  });

  controls('"a per-transfer fee applies", with a delivery of energy', async (target) => {
    const { transfer_fee_trx } = await activateSmartMode(target, { bw_guarantee: false });
    expect(await cost(target, () => watchedTransfer(target))).toBe(units(transfer_fee_trx));
  });

  controls('"An optional BW Guarantee adds 0.3 TRX per transfer"', async (target) => {
    const without = await activateSmartMode(target, { bw_guarantee: false });
    const plain = await cost(target, () => watchedTransfer(target));
    await target.ask('POST', `/smart-mode/${without.id}/deactivate`);
    await activateSmartMode(target, { bw_guarantee: true });
    expect((await cost(target, () => watchedTransfer(target))) - plain).toBe(300_000n);
  });

  controls(
    'active → paused: "no fee is charged and transfers are not tracked while paused"',
    async (target) => {
      const { id } = await activateSmartMode(target);
      expect(await toggle(target, id)).toMatchObject({ id, status: 'paused' });
      expect(await list(target)).toMatchObject([{ id, status: 'paused' }]);
      expect(await cost(target, () => watchedTransfer(target))).toBe(0n);
      expect(await cost(target, async () => target.advance(10 * DAY_MS))).toBe(0n);
    },
  );

  controls('paused → active: "fees and tracking resume"', async (target) => {
    const { id, subscription_fee_trx } = await activateSmartMode(target);
    await toggle(target, id);
    target.advance(DAY_MS / 2);
    expect(await toggle(target, id)).toMatchObject({ id, status: 'active' });
    expect(await cost(target, () => watchedTransfer(target))).toBeGreaterThan(0n);
    expect(await cost(target, async () => target.advance(2 * DAY_MS))).toBe(2n * units(subscription_fee_trx));
  });

  for (const paused of [false, true]) {
    controls(
      `${paused ? 'paused' : 'active'} → deactivated: "permanent and irreversible", "excluded from the list"`,
      async (target) => {
        const { id } = await activateSmartMode(target);
        if (paused) await toggle(target, id);
        const gone = await target.post(`/smart-mode/${id}/deactivate`, Deactivation);
        expect(gone).toMatchObject({ id, address: ADDRESS, status: 'deactivated' });
        expect(await list(target)).toEqual([]);
        expect(await cost(target, () => watchedTransfer(target))).toBe(0n);
        expect(await cost(target, async () => target.advance(3 * DAY_MS))).toBe(0n);
        for (const deed of ['toggle', 'deactivate']) {
          const { status } = await target.ask('POST', `/smart-mode/${id}/${deed}`);
          expect(status).toBeOneOf([404, 409]);
        }
        expect(await list(target)).toEqual([]);
      },
    );
  }

  controls('"a new subscription must be created to re-enable"', async (target) => {
    const first = await activateSmartMode(target);
    await target.post(`/smart-mode/${first.id}/deactivate`, Deactivation);
    const second = await activateSmartMode(target);
    expect(second.id).not.toBe(first.id);
    expect(await list(target)).toMatchObject([{ id: second.id, status: 'active' }]);
  });

  const Packages = z.looseObject({ packages: z.array(z.looseObject({ address: z.string() })) });
});
