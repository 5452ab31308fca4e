import { afterEach, describe, expect, vi } from 'vitest';
import { createRecentAttempts } from '../../src/operations/evidence.ts';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import { revised, type UncertainOperation } from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';
import {
  BANDWIDTH,
  CARD,
  CLAIM_AND_OUTCOME,
  type OperationsSetup,
  openOn,
  SHOWN,
  START,
  test,
  USER,
} from './operations-setup.ts';
import { ACCOUNT, accepted, CUT, heldBack, logged, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a confirmed operation', () => {
  test('is refused within fifteen seconds if it was never executed', async ({ setup }) => {
    const operation = await setup.claimed();
    await setup.pass(15_000, setup.replica().reconciler);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(setup.show).toHaveBeenLastCalledWith(
      expect.objectContaining({
        id: operation.id,
        refusal: expect.objectContaining({ reason: 'interrupted' }),
      }),
    );
  });

  test('is scheduled until its card has expired if its claim was not committed', async ({ setup }) => {
    const draft = await setup.draft();
    await setup.operations.decisions.confirm(draft, CARD, openOn(draft));
    await setup.pass(4 * 60_000);
    expect(await setup.storage.index.upTo('operations:due', START + DAY, 10)).toHaveLength(1);
    await setup.pass(3 * 60_000);
    expect(await setup.storage.index.upTo('operations:due', START + DAY, 10)).toEqual([]);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(setup.show).not.toHaveBeenCalled();
  });
});

test('settles an attempt whose process died by its log entry and does not send it again', async ({
  setup,
}) => {
  const operation = await setup.orphaned();
  await setup.pass(15_000);
  setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START + 1_000)]));
  await setup.pass(30_000);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
});

test('does not touch an attempt whose process is alive in a second run of its job', async ({ setup }) => {
  const { operation, attended, answer } = await setup.underWay();
  await setup.replica().reconciler.advance(operation);
  await setup.pass(3_000);
  expect(await setup.read(operation)).toMatchObject({ state: 'sent' });
  expect(setup.shown()).toEqual(['claimed']);
  answer(orderOf());
  await attended;
  expect(setup.shown()).toEqual(CLAIM_AND_OUTCOME);
});

describe.each([
  ['is the same', 0],
  ['is half a minute ahead', 30_000],
  ['is half a minute behind', -30_000],
])('a replica whose clock %s', (_, ms) => {
  test('does not touch an attempt of another replica that is alive', async ({ setup }) => {
    const operation = await setup.claimed();
    const other = setup.replica(undefined, undefined, { now: () => setup.clock.now + ms });
    vi.useFakeTimers();
    let answer = (_: Awaited<ReturnType<typeof setup.rental.buyEnergy>>) => {};
    setup.rental.buyEnergy.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const attended = setup.advance(operation);
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      setup.clock.now += 1_000;
      await other.reconciler.run();
    }
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await setup.read(operation)).toMatchObject({ state: 'sent' });
    expect(setup.shown()).toEqual(['claimed']);
    answer(orderOf());
    await attended;
    expect(setup.shown()).toEqual(CLAIM_AND_OUTCOME);
  });

  test('shows an orphan of another replica as unknown within fifteen seconds', async ({ setup }) => {
    const operation = await setup.orphaned();
    const other = setup.replica(undefined, undefined, { now: () => setup.clock.now + ms });
    // The last heartbeat expires right after the first check.
    setup.clock.now += 4_000;
    await setup.pass(3_000, other.reconciler);
    await setup.pass(8_000, other.reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(setup.shown()).toContain('unknown');
  });

  test('does not touch a claim whose process is alive', async ({ setup }) => {
    const operation = await setup.claimed();
    await setup.storage.set(`heartbeat:{${operation.user}}:${operation.id}`, '');
    const other = setup.replica(undefined, undefined, { now: () => setup.clock.now + ms });
    await setup.pass(60_000, other.reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'claimed' });
  });
});

test('does not touch an attempt that is being marked as sent in a second run of its job', async ({
  setup,
}) => {
  const operation = await setup.claimed();
  const { replace } = setup.storage;
  const own = setup.replica({
    ...setup.storage,
    async replace(key, expected, value, lifetime) {
      const replaced = await replace(key, expected, value, lifetime);
      if (value.includes('"state":"sent"')) await setup.operations.reconciler.advance(operation);
      return replaced;
    },
  });
  await setup.executeClaim(operation, own);
  expect(setup.shown()).toEqual(CLAIM_AND_OUTCOME);
  expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
});

test('does not touch a claim that its own process prepares, even without a heartbeat', async ({ setup }) => {
  const operation = await setup.claimed();
  const { raised: held, raise: goOn } = createSignal();
  setup.rental.profile.mockImplementationOnce(() => held.then(() => profileOf('1000.00')));
  const attended = setup.executeClaim(operation);
  await eventually(() => expect(setup.rental.profile).toHaveBeenCalled());
  setup.clock.now += 18_000;
  await setup.operations.reconciler.advance(operation);
  goOn();
  await attended;
  expect(await setup.read(operation)).toMatchObject({ state: 'done' });
});

describe('an unknown outcome', () => {
  test('is searched for at growing intervals, and its user sees the number of checks', async ({ setup }) => {
    const operation = await setup.lost();
    await setup.pass(60_000);
    const { search } = await setup.read<UncertainOperation>(operation);
    expect(search).toMatchObject({ balance: 'same' });
    expect(search?.count).toBeGreaterThan(3);
    expect(search?.count).toBeLessThan(8);
    expect(setup.show).toHaveBeenLastCalledWith(expect.objectContaining({ search }));
  });

  test('is searched for when the rate limit allows it, without a failed check before', async ({ setup }) => {
    setup.rental.webhookLogs.mockResolvedValue(heldBack(20_000));
    const operation = await setup.lost();
    await setup.pass(18_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect((await setup.read<UncertainOperation>(operation)).search).toBeUndefined();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done' });
  });

  test('is searched for during one day', async ({ setup }) => {
    await setup.lost();
    setup.clock.now = START + DAY - 3_600_000;
    await setup.pass(3 * 3_600_000);
    setup.rental.webhookLogs.mockClear();
    await setup.pass(3 * 3_600_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('is shown before the search starts', async ({ setup }) => {
    const operation = await setup.claimed();
    setup.rental.buyEnergy.mockResolvedValueOnce(CUT);
    setup.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
    await setup.advance(operation);
    await setup.pass(30_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
    setup.show.mockResolvedValue(SHOWN);
    await setup.pass(15_000);
    expect(setup.shown().at(-1)).toBe('unknown');
    expect(setup.rental.webhookLogs).toHaveBeenCalled();
  });

  test('stays unknown and is not searched for after the account was unlinked', async ({ setup }) => {
    const operation = await setup.lost();
    setup.apiKey.mockResolvedValue(undefined);
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'unread' } });
    expect(setup.show.mock.calls.length).toBeLessThan(12);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });
});

test.for(['not JSON', '{"state":"of a later version"}', 'null'])(
  'skips the invalid record %j, logs it once and lets the next process retry',
  async (text, { setup }) => {
    const orphan = await setup.orphaned();
    const claimed = await setup.claimed();
    const key = `operation:{${claimed.user}}:${claimed.id}`;
    const before = (await setup.storage.get(key)) ?? '';
    await signedRecords(setup.storage).set(key, text);
    const { log, lines } = recordingLog();
    const own = setup.replica(undefined, undefined, { log });
    await setup.pass(60_000, own.reconciler);
    expect(lines().filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ operation: claimed.id }),
    ]);
    expect(await setup.read(orphan)).toMatchObject({ state: 'unknown' });
    await setup.storage.set(key, before);
    await setup.pass(6_000, setup.replica().reconciler);
    expect(await setup.read(claimed)).toMatchObject({ state: 'refused' });
  },
);

test('delivers a follow-up that arrives while its operation leaves the due index', async ({ setup }) => {
  const operation = await setup.claimed();
  const { index } = setup.storage;
  let hasNews = false;
  const own = setup.replica({
    ...setup.storage,
    index: {
      ...index,
      async remove(name, ...members) {
        if (name === 'operations:due' && !hasNews) {
          hasNews = true;
          await setup.store.change(operation, (present) => ({
            ...present,
            receipt: revised(present, { late: true }),
          }));
        }
        await index.remove(name, ...members);
      },
    },
  });
  await setup.pass(30_000, own.reconciler);
  expect(hasNews).toBe(true);
  expect(setup.shown()).toEqual(['refused', 'refused']);
});

test('searches again after ten seconds if a search was cut off', async ({ setup }) => {
  const operation = await setup.lost();
  const { webhookLogs } = setup.rental;
  webhookLogs.mockRejectedValueOnce(new Error('the process ends'));
  await expect(setup.advance(operation)).rejects.toThrow('the process ends');
  const { reconciler } = setup.replica();
  const searchesAt = async (ms: number) => {
    setup.clock.now += ms;
    await reconciler.run();
    await settled();
    return webhookLogs.mock.calls.length;
  };
  expect(await searchesAt(9_999)).toBe(1);
  expect(await searchesAt(1)).toBe(2);
});

test.for([0, 1, MINUTE - 1, MINUTE])(
  'refuses a claim committed %d ms after its card expired if its process died',
  async (late, { setup }) => {
    const draft = await setup.draft();
    setup.clock.now = draft.expiresAt - 1;
    const decision = await setup.operations.decisions.confirm(draft, CARD, openOn(draft));
    if (decision.kind !== 'claim') throw new Error(`unexpected decision: ${decision.kind}`);
    await setup.pass(late + 1);
    const { key, expected, value } = decision.claim;
    expect(await setup.storage.replace(key, expected, value)).toBe(true);
    await setup.pass(20_000);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    expect(await setup.read(draft)).toMatchObject({ state: 'refused' });
  },
);

describe('the operation record', () => {
  test('is kept for an hour for a draft', async ({ setup }) => {
    const draft = await setup.draft();
    setup.clock.now = START + HOUR - 1;
    expect(await setup.operations.drafts.find(draft)).toMatchObject({ state: 'draft' });
    setup.clock.now = START + HOUR;
    expect(await setup.operations.drafts.find(draft)).toBeUndefined();
  });

  test('is kept for ninety days for a purchase and for an unknown outcome', async ({ setup }) => {
    const both = [await setup.executed(), await setup.lost()];
    setup.clock.now = START + 90 * DAY - 1;
    for (const one of both) expect(await setup.operations.drafts.find(one)).toBeDefined();
    setup.clock.now = START + 90 * DAY;
    for (const one of both) expect(await setup.operations.drafts.find(one)).toBeUndefined();
  });

  test('is kept for an hour after a cancellation and for ninety days after a confirmation', async ({
    setup,
  }) => {
    const [cancelled, claimed] = [await setup.draft(), await setup.claimed()];
    const { drafts, decisions } = setup.operations;
    const decision = await decisions.cancel(cancelled, CARD, openOn(cancelled));
    if (decision.kind !== 'claim') throw new Error('the draft cannot be cancelled');
    const update = { chat: USER, update: 77, token: 'cancels' };
    await setup.storage.chats.begin({ ...update, leaseMs: 0 });
    await setup.storage.chats.commit({ ...update, changes: { claim: decision.claim } });
    setup.clock.now = START + HOUR - 1;
    expect(await drafts.find(cancelled)).toMatchObject({ state: 'cancelled' });
    setup.clock.now = START + HOUR;
    expect(await drafts.find(cancelled)).toBeUndefined();
    setup.clock.now = START + 90 * DAY - 1;
    expect(await drafts.find(claimed)).toMatchObject({ state: 'claimed' });
    setup.clock.now = START + 90 * DAY;
    expect(await drafts.find(claimed)).toBeUndefined();
  });

  test('is kept for an hour after a replacement, so that a later tap can be explained', async ({ setup }) => {
    const draft = await setup.draft();
    const stored = await setup.store.read(draft);
    expect(stored && (await setup.operations.drafts.supersede(stored))).toMatchObject({ state: 'replaced' });
    setup.clock.now = START + HOUR - 1;
    expect(await setup.operations.drafts.find(draft)).toMatchObject({ state: 'replaced' });
    expect(await setup.operations.decisions.confirm(draft, CARD, openOn(draft))).toMatchObject({
      kind: 'decided',
    });
    setup.clock.now = START + HOUR;
    expect(await setup.operations.drafts.find(draft)).toBeUndefined();
  });
});

describe('attempts of an account', () => {
  const listed = (setup: OperationsSetup) =>
    setup.storage.index.upTo(`sent-of-account:${ACCOUNT}`, Number.MAX_VALUE, 100);
  const member = ({ id }: { id: string }) => `${USER}/${id}`;

  test('are dropped after a day if they are resolved, and kept otherwise', async ({ setup }) => {
    let orders = 0;
    setup.rental.buyEnergy.mockImplementation(async () => orderOf({ order_id: ++orders }));
    const done = await setup.executed();
    const unknown = await setup.lost();
    setup.clock.now = START + DAY - 1;
    const first = await setup.executed();
    expect(await listed(setup)).toEqual(expect.arrayContaining([done, unknown, first].map(member)));
    setup.clock.now = START + DAY;
    const second = await setup.executed();
    expect(await listed(setup)).toHaveLength(3);
    expect(await listed(setup)).toEqual(expect.arrayContaining([unknown, first, second].map(member)));
  });

  test('are kept longer if they are orders whose refund may still come', async ({ setup }) => {
    const order = await setup.executed({ request: { ...BANDWIDTH, duration_hours: 72 } });
    for (const [days, isKept] of [
      [2, true],
      [4, false],
    ] as const) {
      setup.clock.now = START + days * DAY;
      await setup.executed();
      expect((await listed(setup)).includes(member(order)), `after ${days} days`).toBe(isKept);
    }
  });

  test('are dropped if their records have expired', async ({ setup }) => {
    await setup.lost();
    setup.clock.now = START + 90 * DAY;
    const { storage, store, clock } = setup;
    const attempts = createRecentAttempts({
      storage,
      store,
      kinds: createKinds(KINDS),
      now: () => clock.now,
    });
    expect(await attempts.of(ACCOUNT)).toEqual([]);
    const next = await setup.executed();
    expect(await listed(setup)).toEqual([member(next)]);
  });

  test('cause a warning weeks later if they are unresolved, for the same user only', async ({ setup }) => {
    const unknown = await setup.lost();
    setup.clock.now = START + 40 * DAY;
    await setup.executed();
    expect((await setup.draft()).warnings).toEqual({ like: unknown.id });
    expect((await setup.draft({ user: USER + 1 })).warnings).toEqual({});
  });

  test('cause no warning after their user has closed them', async ({ setup }) => {
    const unknown = await setup.lost();
    await setup.operations.settlement.close(unknown);
    expect((await setup.draft()).warnings).toEqual({});
  });
});

test('searches on request once within five seconds, and only while the outcome is uncertain', async ({
  setup,
}) => {
  const { searchNow } = setup.operations;
  const operation = await setup.lost();
  expect([await searchNow(operation), await searchNow(operation)]).toEqual(['searched', 'busy']);
  setup.clock.now += 5_000;
  const searches = setup.rental.webhookLogs.mock.calls.length;
  expect(await searchNow(operation)).toBe('searched');
  expect(setup.rental.webhookLogs.mock.calls.length).toBeGreaterThan(searches);
  setup.clock.now += 5_000;
  const done = await setup.executed();
  const before = setup.rental.webhookLogs.mock.calls.length;
  expect(await searchNow(done)).toBe('searched');
  expect(setup.rental.webhookLogs).toHaveBeenCalledTimes(before);
});
