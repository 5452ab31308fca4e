import { expect, test } from 'vitest';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { failing } from '../operations/operations-setup.ts';
import { ADDRESS, CUT, HASH, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { MINUTE, mostInAMinute, openInvoices, PACE_MS } from './room.ts';

type Room = ReturnType<typeof openInvoices>;

const LEASE_MS = 8_000;

const readsOf = ({ reads }: Room, { number }: Invoice) => reads.filter((one) => one.number === number);
const toldOf = ({ shown }: Room, { number }: Invoice) =>
  shown.filter((one) => one.number === number).map(({ status }) => status);

test('updates a thousand open invoices of an account with at most 40 reads per minute', async () => {
  const room = openInvoices();
  const invoices: Invoice[] = [];
  for (let at = 0; at < 1_000; at++) invoices.push(await room.open({ user: 600 + (at % 50) }));
  const ends = ['delegated', 'failed', 'delegated', 'paid'];
  for (const [at, invoice] of invoices.entries()) {
    const status = ends[at % 4] ?? '';
    room.says(invoice, { status, ...(status === 'delegated' && { tx_hash: HASH }) });
  }
  await room.pass(60 * MINUTE);
  for (const [at, invoice] of invoices.entries())
    expect(toldOf(room, invoice).at(-1), `of the ${at}th`).toBe(ends[at % 4]);
  expect(mostInAMinute(room.reads.map(({ at }) => at))).toBeLessThanOrEqual(40);
}, 60_000);

test('keeps reading a thousand unpaid invoices and detects payments after their end', async () => {
  const room = openInvoices();
  const invoices: Invoice[] = [];
  for (let at = 0; at < 1_000; at++) invoices.push(await room.open());
  await room.pass(35 * MINUTE);
  const seen = new Set(room.reads.map(({ number }) => number));
  expect(seen.size).toBe(1_000);
  const late = invoices.filter((_, at) => at % 100 === 7);
  const paidAt = new Date(room.clock.now).toISOString();
  for (const invoice of late) room.says(invoice, { status: 'paid', paid_at: paidAt });
  await room.pass(90 * MINUTE);
  for (const invoice of late) expect(toldOf(room, invoice)).toContain('paid');
  expect(mostInAMinute(room.reads.map(({ at }) => at))).toBeLessThanOrEqual(40);
}, 60_000);

test('reads new and tapped invoices before hundreds of others, which also progress', async () => {
  const room = openInvoices();
  const others: Invoice[] = [];
  for (let at = 0; at < 300; at++) others.push(await room.open());
  await room.pass(9 * MINUTE);
  const opened = await room.open();
  await room.pass(MINUTE);
  expect(readsOf(room, opened).length).toBeGreaterThan(0);
  const [tapped = opened] = others;
  const before = room.reads.length;
  await room.invoices.expect(tapped);
  await room.pass(MINUTE);
  const since = room.reads.slice(before);
  expect(since.some(({ number }) => number === tapped.number)).toBe(true);
  expect(new Set(since.map(({ number }) => number)).size).toBeGreaterThan(10);
});

test('leaves other invoices a quarter of the reads when one user taps constantly', async () => {
  const room = openInvoices();
  const greedy: Invoice[] = [];
  for (let at = 0; at < 100; at++) greedy.push(await room.open());
  const patient: Invoice[] = [];
  for (let at = 0; at < 20; at++) patient.push(await room.open());
  // Each invoice has been read once.
  await room.pass(4 * MINUTE);
  const before = room.reads.length;
  for (let at = 0; at < 100; at++) {
    for (const one of greedy) await room.invoices.expect(one);
    await room.pass(PACE_MS);
  }
  const since = new Set(room.reads.slice(before).map(({ number }) => number));
  for (const one of patient) expect(since.has(one.number)).toBe(true);
});

test('reads an invoice at its end, before it is shown as over', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await room.pass(30 * MINUTE - PACE_MS);
  const before = readsOf(room, invoice).length;
  await room.pass(2 * PACE_MS);
  expect(readsOf(room, invoice).length).toBeGreaterThan(before);
});

test('stops reading an invoice a day after its end and leaves no schedule', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  room.says(invoice, { status: 'expired' });
  await room.pass(31 * MINUTE);
  while (room.clock.now < invoice.expiresAt + 24 * 60 * MINUTE) {
    room.clock.now += 10 * MINUTE;
    await room.invoices.looks.run();
  }
  await room.pass(2 * 60 * MINUTE);
  const before = room.reads.length;
  expect(before).toBeLessThan(120);
  await room.pass(60 * MINUTE);
  expect(room.reads.length).toBe(before);
  expect(await room.storage.index.last('invoices:accounts', 10)).toEqual([]);
});

test('stops reading an invoice with a final status', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  room.says(invoice, { status: 'delegated', tx_hash: HASH });
  await room.pass(MINUTE);
  expect(await room.present(invoice)).toMatchObject({ status: 'delegated', txHash: HASH });
  const before = room.reads.length;
  await room.invoices.expect(invoice);
  await room.invoices.heard(invoice.account, invoice.number);
  await room.pass(60 * MINUTE);
  expect(room.reads.length).toBe(before);
});

test.each([
  ['is down', OFFLINE],
  ['cuts the connection', CUT],
  ['fails', rejected(500, 'INTERNAL')],
  ['returns 429', rejected(429, 'RATE_LIMITED', 30_000)],
  ['does not know it', rejected(404, 'NOT_FOUND')],
])('shows nothing while the service %s, and the result afterwards', async (_, trouble) => {
  const room = openInvoices();
  const invoice = await room.open();
  room.read.mockImplementation(async () => trouble);
  room.says(invoice, { status: 'delegated', tx_hash: HASH });
  await room.pass(10 * MINUTE);
  expect(toldOf(room, invoice)).toEqual(['pending']);
  expect(mostInAMinute(room.reads.map(({ at }) => at))).toBeLessThanOrEqual(40);
  room.read.mockImplementation(async (number) => ({ kind: 'accepted', value: room.toldOf(number) }));
  await room.pass(2 * MINUTE);
  expect(toldOf(room, invoice).at(-1)).toBe('delegated');
});

test.each([
  ['another number', { invoice_id: 999 }],
  ['another payment address', { payment_address: ADDRESS }],
])('ignores a response with %s', async (_, more) => {
  const room = openInvoices();
  const invoice = await room.open();
  room.says(invoice, { status: 'delegated', tx_hash: HASH, ...more });
  await room.pass(5 * MINUTE);
  expect(await room.present(invoice)).toMatchObject({ status: 'pending' });
  expect(toldOf(room, invoice)).toEqual(['pending']);
});

test.each(
  [
    ['delegated', 'pending'],
    ['delegated', 'paid'],
    ['delegated', 'failed'],
    ['failed', 'delegated'],
    ['paid', 'pending'],
    ['paid', 'expired'],
    ['expired', 'pending'],
  ].map((row) => row as [string, string]),
)('keeps %s when an older response says %s', async (status, older) => {
  const room = openInvoices();
  const invoice = await room.open();
  room.says(invoice, { status });
  await room.pass(MINUTE);
  room.says(invoice, { status: older });
  await room.invoices.expect(invoice);
  await room.pass(5 * MINUTE);
  expect(await room.present(invoice)).toMatchObject({ status });
  expect(toldOf(room, invoice)).toEqual(['pending', status]);
});

test.each(['paid', 'delegated'])(
  'keeps the newer status %s when an older response arrives late',
  async (status) => {
    const room = openInvoices();
    const invoice = await room.open();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const old = room.toldOf(invoice.number);
    room.read.mockImplementationOnce(async () => {
      await held;
      return { kind: 'accepted', value: old };
    });
    room.clock.now += PACE_MS;
    const first = room.invoices.looks.run();
    room.says(invoice, { status });
    await room.invoices.expect(invoice);
    // Simulates a process that lost its lease because it was cut off from the storage.
    room.clock.now += LEASE_MS;
    await room.replica().looks.run();
    expect(await room.present(invoice)).toMatchObject({ status });
    letGo();
    await first;
    expect(await room.present(invoice)).toMatchObject({ status });
  },
);

test.each(['cancelled', 'underpaid', 'partially_paid', 'overpaid', ''])(
  'stores a status that the specification does not name and keeps checking: %j',
  async (status) => {
    const room = openInvoices();
    const invoice = await room.open();
    room.says(invoice, { status });
    await room.pass(MINUTE);
    expect(await room.present(invoice)).toMatchObject({ status });
    expect(toldOf(room, invoice)).toEqual(['pending', status]);
    room.says(invoice, { status: 'delegated' });
    await room.pass(2 * MINUTE);
    expect(toldOf(room, invoice)).toEqual(['pending', status, 'delegated']);
  },
);

test.each(['paid', 'expired', 'underpaid'])('keeps %s when a response names no status', async (status) => {
  const room = openInvoices();
  const invoice = await room.open();
  room.says(invoice, { status });
  await room.pass(MINUTE);
  room.says(invoice, { status: '' });
  await room.invoices.expect(invoice);
  await room.pass(MINUTE);
  expect(await room.present(invoice)).toMatchObject({ status });
});

test('treats an event as a hint and reads the invoice from the service', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await room.pass(5 * MINUTE);
  const before = readsOf(room, invoice).length;
  await room.invoices.heard(invoice.account, invoice.number);
  await room.pass(PACE_MS);
  expect(readsOf(room, invoice).length).toBe(before + 1);
  expect(await room.present(invoice)).toMatchObject({ status: 'pending' });
});

test('reads nothing after an event with another account or an unknown number', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await room.pass(5 * MINUTE);
  const before = room.reads.length;
  await room.invoices.heard(invoice.account + 1, invoice.number);
  await room.invoices.heard(invoice.account, invoice.number + 1);
  await room.storage.set(`invoice-number:${invoice.account}:77`, 'nonsense');
  await room.invoices.heard(invoice.account, 77);
  await room.invoices.looks.run();
  expect(room.reads.length).toBe(before);
});

test('shows a change after its process died before showing it', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  room.says(invoice, { status: 'delegated', tx_hash: HASH });
  let ended = false;
  // Every call after the write of the record fails.
  const replace = room.storage.replace;
  const own = {
    ...room.storage,
    replace: async (...args: Parameters<typeof replace>) => {
      const isWritten = await replace(...args);
      if (args[0].startsWith('invoice:') && args[2].includes('delegated')) ended = true;
      return isWritten;
    },
  };
  const gone = room.replica(failing(own, () => ended));
  room.clock.now += PACE_MS;
  await gone.looks.run().catch(() => undefined);
  expect(ended).toBe(true);
  expect(await room.present(invoice)).toMatchObject({ status: 'delegated' });
  await room.pass(MINUTE);
  expect(toldOf(room, invoice)).toEqual(['pending', 'delegated']);
});

test('reads other invoices although some cannot be read', async () => {
  const room = openInvoices();
  const bad: Invoice[] = [];
  for (let at = 0; at < 6; at++) bad.push(await room.open());
  const good = await room.open();
  room.says(good, { status: 'delegated' });
  room.read.mockImplementation(async (number) => {
    if (bad.some((one) => one.number === number)) throw new Error('this invoice cannot be read');
    return { kind: 'accepted', value: room.toldOf(number) };
  });
  await room.pass(MINUTE);
  expect(toldOf(room, good).at(-1)).toBe('delegated');
});

test('reads no invoice of an account without a key until the key is back', async () => {
  const room = openInvoices();
  const [gone, other] = [await room.open({ account: 2_001 }), await room.open({ account: 2_002 })];
  room.apiKey.mockImplementation(async (_user, account) => (account === 2_001 ? undefined : 'a-key'));
  for (const one of [gone, other]) room.says(one, { status: 'delegated' });
  await room.pass(2 * MINUTE);
  expect(toldOf(room, other).at(-1)).toBe('delegated');
  expect(readsOf(room, gone)).toEqual([]);
  room.apiKey.mockImplementation(async () => 'a-key');
  await room.pass(11 * MINUTE);
  expect(toldOf(room, gone).at(-1)).toBe('delegated');
});

test('gives each account its own reads', async () => {
  const room = openInvoices();
  for (let at = 0; at < 200; at++) await room.open({ account: 2_001 });
  await room.pass(MINUTE);
  const other = await room.open({ account: 2_002 });
  await room.pass(PACE_MS);
  expect(readsOf(room, other)).toHaveLength(1);
});

test('continues in another process', async () => {
  const room = openInvoices();
  const invoice = await room.open();
  await room.pass(2 * MINUTE);
  const next = room.replica();
  room.says(invoice, { status: 'delegated' });
  await room.pass(2 * MINUTE, [next]);
  expect(toldOf(room, invoice)).toEqual(['pending', 'delegated']);
});

test('stops reading an invoice with a deleted or tampered record', async () => {
  const room = openInvoices();
  const [gone, forged] = [await room.open(), await room.open()];
  await room.storage.delete(`invoice:{${gone.user}}:${gone.id}`);
  const key = `invoice:{${forged.user}}:${forged.id}`;
  const text = (await room.storage.get(key)) ?? '';
  await room.storage.set(key, text.replace('"status":"pending"', '"status":"delegated"'));
  await room.pass(5 * MINUTE);
  expect(room.reads).toEqual([]);
  expect(await room.invoices.read(forged)).toBeUndefined();
});

test('keeps reading an account that gets an invoice while it is removed', async () => {
  const room = openInvoices();
  const first = await room.open();
  room.says(first, { status: 'delegated' });
  const { remove } = room.storage.index;
  let second: Invoice | undefined;
  // Right before the account is removed, after the check that it has nothing left.
  const own = {
    ...room.storage,
    index: {
      ...room.storage.index,
      remove: async (index: string, member: string) => {
        if (index === 'invoices:accounts') second = await room.open();
        return remove(index, member);
      },
    },
  };
  room.clock.now += PACE_MS;
  await room.replica(own).looks.run();
  expect(second).toBeDefined();
  await room.pass(MINUTE);
  expect(second && readsOf(room, second).length).toBeGreaterThan(0);
});
