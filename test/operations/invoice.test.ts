import { describe, expect, test } from 'vitest';
import { OPERATORS } from '../../src/rental-api/operator-invoices.ts';
import type { Invoice } from '../../src/rental-api/schemas.ts';
import { openInvoices } from '../invoices/room.ts';
import { eventually } from '../support/eventually.ts';
import {
  ACTIVATION,
  BANDWIDTH,
  ENERGY,
  failing,
  INVOICE,
  openRoom,
  type Room,
  SMART_MODE,
  WITHDRAWAL,
} from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, OFFLINE, profileOf, rejected } from './rental-stand-in.ts';

const PAY_TO = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const GUEST = { request: INVOICE, account: OPERATORS };
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
  const room = openRoom();
  room.rental.createInvoice.mockImplementation(async () => accepted(madeInvoice()));
  return room;
}

describe.each(WAYS)('for %s', (_, wanted) => {
  test('creates an invoice with one request and stores it before it is shown', async () => {
    const room = openMaker();
    const seen: unknown[] = [];
    room.show.mockImplementation(async (operation) => {
      if (operation.state === 'done') seen.push((await room.read(operation)).result);
      return { kind: 'shown', card: 40 };
    });
    const operation = await room.claimed(wanted);
    await Promise.all([room.advance(operation), room.advance(operation), room.advance(operation)]);
    await room.pass(60_000);
    expect(room.rental.createInvoice).toHaveBeenCalledTimes(1);
    const result = { order: 51, invoice: { paymentAddress: PAY_TO, priceTrx: '4.64', priceUsdt: '1.39' } };
    expect(await room.read(operation)).toMatchObject({ state: 'done', result });
    expect(seen).toMatchObject([result]);
    // The module that manages invoices received it first.
    expect(room.tellHolders.mock.calls[0]?.[0]).toMatchObject({ state: 'done', result });
    expect(room.tellHolders).toHaveBeenCalledTimes(1);
  });

  test('retries handing over the invoice until it succeeds, without another request', async () => {
    const room = openMaker();
    for (let at = 0; at < 3; at++) room.tellHolders.mockRejectedValueOnce(new Error('the storage is away'));
    const operation = await room.claimed(wanted);
    await room.advance(operation);
    await room.pass(120_000);
    expect(room.tellHolders).toHaveBeenCalledTimes(4);
    expect(await room.read(operation)).not.toHaveProperty('untold');
    expect(room.rental.createInvoice).toHaveBeenCalledTimes(1);
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
    const room = openMaker();
    room.rental.createInvoice.mockResolvedValueOnce(outcome);
    const operation = await room.claimed(wanted);
    await room.advance(operation);
    await room.pass(60_000);
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'not-made' } });
    expect(room.shown()).not.toContain('unknown');
    expect(room.tellHolders).not.toHaveBeenCalled();
    expect(room.rental.createInvoice).toHaveBeenCalledTimes(1);
    const next = await room.claimed(wanted);
    await room.advance(next);
    expect(await room.read(next)).toMatchObject({ state: 'done' });
  });

  test.each([
    ['was not sent', OFFLINE, 'offline'],
    ['was refused', rejected(422, 'INVALID_ADDRESS'), 'address'],
    ['came too soon', rejected(429, 'RATE_LIMITED', 9_000), 'limited'],
  ])('an invoice request that %s is refused with its reason', async (_what, outcome, reason) => {
    const room = openMaker();
    room.rental.createInvoice.mockResolvedValueOnce(outcome);
    const operation = await room.claimed(wanted);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason } });
  });

  test('is refused when its process is killed between claim and request', async () => {
    const room = openMaker();
    const operation = await room.claimed(wanted);
    const dying = room.replica(failing(room.storage, ({ method }) => method === 'replaceAndAdd'));
    await room.carryOut(operation, dying);
    await room.pass(60_000);
    expect(room.rental.createInvoice).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'interrupted' },
    });
  });

  test('killed after the request: not made, never unknown, and not sent again', async () => {
    const room = openMaker();
    const operation = await room.claimed(wanted);
    let ended = false;
    const own = room.replica(failing(room.storage, () => ended));
    room.rental.createInvoice.mockImplementationOnce(() => {
      ended = true;
      return new Promise(() => undefined);
    });
    void room.carryOut(operation, own);
    await eventually(() => expect(ended).toBe(true));
    await room.pass(60_000);
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'not-made' } });
    expect(room.shown()).not.toContain('unknown');
    expect(room.rental.createInvoice).toHaveBeenCalledTimes(1);
  });

  test('is refused when its record vanishes right before the request', async () => {
    const room = openMaker();
    const operation = await room.claimed(wanted);
    const key = `operation:{${operation.user}}:${operation.id}`;
    const vanish = () => room.storage.delete(key);
    if (wanted === GUEST)
      room.admit.mockImplementationOnce(async () => {
        await vanish();
        return undefined;
      });
    else
      room.rental.profile.mockImplementationOnce(async () => {
        await vanish();
        return profileOf('1000.00');
      });
    await room.advance(operation);
    await room.pass(60_000);
    expect(room.rental.createInvoice).not.toHaveBeenCalled();
    expect(await room.read(operation)).toMatchObject({
      state: 'refused',
      refusal: { reason: 'interrupted' },
    });
    expect(room.shown()).not.toContain('unknown');
  });

  test('is corrected by a late response after it counted as not made', async () => {
    const room = openMaker();
    const operation = await room.claimed(wanted);
    let answer = (_: Awaited<ReturnType<Room['rental']['createInvoice']>>) => {};
    let isAway = false;
    const own = room.replica(failing(room.storage, () => isAway));
    room.rental.createInvoice.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          isAway = true;
          answer = resolve;
        }),
    );
    const sending = room.carryOut(operation, own);
    await eventually(() => expect(isAway).toBe(true));
    await room.pass(60_000);
    expect(await room.read(operation)).toMatchObject({ state: 'refused' });
    isAway = false;
    answer(accepted(madeInvoice()));
    await sending;
    await room.pass(30_000);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: 51 } });
    expect(room.tellHolders).toHaveBeenCalledTimes(1);
  });
});

test('for a guest it uses only the operator key and reads no profile', async () => {
  const room = openMaker();
  room.apiKey.mockResolvedValue(undefined);
  const operation = await room.claimed(GUEST);
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done', account: OPERATORS });
  expect(room.rental.profile).not.toHaveBeenCalled();
  expect(room.rental.createInvoice.mock.lastCall?.[0]).toBe('a-key-of-the-operator');
});

test("for an account it uses the account's key and ignores the guest limits", async () => {
  const room = openMaker();
  await room.advance(await room.claimed(HOLDER));
  expect(room.rental.createInvoice.mock.lastCall?.[0]).toBe('an-api-key-of-the-tests');
  expect(room.admit).not.toHaveBeenCalled();
});

test('sends nothing for a guest over the limit and returns the wait', async () => {
  const room = openMaker();
  room.admit.mockResolvedValueOnce({ reason: 'guest-open', code: 'GUEST-OPEN', seconds: 90 });
  const operation = await room.claimed(GUEST);
  await room.advance(operation);
  await room.pass(60_000);
  expect(await room.read(operation)).toMatchObject({
    state: 'refused',
    refusal: { reason: 'guest-open', seconds: 90 },
  });
  expect(room.rental.createInvoice).not.toHaveBeenCalled();
});

test('sends twelve requests for hundreds of guests and leaves eight to the operator', async () => {
  const room = openMaker();
  const limits = openInvoices(room.storage, room.clock);
  room.admit.mockImplementation((operation) => limits.invoices.admit(operation));
  const [one, other] = [room.replica(), room.replica()];
  const operations = [];
  for (let at = 0; at < 300; at++) operations.push(await room.claimed({ ...GUEST, user: 10_000 + at }));
  await Promise.all(operations.map((operation, at) => room.carryOut(operation, at % 2 ? one : other)));
  const reached = await Promise.all(operations.map((operation) => room.read(operation)));
  expect(room.rental.createInvoice).toHaveBeenCalledTimes(12);
  expect(reached.filter(({ state }) => state === 'done')).toHaveLength(12);
  for (const { state, refusal } of reached)
    if (state !== 'done') expect(refusal).toMatchObject({ reason: 'guest-all', seconds: 60 });
  limits.admins.add(504);
  for (let at = 0; at < 8; at++) {
    const operators = await room.claimed({ ...GUEST, user: 504 });
    await room.advance(operators);
    expect((await room.read(operators)).state).toBe('done');
  }
});

test.each([
  ['energy', ENERGY],
  ['bandwidth', BANDWIDTH],
  ['activation', ACTIVATION],
  ['smart mode', SMART_MODE],
  ['withdrawal', WITHDRAWAL],
])('never executes %s on the operator account, whatever the record says', async (_, request) => {
  const room = openMaker();
  const drafted = await room.draft({ request, account: OPERATORS, balance: '1000.00' });
  await room.confirm(drafted);
  await room.advance(drafted);
  await room.pass(120_000);
  for (const [name, method] of Object.entries(room.rental))
    if (!['profile', 'webhookLogs'].includes(name)) expect(method, name).not.toHaveBeenCalled();
  expect(['refused', 'awaiting', 'expired', 'draft']).toContain((await room.read(drafted)).state);
});

test("refuses a guest's invoice without an operator key", async () => {
  const room = openMaker();
  const own = room.replica(room.storage, undefined, undefined, { operatorInvoices: undefined } as never);
  const operation = await room.claimed(GUEST);
  await room.carryOut(operation, own);
  expect(room.rental.createInvoice).not.toHaveBeenCalled();
  expect((await room.read(operation)).state).toBe('refused');
});

test('rejects the record of an invoice that was tampered with', async () => {
  const room = openMaker();
  const operation = await room.claimed(GUEST);
  await room.advance(operation);
  const key = `operation:{${operation.user}}:${operation.id}`;
  const text = (await room.storage.get(key)) ?? '';
  await room.storage.set(key, text.replace(PAY_TO, ADDRESS));
  expect(text).toContain(PAY_TO);
  expect(await room.store.readable(operation)).toBe('not ours');
});
