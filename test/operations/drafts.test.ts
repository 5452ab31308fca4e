import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { CARD, ENERGY, openOn, openRoom, START, USER } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

const FIVE_MINUTES = 5 * 60_000;

describe('a card', () => {
  test('can be confirmed for five minutes', async () => {
    const room = openRoom();
    const draft = await room.draft();
    room.clock.now = START + FIVE_MINUTES - 1;
    expect(await room.operations.decisions.confirm(draft, CARD, openOn(draft))).toMatchObject({
      kind: 'claim',
    });
  });

  test.each(['confirm', 'cancel'] as const)(
    'has expired after five minutes: %s changes nothing',
    async (tap) => {
      const room = openRoom();
      const draft = await room.draft();
      room.clock.now = START + FIVE_MINUTES;
      const decision = await room.operations.decisions[tap](draft, CARD, openOn(draft));
      expect(decision).toMatchObject({ kind: 'expired', operation: { id: draft.id, state: 'expired' } });
      expect(await room.read(draft)).toMatchObject({ state: 'draft' });
    },
  );

  test.each([
    ['by another user', { user: USER + 1 }, CARD, 'none'],
    ['with an unknown number', { id: '00000000' }, CARD, 'none'],
    ['on another message', {}, CARD - 1, 'elsewhere'],
  ])('rejects decisions %s', async (_, other, message, kind) => {
    const room = openRoom();
    const draft = await room.draft();
    const ref = { user: draft.user, id: draft.id, ...other };
    expect(await room.operations.decisions.confirm(ref, message, openOn(draft))).toMatchObject({ kind });
    expect(await room.operations.decisions.cancel(ref, message, openOn(draft))).toMatchObject({ kind });
  });

  test.each(['confirm', 'cancel'] as const)(
    'rejects %s if its chat has another open card or none',
    async (tap) => {
      const room = openRoom();
      const older = await room.draft();
      room.clock.now += 1;
      const newer = await room.draft();
      const { decisions } = room.operations;
      expect(await decisions[tap](older, CARD, openOn(newer))).toMatchObject({ kind: 'replaced' });
      expect(await decisions[tap](newer, CARD, openOn(older))).toMatchObject({ kind: 'unplaced' });
      expect(await decisions[tap](newer, CARD, undefined)).toMatchObject({ kind: 'unplaced' });
      expect(await room.read(older)).toMatchObject({ state: 'draft' });
      expect(await room.read(newer)).toMatchObject({ state: 'draft' });
    },
  );

  test('becomes the receipt when it is confirmed', async () => {
    const room = openRoom();
    const draft = await room.draft();
    await room.confirm(draft);
    expect(await room.read(draft)).toMatchObject({ state: 'claimed', card: CARD });
  });

  test('is open until it is confirmed or has expired', async () => {
    const room = openRoom();
    const { open } = room.operations.drafts;
    const draft = await room.draft();
    room.clock.now = START + FIVE_MINUTES - 1;
    expect(await open(draft)).toEqual(await room.read(draft));
    expect(await open({ ...draft, user: USER + 1 })).toBeUndefined();
    room.clock.now += 1;
    expect(await open(draft)).toBeUndefined();
    expect(await open(await room.claimed())).toBeUndefined();
  });

  test('has a number without ambiguous characters', async () => {
    const room = openRoom();
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await room.draft()).id));
    for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(new Set(ids).size).toBe(50);
  });
});

describe.each([
  ['in memory', async () => createMemoryStorage()],
  ['in Redis', async () => createRedisStorage({ url: await redisUrl(), log: silentLog() })],
])('a claim %s', (_, open) => {
  test('is committed once among concurrent confirmations', async () => {
    const storage = await open();
    const room = openRoom(storage);
    const draft = await room.draft();
    const replicas = Array.from({ length: 20 }, () => room.replica().decisions);
    const decisions = await Promise.all(
      replicas.map((decisions) => decisions.confirm(draft, CARD, openOn(draft))),
    );
    const committed: string[] = [];
    for (const [update, decision] of decisions.entries()) {
      if (decision.kind !== 'claim') throw new Error(`unexpected decision: ${decision.kind}`);
      const about = { chat: USER, update, token: `token ${update}` };
      await storage.chats.begin({ ...about, leaseMs: 15_000 });
      committed.push(await storage.chats.commit({ ...about, changes: { claim: decision.claim } }));
      await storage.chats.release(about);
    }
    expect(committed).toEqual(['committed', ...Array(19).fill('conflict')]);
    expect(await room.read(draft)).toMatchObject({ state: 'claimed', claimedAt: START });
    expect(await room.confirm(draft)).toBe('going');
    await storage.close();
  });

  test('excludes a cancellation', async () => {
    const storage = await open();
    const room = openRoom(storage);
    const draft = await room.draft();
    const confirmed = await room.operations.decisions.confirm(draft, CARD, openOn(draft));
    const cancelled = await room.operations.decisions.cancel(draft, CARD, openOn(draft));
    if (confirmed.kind !== 'claim' || cancelled.kind !== 'claim')
      throw new Error('confirming and cancelling must both be possible');
    expect(confirmed.claim.expected).toBe(cancelled.claim.expected);
    expect(await storage.replace(cancelled.claim.key, cancelled.claim.expected, cancelled.claim.value)).toBe(
      true,
    );
    expect(await storage.replace(confirmed.claim.key, confirmed.claim.expected, confirmed.claim.value)).toBe(
      false,
    );
    expect(await room.confirm(draft)).toBe('decided');
    await room.advance(draft);
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
    await storage.close();
  });
});

test('returns the same draft for the same update of a user, otherwise another one', async () => {
  const room = openRoom();
  const first = await room.draft({ update: 77 });
  expect((await room.draft({ update: 77 })).id).toBe(first.id);
  expect((await room.draft({ update: 78 })).id).not.toBe(first.id);
  expect((await room.draft({ update: 77, user: USER + 1 })).id).not.toBe(first.id);
});

test('warns of an identical operation whose request is under way', async () => {
  const room = openRoom();
  const first = await room.claimed();
  room.rental.buyEnergy.mockReturnValueOnce(new Promise(() => undefined));
  void room.advance(first);
  await eventually(async () => expect(await room.read(first)).toMatchObject({ state: 'sent' }));
  expect((await room.draft()).warnings?.like).toBe(first.id);
});

test('a draft that is stored late does not overwrite a claim', async () => {
  const storage = createMemoryStorage();
  const room = openRoom(storage);
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const add: Storage['add'] = async (key, ...rest) => {
    if (key.startsWith('operation:')) await held;
    return storage.add(key, ...rest);
  };
  const set: Storage['set'] = async (key, ...rest) => {
    if (key.startsWith('operation:')) await held;
    return storage.set(key, ...rest);
  };
  const intent = { update: 77, user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const late = room.replica({ ...storage, add, set }).drafts.draft(intent);
  const claimed = await room.claimed(intent);
  room.clock.now += 1;
  go();
  expect((await late).id).toBe(claimed.id);
  expect(await room.read(claimed)).toMatchObject({ state: 'claimed' });
});

test('warns of the latest of two unresolved identical operations', async () => {
  const room = openRoom();
  await room.lost();
  room.clock.now += 1_000;
  const second = await room.lost();
  room.clock.now += 1_000;
  expect((await room.draft()).warnings).toMatchObject({ like: second.id });
});

test('returns the draft that an earlier attempt of the same update stored', async () => {
  const room = openRoom();
  const drafted = await room.draft();
  expect(await room.store.create({ ...drafted, estimate: '9.99' })).toEqual(drafted);
});

test('warns of both an identical operation and a similar address', async () => {
  const room = openRoom();
  const lost = await room.lost();
  const intent = { update: 78, user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const draft = await room.operations.drafts.draft({ ...intent, lookalike: 'TKnown' });
  expect(draft.warnings).toEqual({ lookalike: 'TKnown', like: lost.id });
  expect((await room.read(draft)).warnings).toEqual({ lookalike: 'TKnown', like: lost.id });
});

test('does not change a claimed operation when its update is repeated', async () => {
  const room = openRoom();
  const intent = { update: 79, user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const claimed = await room.operations.drafts.draft(intent);
  await room.confirm(claimed);
  await room.lost();
  const before = await room.read(claimed);
  expect(await room.operations.drafts.draft(intent)).toMatchObject({ state: 'claimed' });
  expect(await room.read(claimed)).toEqual(before);
});

test('does not replace a claimed operation by a newer card', async () => {
  const room = openRoom();
  const draft = await room.draft();
  const stored = await room.stored(draft);
  await room.confirm(draft);
  expect(await room.operations.drafts.supersede(stored)).toBeUndefined();
  expect(await room.read(draft)).toMatchObject({ state: 'claimed' });
});

test('returns the replaced draft again when the replacement is repeated', async () => {
  const room = openRoom();
  const stored = await room.stored(await room.draft());
  for (let times = 0; times < 2; times++) {
    expect(await room.operations.drafts.supersede(stored)).toMatchObject({ state: 'replaced' });
  }
});

test('confirms the card that the chat holds if two were created at once', async () => {
  const room = openRoom();
  const [older, newer] = [await room.draft(), await room.draft()];
  expect(newer.createdAt).toBe(older.createdAt);
  expect(await room.operations.decisions.confirm(older, CARD, openOn(newer))).toMatchObject({
    kind: 'replaced',
  });
});

test('a cancelled card keeps its message ID', async () => {
  const room = openRoom();
  const draft = await room.draft();
  const decision = await room.operations.decisions.cancel(draft, CARD, openOn(draft));
  expect(decision).toMatchObject({ kind: 'claim', operation: { state: 'cancelled', card: CARD } });
});
