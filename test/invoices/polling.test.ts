import { describe, expect, test } from 'vitest';
import { withoutTags } from '../../src/i18n/texts.ts';
import { invoiceCard, invoiceFollowUp } from '../../src/invoices/card.ts';
import { cardFingerprint, type Invoice, invoiceStateOf } from '../../src/invoices/invoice.ts';
import { createInvoiceSchedule } from '../../src/invoices/polling.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { TICK_MS } from '../../src/platform/poll-runner.ts';
import { failing } from '../operations/operations-setup.ts';
import { ADDRESS, accepted, CUT, HASH, heldBack, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { countingRoundTrips } from '../support/round-trips.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { TEXTS } from '../support/texts.ts';
import {
  type InvoicesSetup,
  invoiceOf,
  MINUTE,
  maxPerMinute,
  openInvoice,
  openInvoices,
  RUN_INTERVAL_MS,
  START,
} from './invoices-setup.ts';

const LEASE_MS = 8_000;
/** Scheduled reads of an account. With 10 for users who wait, they are fewer than the 60 of the specification. */
const MAX_PER_MINUTE = 48;

const readsOf = ({ reads }: InvoicesSetup, { number }: Invoice) =>
  reads.filter((one) => one.number === number);
const statusesShown = ({ updates }: InvoicesSetup, { number }: Invoice) =>
  updates.filter((one) => one.number === number).map(({ status }) => status);

test('updates a hundred open invoices of an account within its limit of reads per minute', async () => {
  const setup = openInvoices();
  const invoices: Invoice[] = [];
  for (let at = 0; at < 100; at++) invoices.push(await setup.open({ user: 600 + (at % 50) }));
  const ends = ['delegated', 'failed', 'delegated', 'paid'];
  for (const [at, invoice] of invoices.entries()) {
    const status = ends[at % 4] ?? '';
    setup.report(invoice, { status, ...(status === 'delegated' && { tx_hash: HASH }) });
  }
  await setup.pass(10 * MINUTE);
  for (const [at, invoice] of invoices.entries())
    expect(statusesShown(setup, invoice).at(-1), `of the ${at}th`).toBe(ends[at % 4]);
  expect(maxPerMinute(setup.reads.map(({ at }) => at))).toBeLessThanOrEqual(MAX_PER_MINUTE);
});

test('keeps reading a hundred unpaid invoices and detects payments after their end', async () => {
  const setup = openInvoices();
  const invoices: Invoice[] = [];
  for (let at = 0; at < 100; at++) invoices.push(await setup.open());
  await setup.pass(35 * MINUTE);
  const seen = new Set(setup.reads.map(({ number }) => number));
  expect(seen.size).toBe(100);
  const late = invoices.filter((_, at) => at % 20 === 7);
  const paidAt = new Date(setup.clock.now).toISOString();
  for (const invoice of late) setup.report(invoice, { status: 'paid', paid_at: paidAt });
  await setup.pass(45 * MINUTE);
  for (const invoice of late) expect(statusesShown(setup, invoice)).toContain('paid');
  expect(maxPerMinute(setup.reads.map(({ at }) => at))).toBeLessThanOrEqual(MAX_PER_MINUTE);
});

/** Starts due polls every half second as recurring work does, while every response takes 300 ms. */
async function live(setup: InvoicesSetup, ms: number): Promise<void> {
  const start = setup.clock.now;
  setup.read.mockImplementation(async (number) => {
    setup.clock.now += 300;
    return setup.respond(number);
  });
  for (let passed = TICK_MS; passed <= ms; passed += TICK_MS) {
    // Every other tick is a little late. A response may have taken longer than until the tick.
    const lateMs = passed % (2 * TICK_MS) === 0 ? 0 : 40;
    setup.clock.now = Math.max(setup.clock.now, start + passed + lateMs);
    await setup.poll();
  }
  setup.clock.now = start + ms;
}

const minutesOf = async (setup: InvoicesSetup, invoice: Invoice, ms = MINUTE) => {
  const before = readsOf(setup, invoice).length;
  await live(setup, ms);
  return (readsOf(setup, invoice).length - before) / (ms / MINUTE);
};

test('shows a payment within three seconds and a response, for two invoices at once', async () => {
  const delays: number[] = [];
  for (let phase = 0; phase < RUN_INTERVAL_MS; phase += 300) {
    const setup = openInvoices();
    const invoices = [await setup.open(), await setup.open()];
    await live(setup, 4 * MINUTE);
    const paidAt = setup.clock.now + phase;
    const respond = setup.respond;
    setup.respond = async (number) => {
      if (setup.clock.now >= paidAt) setup.report({ number }, { status: 'paid' });
      return respond(number);
    };
    await live(setup, 3 * RUN_INTERVAL_MS);
    for (const invoice of invoices) {
      const shown = setup.updates.find((one) => one.number === invoice.number && one.status === 'paid');
      delays.push((shown?.at ?? Number.POSITIVE_INFINITY) - paidAt);
    }
  }
  expect(Math.max(...delays)).toBeLessThanOrEqual(RUN_INTERVAL_MS + 750);
});

test('reads an unpaid invoice often for ten minutes after a user opened or checked it', async () => {
  const { setup, invoice } = await openInvoice();
  expect(await minutesOf(setup, invoice)).toBe(20);
  await live(setup, 9 * MINUTE);
  expect(await minutesOf(setup, invoice)).toBe(4);
  await setup.invoices.recordOpened(invoice);
  expect(await minutesOf(setup, invoice)).toBe(20);
  await live(setup, 10 * MINUTE);
  expect(await minutesOf(setup, invoice)).toBe(4);
  await setup.invoices.checkPayment(invoice);
  expect(await minutesOf(setup, invoice)).toBeGreaterThanOrEqual(19);
});

test('reads an invoice of an account with events rarely', async () => {
  const { setup, invoice } = await openInvoice();
  setup.hasEvents.mockResolvedValue(true);
  await live(setup, MINUTE);
  expect(await minutesOf(setup, invoice, 9 * MINUTE)).toBeLessThanOrEqual(4);
  expect(await minutesOf(setup, invoice, 15 * MINUTE)).toBeLessThanOrEqual(1.2);
});

test('reads more than two active invoices in turn', async () => {
  const setup = openInvoices();
  const invoices = await Promise.all(Array.from({ length: 6 }, () => setup.open()));
  await live(setup, 3 * RUN_INTERVAL_MS);
  for (let round = 0; round < 5; round++) {
    const before = setup.reads.length;
    await live(setup, 3 * RUN_INTERVAL_MS);
    expect(new Set(setup.reads.slice(before).map(({ number }) => number)).size).toBe(invoices.length);
  }
});

test('takes one round trip while no invoice is due, and few for a read', async () => {
  const clock = { now: START };
  const { storage, roundTrips } = countingRoundTrips(createMemoryStorage({ now: () => clock.now }));
  const setup = openInvoices(storage, clock);
  /** Returns the round trips of a tick and of the polls that it starts. */
  const ofTick = async () => {
    const before = roundTrips();
    await setup.invoices.poller.pollDue();
    for (let seen = -1; seen !== roundTrips(); ) {
      seen = roundTrips();
      for (let moments = 0; moments < 5; moments++) await settled();
    }
    return roundTrips() - before;
  };
  expect(await ofTick()).toBe(1);
  await setup.open();
  await ofTick();
  expect(await ofTick()).toBe(1);
  clock.now += RUN_INTERVAL_MS;
  expect(await ofTick()).toBe(16);
  expect(setup.reads).toHaveLength(2);
});

test('is shared by replicas: each invoice is read by one of them', async () => {
  const setup = openInvoices();
  for (let at = 0; at < 200; at++) await setup.open({ account: 3_000 + at });
  const readBy = [0, 0];
  const replicas = readBy.map((_, at) =>
    setup.replica(setup.storage, {
      rental: {
        withPriority: () => ({
          profile: setup.profile,
          async invoice(_key, { invoice_id: number }) {
            readBy[at] = (readBy[at] ?? 0) + 1;
            setup.reads.push({ at: setup.clock.now, number });
            return setup.respond(number);
          },
        }),
      },
    }),
  );
  await setup.poll(...replicas);
  expect(new Set(setup.reads.map(({ number }) => number)).size).toBe(200);
  expect(setup.reads).toHaveLength(200);
  expect(Math.min(...readBy)).toBeGreaterThanOrEqual(80);
});

test('gives each of 12,000 accounts a turn on one replica, opened invoices first', async () => {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const replicas = [createInvoiceSchedule({ storage }), createInvoiceSchedule({ storage })] as const;
  const [accounts, opened] = [12_000, 11_999];
  for (let account = 1; account <= accounts; account++) {
    const priority = account === opened ? 'opened' : 'rare';
    await replicas[0].schedule({ account, user: account, id: 'a' }, { inMs: account, priority });
  }
  clock.now += accounts;
  const turns: number[] = [];
  for (let take = 0; turns.length < accounts; take++) {
    const taken = await replicas[take % 2 === 0 ? 0 : 1].takeTurns(400, 40);
    if (taken.length === 0) break;
    turns.push(...taken);
  }
  expect(turns[0]).toBe(opened);
  expect(new Set(turns).size).toBe(accounts);
});

test('gives an account with many due reads one turn in three seconds, however often its invoices are opened', async () => {
  const setup = openInvoices();
  const invoices: Invoice[] = [];
  for (let at = 0; at < 6; at++) invoices.push(await setup.open());
  for (let tick = 0; tick < 60; tick++) {
    await Promise.all(invoices.map(setup.invoices.poller.pollSoon));
    await live(setup, TICK_MS);
  }
  expect(setup.reads.length).toBeGreaterThanOrEqual(20);
  expect(setup.reads.length).toBeLessThanOrEqual(2.25 * 10 + 2);
});

test('keeps reading an invoice that was not due when another one of its account ended', async () => {
  const setup = openInvoices();
  setup.hasEvents.mockResolvedValue(true);
  const slow = await setup.open();
  await setup.pass(20_000);
  const ended = await setup.open();
  setup.report(ended, { status: 'delegated' });
  await setup.pass(RUN_INTERVAL_MS);
  expect(readsOf(setup, ended)).toHaveLength(1);
  const before = readsOf(setup, slow).length;
  await setup.pass(MINUTE);
  expect(readsOf(setup, slow).length).toBeGreaterThan(before);
});

test('reads new and tapped invoices before many others, which also progress', async () => {
  const setup = openInvoices();
  const others: Invoice[] = [];
  for (let at = 0; at < 150; at++) others.push(await setup.open());
  await setup.pass(9 * MINUTE);
  const opened = await setup.open();
  await setup.pass(MINUTE);
  expect(readsOf(setup, opened).length).toBeGreaterThan(0);
  const [tapped = opened] = others;
  const before = setup.reads.length;
  await setup.invoices.checkPayment(tapped);
  await setup.pass(MINUTE);
  const since = setup.reads.slice(before);
  expect(since.some(({ number }) => number === tapped.number)).toBe(true);
  expect(new Set(since.map(({ number }) => number)).size).toBeGreaterThan(10);
});

test('keeps reading other invoices when one user taps constantly', async () => {
  const setup = openInvoices();
  const greedy: Invoice[] = [];
  for (let at = 0; at < 40; at++) greedy.push(await setup.open());
  const patient: Invoice[] = [];
  for (let at = 0; at < 10; at++) patient.push(await setup.open());
  // Each invoice has been read once.
  await setup.pass(4 * MINUTE);
  const before = setup.reads.length;
  for (let at = 0; at < 100; at++) {
    for (const one of greedy) await setup.invoices.checkPayment(one);
    await setup.pass(RUN_INTERVAL_MS);
  }
  const since = new Set(setup.reads.slice(before).map(({ number }) => number));
  for (const one of patient) expect(since.has(one.number)).toBe(true);
});

test.each(['Check payment', 'the link'])(
  'does not delay the invoices and checks of other guests when a guest taps %s constantly',
  async (what) => {
    const setup = openInvoices();
    const [greedy, patient] = [[] as Invoice[], [] as Invoice[]];
    const account = setup.OPERATORS;
    for (let at = 0; at < 3; at++) greedy.push(await setup.open({ account }));
    for (let at = 0; at < 4; at++) patient.push(await setup.open({ account, user: 700 + at }));
    const [start, checks] = [setup.clock.now, [] as boolean[]];
    for (let at = 1; at <= 60; at++) {
      for (let taps = 0; taps < 3; taps++) {
        setup.clock.now += 900;
        await setup.poll();
        for (const one of greedy) {
          if (what === 'the link')
            await setup.invoices.setCard(one, { chat: 600, language: 'en', isForMaker: false, message: at });
          else await setup.invoices.checkPayment(one);
        }
      }
      const [, ...others] = patient;
      const checked = at % 10 === 0 ? others[(at / 10) % 3] : undefined;
      if (checked) checks.push((await setup.invoices.checkPayment(checked)) !== undefined);
      setup.clock.now = start + at * RUN_INTERVAL_MS;
      await setup.poll();
    }
    expect(checks).not.toContain(false);
    for (const invoice of patient) {
      const times = [start, ...readsOf(setup, invoice).map(({ at }) => at), setup.clock.now];
      const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(Math.max(...waits)).toBeLessThanOrEqual(20_000);
    }
    expect(maxPerMinute(setup.reads.map(({ at }) => at))).toBeLessThanOrEqual(58);
  },
);

test('reads an invoice at its end, before it is shown as over', async () => {
  const { setup, invoice } = await openInvoice();
  await setup.pass(30 * MINUTE - RUN_INTERVAL_MS);
  const before = readsOf(setup, invoice).length;
  await setup.pass(2 * RUN_INTERVAL_MS);
  expect(readsOf(setup, invoice).length).toBeGreaterThan(before);
});

test.each(['expired', 'pending'])(
  'reads an invoice that stays %s hourly after its end, and for a day',
  async (status) => {
    const { setup, invoice } = await openInvoice();
    setup.report(invoice, { status });
    await setup.pass(31 * MINUTE);
    const passUntil = async (hour: number) => {
      while (setup.clock.now < invoice.expiresAt + hour * 60 * MINUTE) {
        setup.clock.now += 10 * MINUTE;
        await setup.poll();
      }
      return setup.reads.length;
    };
    const afterTwoHours = await passUntil(2);
    expect((await passUntil(24)) - afterTwoHours).toBeLessThanOrEqual(22);
    await setup.pass(2 * 60 * MINUTE);
    const before = setup.reads.length;
    await setup.pass(60 * MINUTE);
    expect(setup.reads.length).toBe(before);
    expect(await storedKeys(setup.storage, 'invoice-poll')).toEqual([]);
  },
);

test('stops reading an invoice with a final status', async () => {
  const { setup, invoice } = await openInvoice();
  setup.report(invoice, { status: 'delegated', tx_hash: HASH });
  await setup.pass(MINUTE);
  expect(await setup.present(invoice)).toMatchObject({ status: 'delegated', txHash: HASH });
  const before = setup.reads.length;
  await setup.invoices.checkPayment(invoice);
  await setup.invoices.handleEvent(invoice.account, invoice.number);
  await setup.pass(60 * MINUTE);
  expect(setup.reads.length).toBe(before);
});

test.each([
  ['is down', OFFLINE],
  ['cuts the connection', CUT],
  ['fails', rejected(500, 'INTERNAL')],
  ['returns 429', rejected(429, 'RATE_LIMITED', 30_000)],
  ['does not know it', rejected(404, 'NOT_FOUND')],
])('shows nothing while the service %s, and the result afterwards', async (_, trouble) => {
  const { setup, invoice } = await openInvoice();
  setup.read.mockImplementation(async () => trouble);
  setup.report(invoice, { status: 'delegated', tx_hash: HASH });
  await setup.pass(10 * MINUTE);
  expect(statusesShown(setup, invoice)).toEqual(['pending']);
  expect(maxPerMinute(setup.reads.map(({ at }) => at))).toBeLessThanOrEqual(MAX_PER_MINUTE);
  setup.read.mockImplementation(setup.respond);
  await setup.pass(2 * MINUTE);
  expect(statusesShown(setup, invoice).at(-1)).toBe('delegated');
});

test('polls invoices in turn after polls were held back, without counting them as failed', async () => {
  const { setup, invoice } = await openInvoice();
  for (const _ of [1, 2]) await setup.open();
  setup.read.mockImplementation(async () => heldBack(20_000));
  await setup.pass(MINUTE);
  expect((await setup.present(invoice)).failedPolls).toBeUndefined();
  setup.read.mockImplementation(setup.respond);
  await setup.pass(21_000);
  const before = setup.reads.length;
  await setup.pass(MINUTE);
  const counts = [1, 2, 3].map(
    (number) => setup.reads.slice(before).filter((one) => one.number === number).length,
  );
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(10);
});

test('waits as long as a 429 of the service demands', async () => {
  const { setup } = await openInvoice();
  setup.read.mockImplementation(async () => rejected(429, 'RATE_LIMITED', 30_000));
  await setup.pass(RUN_INTERVAL_MS);
  const { length } = setup.reads;
  await setup.pass(27_000);
  expect(setup.reads).toHaveLength(length);
  await setup.pass(2 * RUN_INTERVAL_MS);
  expect(setup.reads).toHaveLength(length + 1);
});

test.each([
  ['another number', { invoice_id: 999 }],
  ['another payment address', { payment_address: ADDRESS }],
])('ignores a response with %s', async (_, more) => {
  const { setup, invoice } = await openInvoice();
  setup.report(invoice, { status: 'delegated', tx_hash: HASH, ...more });
  await setup.pass(5 * MINUTE);
  expect(await setup.present(invoice)).toMatchObject({ status: 'pending' });
  expect(statusesShown(setup, invoice)).toEqual(['pending']);
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
  const { setup, invoice } = await openInvoice();
  setup.report(invoice, { status });
  await setup.pass(MINUTE);
  setup.report(invoice, { status: older });
  await setup.invoices.checkPayment(invoice);
  await setup.pass(5 * MINUTE);
  expect(await setup.present(invoice)).toMatchObject({ status });
  expect(statusesShown(setup, invoice)).toEqual(['pending', status]);
});

test.each(['paid', 'delegated'])(
  'keeps the newer status %s when an older response arrives late',
  async (status) => {
    const { setup, invoice } = await openInvoice();
    const { raised: held, raise: letGo } = createSignal();
    const old = setup.reportedInvoice(invoice.number);
    setup.read.mockImplementationOnce(() => held.then(() => accepted(old)));
    setup.clock.now += RUN_INTERVAL_MS;
    await setup.poll();
    expect(setup.reads).toHaveLength(1);
    setup.report(invoice, { status });
    // Simulates a process that lost its lease because it was cut off from the storage.
    setup.clock.now += LEASE_MS;
    await setup.poll(setup.replica());
    expect(await setup.present(invoice)).toMatchObject({ status });
    letGo();
    await settled();
    expect(await setup.present(invoice)).toMatchObject({ status });
  },
);

test.each(['cancelled', 'underpaid', 'partially_paid', 'overpaid', ''])(
  'stores a status that the specification does not name and keeps checking: %j',
  async (status) => {
    const { setup, invoice } = await openInvoice();
    setup.report(invoice, { status });
    await setup.pass(MINUTE);
    expect(await setup.present(invoice)).toMatchObject({ status });
    expect(statusesShown(setup, invoice)).toEqual(['pending', status]);
    setup.report(invoice, { status: 'delegated' });
    await setup.pass(2 * MINUTE);
    expect(statusesShown(setup, invoice)).toEqual(['pending', status, 'delegated']);
  },
);

test('treats an expired invoice with a payment as paid late', async () => {
  const { setup, invoice } = await openInvoice();
  const paidAt = invoice.expiresAt + MINUTE;
  setup.clock.now = paidAt;
  setup.report(invoice, { status: 'expired', paid_at: new Date(paidAt).toISOString() });
  await setup.pass(MINUTE);
  expect(invoiceStateOf(await setup.present(invoice), setup.clock.now)).toBe('late');
  expect(statusesShown(setup, invoice)).toEqual(['pending', 'paid']);
});

test.each(['paid', 'expired', 'underpaid'])('keeps %s when a response names no status', async (status) => {
  const { setup, invoice } = await openInvoice();
  setup.report(invoice, { status });
  await setup.pass(MINUTE);
  setup.report(invoice, { status: '' });
  await setup.invoices.checkPayment(invoice);
  await setup.pass(MINUTE);
  expect(await setup.present(invoice)).toMatchObject({ status });
});

describe('an event', () => {
  test('makes the service be read at once, and is only a hint', async () => {
    const { setup, invoice } = await openInvoice();
    setup.hasEvents.mockResolvedValue(true);
    await setup.pass(15 * MINUTE);
    const before = readsOf(setup, invoice).length;
    await setup.invoices.handleEvent(invoice.account, invoice.number);
    expect(readsOf(setup, invoice).length).toBe(before + 1);
    expect(statusesShown(setup, invoice)).toEqual(['pending']);
    setup.report(invoice, { status: 'paid' });
    await setup.invoices.handleEvent(invoice.account, invoice.number);
    expect(statusesShown(setup, invoice)).toEqual(['pending', 'paid']);
  });

  test('during a read makes the next run read again', async () => {
    const { setup, invoice } = await openInvoice();
    setup.hasEvents.mockResolvedValue(true);
    await setup.pass(MINUTE);
    const { raised: held, raise: letGo } = createSignal();
    const old = setup.reportedInvoice(invoice.number);
    setup.read.mockImplementationOnce(() => held.then(() => accepted(old)));
    const before = setup.reads.length;
    const reading = setup.invoices.checkPayment(invoice);
    await eventually(() => expect(setup.reads.length).toBe(before + 1));
    setup.report(invoice, { status: 'paid' });
    setup.clock.now += 1;
    const event = setup.invoices.handleEvent(invoice.account, invoice.number);
    await new Promise(setImmediate);
    letGo();
    await Promise.all([reading, event]);
    await setup.pass(RUN_INTERVAL_MS);
    expect(statusesShown(setup, invoice)).toEqual(['pending', 'paid']);
  });
});

test('reads nothing after an event with another account or an unknown number', async () => {
  const { setup, invoice } = await openInvoice();
  await setup.pass(5 * MINUTE);
  const before = setup.reads.length;
  await setup.invoices.handleEvent(invoice.account + 1, invoice.number);
  await setup.invoices.handleEvent(invoice.account, invoice.number + 1);
  await setup.storage.set(`invoice-number:${invoice.account}:77`, 'nonsense');
  await setup.invoices.handleEvent(invoice.account, 77);
  await setup.poll();
  expect(setup.reads.length).toBe(before);
});

test('shows a change after its process died before showing it', async () => {
  const { setup, invoice } = await openInvoice();
  setup.report(invoice, { status: 'delegated', tx_hash: HASH });
  let ended = false;
  // Every call after the write of the record fails.
  const replace = setup.storage.replace;
  const own = {
    ...setup.storage,
    replace: async (...args: Parameters<typeof replace>) => {
      const isWritten = await replace(...args);
      if (args[0].startsWith('invoice:') && args[2].includes('delegated')) ended = true;
      return isWritten;
    },
  };
  const gone = setup.replica(failing(own, () => ended));
  setup.clock.now += RUN_INTERVAL_MS;
  await setup.poll(gone);
  expect(ended).toBe(true);
  expect(await setup.present(invoice)).toMatchObject({ status: 'delegated' });
  await setup.pass(MINUTE);
  expect(statusesShown(setup, invoice)).toEqual(['pending', 'delegated']);
});

test('reads other invoices although some cannot be read, and logs that', async () => {
  const setup = openInvoices();
  const bad: Invoice[] = [];
  for (let at = 0; at < 6; at++) bad.push(await setup.open());
  const good = await setup.open();
  setup.report(good, { status: 'delegated' });
  setup.read.mockImplementation(async (number) => {
    if (bad.some((one) => one.number === number)) throw new Error('this invoice cannot be read');
    return { kind: 'accepted', value: setup.reportedInvoice(number) };
  });
  const { log, lines } = recordingLog();
  await setup.pass(MINUTE, [setup.replica(setup.storage, { log })]);
  expect(statusesShown(setup, good).at(-1)).toBe('delegated');
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'polling invoices of an account failed; it will be retried',
    }),
  );
});

test('reads no invoice of an account without a key until the key is back', async () => {
  const setup = openInvoices();
  const [gone, other] = [await setup.open({ account: 2_001 }), await setup.open({ account: 2_002 })];
  setup.apiKey.mockImplementation(async (_user, account) => (account === 2_001 ? undefined : 'a-key'));
  for (const one of [gone, other]) setup.report(one, { status: 'delegated' });
  await setup.pass(2 * MINUTE);
  expect(statusesShown(setup, other).at(-1)).toBe('delegated');
  expect(readsOf(setup, gone)).toEqual([]);
  setup.apiKey.mockImplementation(async () => 'a-key');
  await setup.pass(11 * MINUTE);
  expect(statusesShown(setup, gone).at(-1)).toBe('delegated');
});

test('gives each account its own reads', async () => {
  const setup = openInvoices();
  for (let at = 0; at < 100; at++) await setup.open({ account: 2_001 });
  await setup.pass(MINUTE);
  const other = await setup.open({ account: 2_002 });
  await setup.pass(RUN_INTERVAL_MS);
  expect(readsOf(setup, other)).toHaveLength(1);
});

test('stops reading an invoice with a deleted or tampered record', async () => {
  const setup = openInvoices();
  const [gone, forged] = [await setup.open(), await setup.open()];
  await setup.storage.delete(`invoice:{${gone.user}}:${gone.id}`);
  const key = `invoice:{${forged.user}}:${forged.id}`;
  const text = (await setup.storage.get(key)) ?? '';
  await setup.storage.set(key, text.replace('"status":"pending"', '"status":"delegated"'));
  await setup.pass(5 * MINUTE);
  expect(setup.reads).toEqual([]);
  expect(await setup.invoices.read(forged)).toBeUndefined();
});

test('keeps reading an account that gets an invoice while it is removed', async () => {
  const setup = openInvoices();
  const first = await setup.open();
  setup.report(first, { status: 'delegated' });
  const { remove } = setup.storage.index;
  let second: Invoice | undefined;
  // Right before the account is removed, after the check that it has nothing left.
  const own = {
    ...setup.storage,
    index: {
      ...setup.storage.index,
      remove: async (index: string, member: string) => {
        if (index === 'invoice-polled-accounts:leased') second = await setup.open();
        return remove(index, member);
      },
    },
  };
  setup.clock.now += RUN_INTERVAL_MS;
  await setup.poll(setup.replica(own));
  await eventually(() => expect(second).toBeDefined());
  await setup.pass(MINUTE);
  expect(second && readsOf(setup, second).length).toBeGreaterThan(0);
});

test('returns the age of the most overdue read of any account and priority', async () => {
  const clock = { now: 1_000_000 };
  const schedule = createInvoiceSchedule({ storage: createMemoryStorage({ now: () => clock.now }) });
  const invoice = (account: number) => ({ account, user: 9, id: 'a' });
  expect(await schedule.overdueMs()).toBeUndefined();
  await schedule.schedule(invoice(1), { inMs: 60_000, priority: 'opened' });
  await schedule.schedule(invoice(2), { inMs: 30_000, priority: 'regular' });
  expect(await schedule.overdueMs()).toBeUndefined();
  clock.now += 65_000;
  expect(await schedule.overdueMs()).toBe(35_000);
  expect(await schedule.takeTurns(10, 0)).toEqual([1, 2]);
  await schedule.lease(invoice(2));
  await schedule.release(invoice(2), undefined);
  for (const account of [1, 2]) await schedule.endTurn(account, 0);
  clock.now += 10_000;
  expect(await schedule.overdueMs()).toBe(7_100);
});

describe('an invoice of 130,000 energy that the service reports', () => {
  const other = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
  test.each([
    ['with another address', { address: other, status: 'delegated' }, 'address', other],
    ['with more energy', { energy_amount: 130_001, status: 'delegated' }, 'amount', '130001'],
    ['without energy', { energy_amount: 0, status: 'delegated' }, 'amount', '0'],
    ['with less energy before its delivery', { energy_amount: 65_000, status: 'paid' }, 'amount', '65000'],
    ['with another duration', { duration_hours: 24, status: 'paid' }, 'hours', '24'],
    ['with another price in TRX', { price_trx: '4.65' }, 'price', '4.65'],
    ['with another price in USDT', { price_usdt: '1.40' }, 'price', '1.40'],
  ])('%s is not changed, soon not payable, and passed on to admins', async (_, reported, fact, value) => {
    const { setup, invoice } = await openInvoice();
    setup.report(invoice, reported);
    await setup.pass(2 * MINUTE);
    const present = await setup.invoices.read(invoice);
    expect(present).toMatchObject({ status: 'pending' });
    expect(present && (await setup.invoices.checkBeforePayment(present))).toMatchObject({ isStale: true });
    expect(setup.reportContradiction).toHaveBeenCalledWith(
      expect.objectContaining({
        ...{ account: invoice.account, namespace: 'invoice', order: invoice.number, operation: invoice.id },
        difference: expect.objectContaining({ fact, reported: value }),
      }),
    );
  });

  test.each([
    ['the price of its payment', { price_trx: '4.65', status: 'paid' }, 'paid'],
    ['all of the energy', { status: 'delegated' }, 'delivered'],
    ['less energy', { energy_amount: 129_999, status: 'delegated' }, 'partial'],
  ])('with %s is %s', async (_, reported, state) => {
    const { setup, invoice } = await openInvoice();
    setup.report(invoice, reported);
    await setup.pass(MINUTE);
    const present = await setup.invoices.read(invoice);
    expect(present && invoiceStateOf(present, setup.clock.now)).toBe(state);
    expect(present?.delivered).toBe(state === 'partial' ? 129_999 : undefined);
    expect(setup.reportContradiction).not.toHaveBeenCalled();
  });
});

test.each([
  ['en', '🟠 Paid and partly delivered', 'Delivered: 32,500 of 130,000 energy.'],
  ['ru', '🟠 Оплачен и доставлен частично', 'Доставлено: 32 500 из 130 000 энергии.'],
] as const)('shows both amounts of a partly delivered invoice in %s', (language, first, both) => {
  const invoice = invoiceOf({ status: 'delegated', delivered: 32_500 });
  const words = TEXTS.in(language);
  const about = { isForMaker: true, now: START, links: undefined };
  for (const html of [
    invoiceCard(words, invoice, about).html,
    invoiceFollowUp(words, invoice, about) ?? '',
  ]) {
    const said = withoutTags(html).replaceAll(/[\u00a0\u202f]/g, ' ');
    expect(said.split('\n')[0]).toBe(first);
    expect(said).toContain(both);
  }
});

/** Opens an invoice whose card shows its real content, after some polls. */
async function openShownInvoice() {
  const { setup, invoice } = await openInvoice();
  setup.updateCard.mockImplementation(async (shown, card) => ({
    ...(await setup.showCard(shown, card)),
    fingerprint: cardFingerprint(shown, setup.clock.now, card),
  }));
  await setup.pass(30_000);
  const state = async () => (await setup.present(invoice)).cards[0]?.fingerprint?.split(' ')[0];
  return { setup, invoice, state };
}

describe.each([
  ['20 seconds', 20_000],
  ['90 seconds', 90_000],
  ['45 minutes', 45 * MINUTE],
  ['an hour', 60 * MINUTE],
])('if the clock was wrong by %s', (_, ms) => {
  const allowedMs = ms < MINUTE ? ms + 2 * RUN_INTERVAL_MS : 2 * RUN_INTERVAL_MS;

  test.each([
    ['set back', 0],
    ['ahead for eight seconds', ms],
  ])(
    'shows a payment in time after it was %s, and the invoice as payable until then',
    async (_was, aheadMs) => {
      const { setup, invoice, state } = await openShownInvoice();
      setup.clock.now += aheadMs;
      await setup.pass(9_000);
      if (aheadMs > 30 * MINUTE) expect(await state()).toBe('over');
      setup.clock.now -= ms;
      await setup.pass(allowedMs);
      expect(await state()).toBe('open');
      const paidAt = setup.clock.now;
      setup.report(invoice, { status: 'paid' });
      await setup.pass(2 * RUN_INTERVAL_MS);
      expect(setup.updates.at(-1)).toMatchObject({ status: 'paid' });
      expect((setup.updates.at(-1)?.at ?? 0) - paidAt).toBeLessThanOrEqual(2 * RUN_INTERVAL_MS);
    },
  );
});

test('polls on in time if the clock is set back by an hour during a poll', async () => {
  const { setup, invoice } = await openShownInvoice();
  setup.read.mockImplementationOnce(async (number) => {
    setup.clock.now -= 60 * MINUTE;
    return setup.respond(number);
  });
  await setup.invoices.poller.pollAfterEvent(invoice);
  const before = setup.reads.length;
  await setup.pass(2 * RUN_INTERVAL_MS);
  expect(setup.reads.length).toBeGreaterThan(before);
});
