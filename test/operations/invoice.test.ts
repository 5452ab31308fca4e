import { test as base, describe, expect } from 'vitest';
import type { DoneOperation } from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { OPERATOR_ACCOUNT } from '../../src/rental-api/client.ts';
import type { Invoice } from '../../src/rental-api/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { failing, INVOICE, type OperationsSetup, setUpOperations } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, OFFLINE, profileOf, rejected } from './rental-stand-in.ts';

const PAY_TO = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const GUEST = { request: INVOICE, account: OPERATOR_ACCOUNT };
const HOLDER = { request: INVOICE, account: ACCOUNT };
const WAYS = [
  ['a guest', GUEST],
  ['an account', HOLDER],
] as const;

const madeInvoice = (more: Partial<Invoice> = {}): Invoice => ({
  invoice_id: 51,
  payment_address: PAY_TO,
  address: ADDRESS,
  energy_amount: 130_000,
  duration_hours: 1,
  price_trx: '4.64',
  price_usdt: '1.39',
  status: 'pending',
  expires_at: '2025-06-01T12:30:00Z',
  ...more,
});

function openMaker() {
  const setup = setUpOperations();
  setup.rental.createInvoice.mockImplementation(async () => accepted(madeInvoice()));
  return setup;
}

const test = base.extend('setup', () => openMaker());

describe.each(WAYS)('for %s', (_, wanted) => {
  test('creates an invoice with one request and stores it before it is shown', async ({ setup }) => {
    const seen: unknown[] = [];
    setup.show.mockImplementation(async (operation) => {
      if (operation.state === 'done') seen.push((await setup.read<DoneOperation>(operation)).result);
      return { kind: 'shown', card: 40 };
    });
    const operation = await setup.claimed(wanted);
    await Promise.all([setup.advance(operation), setup.advance(operation), setup.advance(operation)]);
    await setup.pass(60_000);
    expect(setup.rental.createInvoice).toHaveBeenCalledTimes(1);
    const result = { order: 51, invoice: { paymentAddress: PAY_TO, priceTrx: '4.64', priceUsdt: '1.39' } };
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result });
    expect(seen).toMatchObject([result]);
    // The module that manages invoices received it first.
    expect(setup.onExecuted.mock.calls[0]?.[0]).toMatchObject({ state: 'done', result });
    expect(setup.onExecuted).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['over 5 % above the estimate', '60', 'price'],
    ['5 % above the estimate', '37.4', 'done'],
  ])('a price %s: %s sun leads to %s', async (_what, sun, reason) => {
    const setup = openMaker();
    setup.rental.prices.mockResolvedValue(accepted({ energySunPerUnit: { 1: sun } }));
    const operation = await setup.executed({ ...wanted, estimate: '4.64' });
    expect(await setup.refusal(operation)).toBe(reason);
    const wasAsked = reason === 'done';
    expect(setup.rental.createInvoice).toHaveBeenCalledTimes(wasAsked ? 1 : 0);
    // A refused invoice doesn't count towards a guest's limits.
    if (!wasAsked) expect(setup.applyGuestLimits).not.toHaveBeenCalled();
  });

  test('retries handing over the invoice until it succeeds, without another request', async ({ setup }) => {
    for (let at = 0; at < 3; at++) setup.onExecuted.mockRejectedValueOnce(new Error('the storage is away'));
    const operation = await setup.executed(wanted);
    await setup.pass(120_000);
    expect(setup.onExecuted).toHaveBeenCalledTimes(4);
    expect(await setup.read(operation)).not.toHaveProperty('onExecutedPending');
    expect(setup.rental.createInvoice).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['a lost response', CUT],
    ['an unreadable response', { kind: 'unknown', reason: 'unreadable', message: 'no' } as const],
    ['a mismatching response', { kind: 'unknown', reason: 'mismatch', message: 'no' } as const],
    [
      'a payment address with a wrong checksum',
      accepted(madeInvoice({ payment_address: `${PAY_TO.slice(0, -1)}5` })),
    ],
    [
      'a payment address of another chain',
      accepted(madeInvoice({ payment_address: '0x52908400098527886E0F7030069857D2' })),
    ],
  ])('%s counts as not made, and another invoice can be created', async (_what, outcome) => {
    const setup = openMaker();
    setup.rental.createInvoice.mockResolvedValueOnce(outcome);
    const operation = await setup.executed(wanted);
    await setup.pass(60_000);
    expect(await setup.refusal(operation)).toBe('not-made');
    expect(setup.shown()).not.toContain('unknown');
    expect(setup.onExecuted).not.toHaveBeenCalled();
    expect(setup.rental.createInvoice).toHaveBeenCalledTimes(1);
    expect(await setup.outcome(wanted)).toMatchObject({ state: 'done' });
  });

  test.each([
    ['was not sent', OFFLINE, 'offline'],
    ['was refused', rejected(422, 'INVALID_ADDRESS'), 'address'],
    ['came too soon', rejected(429, 'RATE_LIMITED', 9_000), 'limited'],
  ])('an invoice request that %s is refused with its reason', async (_what, outcome, reason) => {
    const setup = openMaker();
    setup.rental.createInvoice.mockResolvedValueOnce(outcome);
    expect(await setup.outcome(wanted)).toMatchObject({ state: 'refused', refusal: { reason } });
  });

  test('is refused when its process is killed between claim and request', async ({ setup }) => {
    const operation = await setup.claimed(wanted);
    const dying = setup.replica(failing(setup.storage, ({ method }) => method === 'replaceAndAdd'));
    await setup.executeClaim(operation, dying);
    await setup.pass(60_000);
    expect(setup.rental.createInvoice).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('interrupted');
  });

  test('killed after the request: not made, never unknown, and not sent again', async ({ setup }) => {
    const operation = await setup.claimed(wanted);
    let ended = false;
    const own = setup.replica(failing(setup.storage, () => ended));
    setup.rental.createInvoice.mockImplementationOnce(() => {
      ended = true;
      return new Promise(() => undefined);
    });
    void setup.executeClaim(operation, own);
    await eventually(() => expect(ended).toBe(true));
    await setup.pass(60_000);
    expect(await setup.refusal(operation)).toBe('not-made');
    expect(setup.shown()).not.toContain('unknown');
    expect(setup.rental.createInvoice).toHaveBeenCalledTimes(1);
  });

  test('is refused when its record vanishes right before the request', async ({ setup }) => {
    const operation = await setup.claimed(wanted);
    const key = `operation:{${operation.user}}:${operation.id}`;
    const vanish = () => setup.storage.delete(key);
    if (wanted === GUEST)
      setup.applyGuestLimits.mockImplementationOnce(async () => {
        await vanish();
        return undefined;
      });
    else
      setup.rental.profile.mockImplementationOnce(async () => {
        await vanish();
        return profileOf('1000.00');
      });
    await setup.advance(operation);
    await setup.pass(60_000);
    expect(setup.rental.createInvoice).not.toHaveBeenCalled();
    expect(await setup.refusal(operation)).toBe('interrupted');
    expect(setup.shown()).not.toContain('unknown');
  });

  test('is corrected by a late response after it counted as not made', async ({ setup }) => {
    const operation = await setup.claimed(wanted);
    let answer = (_: Awaited<ReturnType<OperationsSetup['rental']['createInvoice']>>) => {};
    let isAway = false;
    const own = setup.replica(failing(setup.storage, () => isAway));
    setup.rental.createInvoice.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          isAway = true;
          answer = resolve;
        }),
    );
    const sending = setup.executeClaim(operation, own);
    await eventually(() => expect(isAway).toBe(true));
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'refused' });
    isAway = false;
    answer(accepted(madeInvoice()));
    await sending;
    await setup.pass(30_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: 51 } });
    expect(setup.onExecuted).toHaveBeenCalledTimes(1);
  });
});

test('for a guest it uses only the operator key and reads no profile', async ({ setup }) => {
  setup.apiKey.mockResolvedValue(undefined);
  expect(await setup.outcome(GUEST)).toMatchObject({ state: 'done', account: OPERATOR_ACCOUNT });
  expect(setup.rental.profile).not.toHaveBeenCalled();
  expect(setup.rental.createInvoice.mock.lastCall?.[0]).toBe('a-key-of-the-operator');
});

test("for an account it uses the account's key and ignores the guest limits", async ({ setup }) => {
  await setup.executed(HOLDER);
  expect(setup.rental.createInvoice.mock.lastCall?.[0]).toBe('an-api-key-of-the-tests');
  expect(setup.applyGuestLimits).not.toHaveBeenCalled();
});

test('sends nothing for a guest over the limit and returns the wait', async ({ setup }) => {
  setup.applyGuestLimits.mockResolvedValueOnce({ reason: 'guest-open', code: 'GUEST-OPEN', seconds: 90 });
  const operation = await setup.executed(GUEST);
  await setup.pass(60_000);
  expect(await setup.read(operation)).toMatchObject({
    state: 'refused',
    refusal: { reason: 'guest-open', seconds: 90 },
  });
  expect(setup.rental.createInvoice).not.toHaveBeenCalled();
});

const forAccounts = KINDS.filter(({ asOperator }) => asOperator === undefined);

test.each(forAccounts)(
  'never executes $name on the operator account, whatever the record says',
  async ({ sample }) => {
    const setup = openMaker();
    const request = { ...sample };
    const drafted = await setup.draft({ request, account: OPERATOR_ACCOUNT, balance: '1000.00' });
    await setup.confirm(drafted);
    await setup.advance(drafted);
    await setup.pass(120_000);
    for (const [name, method] of Object.entries(setup.rental.withPriority()))
      if (!['profile', 'prices', 'webhookLogs'].includes(name)) expect(method, name).not.toHaveBeenCalled();
    expect(['refused', 'awaiting', 'expired', 'draft']).toContain((await setup.read(drafted)).state);
  },
);

test("refuses a guest's invoice without an operator key", async ({ setup }) => {
  const own = setup.replica(setup.storage, undefined, { operatorInvoices: undefined } as never);
  const operation = await setup.claimed(GUEST);
  await setup.executeClaim(operation, own);
  expect(setup.rental.createInvoice).not.toHaveBeenCalled();
  expect((await setup.read(operation)).state).toBe('refused');
});
