import { describe, expect, test } from 'vitest';
import { createRecentAttempts } from '../../src/operations/limits.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { CARD, openOn, openRoom, type Room, SHOWN, START, USER } from './operations-setup.ts';
import { ACCOUNT, orderOf, profileOf } from './rental-stand-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Opens operations on a storage whose TTLs use the test's clock. */
function openTimed(): Room {
  const clock = { now: START };
  return openRoom(createMemoryStorage({ now: () => clock.now }), clock);
}

describe('the operation record', () => {
  test('is kept for an hour for a draft', async () => {
    const room = openTimed();
    const draft = await room.draft();
    room.clock.now = START + HOUR - 1;
    expect(await room.operations.drafts.find(draft)).toMatchObject({ state: 'draft' });
    room.clock.now = START + HOUR;
    expect(await room.operations.drafts.find(draft)).toBeUndefined();
  });

  test.each(['a purchase', 'an unknown outcome'])('is kept for ninety days for %s', async (what) => {
    const room = openTimed();
    const operation = what === 'a purchase' ? await room.claimed() : await room.lost();
    if (what === 'a purchase') await room.advance(operation);
    room.clock.now = START + 90 * DAY - 1;
    expect(await room.operations.drafts.find(operation)).toBeDefined();
    room.clock.now = START + 90 * DAY;
    expect(await room.operations.drafts.find(operation)).toBeUndefined();
  });

  test('is kept longer than the hour of its draft after a claim', async () => {
    const room = openTimed();
    const operation = await room.claimed();
    room.clock.now = START + 2 * HOUR;
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'refused', refusal: { reason: 'expired' } });
  });

  test('is kept for an hour after a cancellation and for ninety days after a confirmation', async () => {
    const room = openTimed();
    const [cancelled, claimed] = [await room.draft(), await room.claimed()];
    const { drafts, decisions } = room.operations;
    const decision = await decisions.cancel(cancelled, CARD, openOn(cancelled));
    if (decision.kind !== 'claim') throw new Error('the draft cannot be cancelled');
    const update = { chat: USER, update: 77, token: 'cancels' };
    await room.storage.chats.begin({ ...update, leaseMs: 0 });
    await room.storage.chats.commit({ ...update, changes: { claim: decision.claim } });
    room.clock.now = START + HOUR - 1;
    expect(await drafts.find(cancelled)).toMatchObject({ state: 'cancelled' });
    room.clock.now = START + HOUR;
    expect(await drafts.find(cancelled)).toBeUndefined();
    room.clock.now = START + 90 * DAY - 1;
    expect(await drafts.find(claimed)).toMatchObject({ state: 'claimed' });
    room.clock.now = START + 90 * DAY;
    expect(await drafts.find(claimed)).toBeUndefined();
  });

  test('is kept after a replacement, so that a later tap can be explained', async () => {
    const room = openTimed();
    const draft = await room.draft();
    const stored = await room.store.read(draft);
    expect(stored && (await room.operations.drafts.supersede(stored))).toMatchObject({ state: 'replaced' });
    room.clock.now = START + 89 * DAY;
    expect(await room.operations.drafts.find(draft)).toMatchObject({ state: 'replaced' });
    expect(await room.operations.decisions.confirm(draft, CARD, openOn(draft))).toMatchObject({
      kind: 'decided',
    });
  });
});

describe('attempts of an account', () => {
  const listed = (room: Room) => room.storage.index.upTo(`sent-of-account:${ACCOUNT}`, Number.MAX_VALUE, 100);
  const member = ({ id }: { id: string }) => `${USER}/${id}`;

  test('are dropped after a day if they are resolved, and kept otherwise', async () => {
    const room = openRoom();
    let orders = 0;
    room.rental.buyEnergy.mockImplementation(async () => orderOf({ order_id: ++orders }));
    const done = await room.claimed();
    await room.advance(done);
    const unknown = await room.lost();
    room.clock.now = START + DAY - 1;
    const first = await room.claimed();
    await room.advance(first);
    expect(await listed(room)).toEqual(expect.arrayContaining([done, unknown, first].map(member)));
    room.clock.now = START + DAY;
    const second = await room.claimed();
    await room.advance(second);
    expect(await listed(room)).toHaveLength(3);
    expect(await listed(room)).toEqual(expect.arrayContaining([unknown, first, second].map(member)));
  });

  test('are dropped if their records have expired', async () => {
    const room = openTimed();
    await room.lost();
    room.clock.now = START + 90 * DAY;
    const { storage, store, clock } = room;
    const attempts = createRecentAttempts({ storage, store, now: () => clock.now });
    expect(await attempts.of(ACCOUNT)).toEqual([]);
    const next = await room.claimed();
    await room.advance(next);
    expect(await listed(room)).toEqual([member(next)]);
  });

  test('cause a warning weeks later if they are unresolved, for the same user only', async () => {
    const room = openRoom();
    const unknown = await room.lost();
    room.clock.now = START + 40 * DAY;
    await room.advance(await room.claimed());
    expect((await room.draft()).warnings).toEqual({ like: unknown.id });
    expect((await room.draft({ user: USER + 1 })).warnings).toEqual({});
  });

  test('cause no warning after their user has closed them', async () => {
    const room = openRoom();
    const unknown = await room.lost();
    await room.operations.settlement.close(unknown);
    expect((await room.draft()).warnings).toEqual({});
  });

  test('do not affect the balance evidence after a day', async () => {
    const room = openRoom();
    await room.lost();
    room.clock.now = START + DAY + 1;
    const operation = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'likely' });
  });

  test('affect the balance evidence within a day', async () => {
    const room = openRoom();
    await room.lost();
    room.clock.now = START + DAY - MINUTE;
    const operation = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'moved' } });
  });
});

test('delivers a notification that failed for an hour, because the record outlives its draft', async () => {
  const room = openTimed();
  const operation = await room.claimed();
  room.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
  await room.advance(operation);
  room.clock.now += 2 * HOUR;
  room.show.mockResolvedValue(SHOWN);
  await room.pass(20_000);
  expect(room.shown().at(-1)).toBe('done');
  const { notified, revision } = await room.read(operation);
  expect(notified).toBe(revision);
});
