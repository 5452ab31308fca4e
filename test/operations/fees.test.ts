import { describe, expect } from 'vitest';
import type { Fees, RememberedFees } from '../../src/operations/fees.ts';
import { knownFees } from '../../src/operations/kinds/smart-mode.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { operationIn } from './cards.ts';
import { ENERGY, failing, type OperationsSetup, SMART_MODE, START, test } from './operations-setup.ts';
import { ACCOUNT, accepted, subscription } from './rental-stand-in.ts';

const OTHER = ACCOUNT + 1;
const DAY = '2025-06-01';
const NEXT_DAY = '2025-06-02';

/** Starts Smart Mode at a service that names these fees. */
async function started(
  { executed, rental }: Pick<OperationsSetup, 'executed' | 'rental'>,
  fees: { subscription_fee_trx?: string; transfer_fee_trx?: string },
  { guarantee = true } = {},
) {
  rental.subscriptions.mockResolvedValue(accepted([]));
  rental.activateSmartMode.mockResolvedValueOnce(accepted(subscription({ id: 40, ...fees })));
  return executed({ request: { ...SMART_MODE, guarantee } });
}

const recalled = ({ operations }: Pick<OperationsSetup, 'operations'>, account = ACCOUNT) =>
  operations.fees.recall(account, 'smart-mode');

const NAMED = { subscription_fee_trx: '1.5', transfer_fee_trx: '2.8' };
const KNOWN: Fees = { daily: { trx: '1.50', day: DAY }, guaranteedTransfer: { trx: '2.80', day: DAY } };

describe('the memory of fees', () => {
  test('keeps those of a reply for its account and for all others', async ({ setup }) => {
    await started(setup, NAMED);
    expect(await recalled(setup)).toEqual({ own: KNOWN, ofAnyAccount: KNOWN });
    expect(await recalled(setup, OTHER)).toEqual({ own: {}, ofAnyAccount: KNOWN });
  });

  test('contains only amounts and days in the record for all accounts', async ({ setup }) => {
    await started(setup, NAMED);
    const text = await setup.storage.get('latest-fees:smart-mode');
    expect(JSON.parse(text?.replace(/^[^{]*/, '') ?? '')).toEqual(KNOWN);
  });

  test('treats a changed record as missing', async ({ setup }) => {
    await started(setup, NAMED);
    const text = (await setup.storage.get('latest-fees:smart-mode')) ?? '';
    await setup.storage.set('latest-fees:smart-mode', text.replace('1.50', '0.01'));
    expect(await recalled(setup, OTHER)).toEqual({ own: {}, ofAnyAccount: {} });
  });

  test('keeps fees with and without BW Guarantee apart', async ({ setup }) => {
    await started(setup, NAMED);
    await started(setup, { transfer_fee_trx: '2.5' }, { guarantee: false });
    const { own } = await recalled(setup);
    expect(own).toEqual({ ...KNOWN, transfer: { trx: '2.50', day: DAY } });
  });

  test('replaces fees by those of the same or a later day, and never by older ones', async ({ setup }) => {
    const { operations, clock } = setup;
    const record = (price: string, sentAt: number) =>
      operations.fees.record(operationIn('sent', { request: SMART_MODE, attempt: { sentAt } }), { price });
    clock.now = START + DAY_MS;
    await record('2.00', START + DAY_MS);
    await record('1.00', START);
    expect((await recalled(setup)).own).toEqual({ daily: { trx: '2.00', day: NEXT_DAY } });
    await record('3.00', START + DAY_MS);
    const { own, ofAnyAccount } = await recalled(setup);
    expect(own).toEqual({ daily: { trx: '3.00', day: NEXT_DAY } });
    expect(ofAnyAccount).toEqual(own);
  });

  test('replaces fees of a future day, from before the clock was set back', async ({ setup }) => {
    const { operations, clock } = setup;
    const at = (sentAt: number) => operationIn('sent', { request: SMART_MODE, attempt: { sentAt } });
    await operations.fees.record(at(START + 9 * DAY_MS), { price: '2.00' });
    clock.now = START;
    await operations.fees.record(at(START), { price: '1.00' });
    expect((await recalled(setup)).ofAnyAccount).toEqual({ daily: { trx: '1.00', day: DAY } });
  });

  test('learns nothing from an unknown outcome or from other operations', async ({ setup }) => {
    setup.rental.subscriptions.mockResolvedValue(accepted([]));
    await setup.lost({ request: SMART_MODE });
    await setup.executed({ request: ENERGY });
    expect(await recalled(setup)).toEqual({ own: {}, ofAnyAccount: {} });
  });

  test('does not prevent an outcome if it cannot be written', async ({ setup }) => {
    const away = setup.replica(failing(setup.storage, ({ key }) => key.startsWith('latest-fees')));
    setup.rental.subscriptions.mockResolvedValue(accepted([]));
    setup.rental.activateSmartMode.mockResolvedValueOnce(accepted(subscription({ id: 40, ...NAMED })));
    const operation = await setup.claimed({ request: SMART_MODE });
    await setup.executeClaim(operation, away);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { price: '1.50' } });
  });
});

describe('knownFees', () => {
  const fee = (trx: string) => ({ trx, day: DAY });
  const own = { isOwn: true, day: DAY };
  const others = { isOwn: false, day: DAY };

  test.each<[string, RememberedFees, boolean, ReturnType<typeof knownFees>]>([
    ['nothing without any', { own: {}, ofAnyAccount: {} }, true, { daily: undefined, transfer: undefined }],
    [
      'the own ones before those of other accounts',
      {
        own: { daily: fee('1.00'), transfer: fee('2.00') },
        ofAnyAccount: { daily: fee('1.50'), transfer: fee('2.50') },
      },
      false,
      { daily: { trx: '1.00', ...own }, transfer: { trx: '2.00', ...own } },
    ],
    [
      'those of other accounts, as such',
      { own: {}, ofAnyAccount: { daily: fee('1.50'), guaranteedTransfer: fee('2.80') } },
      true,
      { daily: { trx: '1.50', ...others }, transfer: { trx: '2.80', ...others } },
    ],
    [
      'one sum with BW Guarantee if only the fee without it is known',
      { own: { transfer: fee('2.50') }, ofAnyAccount: {} },
      true,
      { daily: undefined, transfer: { trx: '2.80', ...own } },
    ],
    [
      'the named sum instead of a computed one',
      { own: { transfer: fee('2.50'), guaranteedTransfer: fee('2.75') }, ofAnyAccount: {} },
      true,
      { daily: undefined, transfer: { trx: '2.75', ...own } },
    ],
    [
      'the difference without BW Guarantee if only the fee with it is known',
      { own: { guaranteedTransfer: fee('2.80') }, ofAnyAccount: {} },
      false,
      { daily: undefined, transfer: { trx: '2.50', ...own } },
    ],
  ])('returns %s', (_, remembered, guarantee, expected) => {
    expect(knownFees(remembered, { guarantee, guaranteeFee: '0.3' })).toEqual(expected);
  });
});
