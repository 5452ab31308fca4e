import { describe, expect, test } from 'vitest';
import { createRecentAttempts } from '../../src/operations/limits.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import {
  CARD,
  type OperationsSetup,
  openOn,
  SHOWN,
  START,
  setUpOperations,
  USER,
} from './operations-setup.ts';
import { ACCOUNT, orderOf, profileOf } from './rental-stand-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Opens operations on a storage whose TTLs use the test's clock. */
function openTimed(): OperationsSetup {
  const clock = { now: START };
  return setUpOperations(createMemoryStorage({ now: () => clock.now }), clock);
}

describe('the operation record', () => {
  test('is kept for an hour for a draft', async () => {
    const setup = openTimed();
    const draft = await setup.draft();
    setup.clock.now = START + HOUR - 1;
    expect(await setup.operations.drafts.find(draft)).toMatchObject({ state: 'draft' });
    setup.clock.now = START + HOUR;
    expect(await setup.operations.drafts.find(draft)).toBeUndefined();
  });

  test.each(['a purchase', 'an unknown outcome'])('is kept for ninety days for %s', async (what) => {
    const setup = openTimed();
    const operation = what === 'a purchase' ? await setup.claimed() : await setup.lost();
    if (what === 'a purchase') await setup.advance(operation);
    setup.clock.now = START + 90 * DAY - 1;
    expect(await setup.operations.drafts.find(operation)).toBeDefined();
    setup.clock.now = START + 90 * DAY;
    expect(await setup.operations.drafts.find(operation)).toBeUndefined();
  });

  test('is kept longer than the hour of its draft after a claim', async () => {
    const setup = openTimed();
    const operation = await setup.claimed();
    setup.clock.now = START + 2 * HOUR;
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'expired' } });
  });

  test('is kept for an hour after a cancellation and for ninety days after a confirmation', async () => {
    const setup = openTimed();
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

  test('is kept after a replacement, so that a later tap can be explained', async () => {
    const setup = openTimed();
    const draft = await setup.draft();
    const stored = await setup.store.read(draft);
    expect(stored && (await setup.operations.drafts.supersede(stored))).toMatchObject({ state: 'replaced' });
    setup.clock.now = START + 89 * DAY;
    expect(await setup.operations.drafts.find(draft)).toMatchObject({ state: 'replaced' });
    expect(await setup.operations.decisions.confirm(draft, CARD, openOn(draft))).toMatchObject({
      kind: 'decided',
    });
  });
});

describe('attempts of an account', () => {
  const listed = (setup: OperationsSetup) =>
    setup.storage.index.upTo(`sent-of-account:${ACCOUNT}`, Number.MAX_VALUE, 100);
  const member = ({ id }: { id: string }) => `${USER}/${id}`;

  test('are dropped after a day if they are resolved, and kept otherwise', async () => {
    const setup = setUpOperations();
    let orders = 0;
    setup.rental.buyEnergy.mockImplementation(async () => orderOf({ order_id: ++orders }));
    const done = await setup.claimed();
    await setup.advance(done);
    const unknown = await setup.lost();
    setup.clock.now = START + DAY - 1;
    const first = await setup.claimed();
    await setup.advance(first);
    expect(await listed(setup)).toEqual(expect.arrayContaining([done, unknown, first].map(member)));
    setup.clock.now = START + DAY;
    const second = await setup.claimed();
    await setup.advance(second);
    expect(await listed(setup)).toHaveLength(3);
    expect(await listed(setup)).toEqual(expect.arrayContaining([unknown, first, second].map(member)));
  });

  test('are dropped if their records have expired', async () => {
    const setup = openTimed();
    await setup.lost();
    setup.clock.now = START + 90 * DAY;
    const { storage, store, clock } = setup;
    const attempts = createRecentAttempts({ storage, store, now: () => clock.now });
    expect(await attempts.of(ACCOUNT)).toEqual([]);
    const next = await setup.claimed();
    await setup.advance(next);
    expect(await listed(setup)).toEqual([member(next)]);
  });

  test('cause a warning weeks later if they are unresolved, for the same user only', async () => {
    const setup = setUpOperations();
    const unknown = await setup.lost();
    setup.clock.now = START + 40 * DAY;
    await setup.advance(await setup.claimed());
    expect((await setup.draft()).warnings).toEqual({ like: unknown.id });
    expect((await setup.draft({ user: USER + 1 })).warnings).toEqual({});
  });

  test('cause no warning after their user has closed them', async () => {
    const setup = setUpOperations();
    const unknown = await setup.lost();
    await setup.operations.settlement.close(unknown);
    expect((await setup.draft()).warnings).toEqual({});
  });

  test('do not affect the balance evidence after a day', async () => {
    const setup = setUpOperations();
    await setup.lost();
    setup.clock.now = START + DAY + 1;
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely' });
  });

  test('affect the balance evidence within a day', async () => {
    const setup = setUpOperations();
    await setup.lost();
    setup.clock.now = START + DAY - MINUTE;
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'moved' } });
  });
});

test('delivers a notification that failed for an hour, because the record outlives its draft', async () => {
  const setup = openTimed();
  const operation = await setup.claimed();
  setup.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
  await setup.advance(operation);
  setup.clock.now += 2 * HOUR;
  setup.show.mockResolvedValue(SHOWN);
  await setup.pass(20_000);
  expect(setup.shown().at(-1)).toBe('done');
  const { notified, revision } = await setup.read(operation);
  expect(notified).toBe(revision);
});
