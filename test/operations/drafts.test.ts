import { describe, expect } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { keysTagged } from '../support/tagged.ts';
import { CARD, ENERGY, openOn, START, setUpOperations, test, USER, WITHDRAWAL } from './operations-setup.ts';
import { ACCOUNT } from './rental-stand-in.ts';

const FIVE_MINUTES = 5 * 60_000;

describe('a card', () => {
  test('can be confirmed for five minutes', async ({ setup }) => {
    const draft = await setup.draft();
    setup.clock.now = START + FIVE_MINUTES - 1;
    expect(await setup.operations.decisions.confirm(draft, CARD, openOn(draft))).toMatchObject({
      kind: 'claim',
    });
  });

  test.for(['confirm', 'cancel'] as const)(
    'has expired after five minutes: %s changes nothing',
    async (tap, { setup }) => {
      const draft = await setup.draft();
      setup.clock.now = START + FIVE_MINUTES;
      const decision = await setup.operations.decisions[tap](draft, CARD, openOn(draft));
      expect(decision).toMatchObject({ kind: 'expired', operation: { id: draft.id, state: 'expired' } });
      expect(await setup.read(draft)).toMatchObject({ state: 'draft' });
    },
  );

  test.each([
    ['by another user', { user: USER + 1 }, CARD, 'none'],
    ['with an unknown number', { id: '00000000' }, CARD, 'none'],
    ['on another message', {}, CARD - 1, 'elsewhere'],
  ])('rejects decisions %s', async (_, other, message, kind) => {
    const setup = setUpOperations();
    const draft = await setup.draft();
    const ref = { user: draft.user, id: draft.id, ...other };
    expect(await setup.operations.decisions.confirm(ref, message, openOn(draft))).toMatchObject({ kind });
    expect(await setup.operations.decisions.cancel(ref, message, openOn(draft))).toMatchObject({ kind });
  });

  test.for(['confirm', 'cancel'] as const)(
    'rejects %s if its chat has another open card or none',
    async (tap, { setup }) => {
      const older = await setup.draft();
      setup.clock.now += 1;
      const [newer, twin] = [await setup.draft(), await setup.draft()];
      const { decisions } = setup.operations;
      expect(await decisions[tap](older, CARD, openOn(newer))).toMatchObject({ kind: 'replaced' });
      expect(await decisions[tap](newer, CARD, openOn(twin))).toMatchObject({ kind: 'replaced' });
      expect(await decisions[tap](newer, CARD, openOn(older))).toMatchObject({ kind: 'unplaced' });
      expect(await decisions[tap](newer, CARD, undefined)).toMatchObject({ kind: 'unplaced' });
      expect(await setup.read(older)).toMatchObject({ state: 'draft' });
      expect(await setup.read(newer)).toMatchObject({ state: 'draft' });
    },
  );

  test('becomes the receipt when it is confirmed', async ({ setup }) => {
    const draft = await setup.draft();
    await setup.confirm(draft);
    expect(await setup.read(draft)).toMatchObject({ state: 'claimed', receipt: { card: CARD } });
  });

  test('is open until it is confirmed or has expired', async ({ setup }) => {
    const { open } = setup.operations.drafts;
    const draft = await setup.draft();
    setup.clock.now = START + FIVE_MINUTES - 1;
    expect(await open(draft)).toEqual(await setup.read(draft));
    expect(await open({ ...draft, user: USER + 1 })).toBeUndefined();
    setup.clock.now += 1;
    expect(await open(draft)).toBeUndefined();
    expect(await open(await setup.claimed())).toBeUndefined();
  });

  test('has a number without ambiguous characters', async ({ setup }) => {
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await setup.draft()).id));
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
    const setup = setUpOperations(storage);
    const draft = await setup.draft();
    const replicas = Array.from({ length: 20 }, () => setup.replica().decisions);
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
    expect(await setup.read(draft)).toMatchObject({ state: 'claimed', claimedAt: START });
    expect(await setup.confirm(draft)).toBe('in-progress');
    await storage.close();
  });

  test('excludes a cancellation', async () => {
    const storage = await open();
    const setup = setUpOperations(storage);
    const draft = await setup.draft();
    const confirmed = await setup.operations.decisions.confirm(draft, CARD, openOn(draft));
    const cancelled = await setup.operations.decisions.cancel(draft, CARD, openOn(draft));
    if (confirmed.kind !== 'claim' || cancelled.kind !== 'claim')
      throw new Error('confirming and cancelling must both be possible');
    expect(confirmed.claim.expected).toBe(cancelled.claim.expected);
    expect(await storage.replace(cancelled.claim.key, cancelled.claim.expected, cancelled.claim.value)).toBe(
      true,
    );
    expect(await storage.replace(confirmed.claim.key, confirmed.claim.expected, confirmed.claim.value)).toBe(
      false,
    );
    expect(await setup.confirm(draft)).toBe('decided');
    await setup.advance(draft);
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
    await storage.close();
  });
});

test('returns the same draft and card for the same update of a user, otherwise others', async ({ setup }) => {
  const first = await setup.draft({ update: 77 });
  const second = await setup.draft({ update: 78 });
  expect(second.id).not.toBe(first.id);
  expect(first.confirmableFrom).toBeUndefined();
  for (const [draft, message] of [[first, 5] as const, [second, 6] as const])
    setup.operations.drafts.placeCard(draft, message);
  expect(await setup.draft({ update: 77 })).toMatchObject({ id: first.id, receipt: { card: 5 } });
  expect((await setup.draft({ update: 77, user: USER + 1 })).id).not.toBe(first.id);
});

test('warns of an identical operation whose request is under way', async ({ setup }) => {
  const first = await setup.claimed();
  setup.rental.buyEnergy.mockReturnValueOnce(new Promise(() => undefined));
  void setup.advance(first);
  await eventually(async () => expect(await setup.read(first)).toMatchObject({ state: 'sent' }));
  expect((await setup.draft()).warnings.like).toBe(first.id);
});

test('a draft that is stored late does not overwrite a claim', async () => {
  const storage = createMemoryStorage();
  const setup = setUpOperations(storage);
  const { raised: held, raise: go } = createSignal();
  const add: Storage['add'] = async (key, ...rest) => {
    if (key.startsWith('operation:')) await held;
    return storage.add(key, ...rest);
  };
  const intent = { update: 77, user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const late = setup.replica({ ...storage, add }).drafts.draft(intent);
  const claimed = await setup.claimed(intent);
  setup.clock.now += 1;
  go();
  expect((await late).id).toBe(claimed.id);
  expect(await setup.read(claimed)).toMatchObject({ state: 'claimed' });
});

test('warns of the latest of two unresolved identical operations', async ({ setup }) => {
  await setup.lost();
  setup.clock.now += 1_000;
  const second = await setup.lost();
  setup.clock.now += 1_000;
  expect((await setup.draft()).warnings).toMatchObject({ like: second.id });
});

test('warns of both an identical operation and a similar address', async ({ setup }) => {
  const lost = await setup.lost();
  const intent = { update: 78, user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const draft = await setup.operations.drafts.draft({ ...intent, lookalike: 'TKnown' });
  expect(draft.warnings).toEqual({ lookalike: 'TKnown', like: lost.id });
  expect((await setup.read(draft)).warnings).toEqual({ lookalike: 'TKnown', like: lost.id });
});

test('does not change a claimed operation when its update is repeated', async ({ setup }) => {
  const intent = { update: 79, user: USER, account: ACCOUNT, language: 'en', request: ENERGY } as const;
  const claimed = await setup.operations.drafts.draft(intent);
  await setup.confirm(claimed);
  await setup.lost();
  const before = await setup.read(claimed);
  expect(await setup.operations.drafts.draft(intent)).toMatchObject({ state: 'claimed' });
  expect(await setup.read(claimed)).toEqual(before);
});

test('does not replace a claimed operation by a newer card', async ({ setup }) => {
  const draft = await setup.draft();
  const stored = await setup.stored(draft);
  await setup.confirm(draft);
  expect(await setup.operations.drafts.supersede(stored)).toBeUndefined();
  expect(await setup.read(draft)).toMatchObject({ state: 'claimed' });
});

test('returns the replaced draft again when the replacement is repeated', async ({ setup }) => {
  const draft = await setup.draft();
  for (let times = 0; times < 2; times++) {
    const stored = await setup.stored(draft);
    expect(await setup.operations.drafts.supersede(stored)).toMatchObject({ state: 'replaced' });
  }
});

test('a cancelled card keeps its message ID', async ({ setup }) => {
  const draft = await setup.draft();
  const decision = await setup.operations.decisions.cancel(draft, CARD, openOn(draft));
  expect(decision).toMatchObject({
    kind: 'claim',
    operation: { state: 'cancelled', receipt: { card: CARD } },
  });
});

test('repeated taps do not delay the refusal of a claim whose process died', async ({ setup }) => {
  const operation = await setup.claimed();
  for (let seconds = 0; seconds < 16; seconds++) {
    await setup.operations.decisions.confirm(operation, CARD, openOn(operation));
    await setup.pass(1_000);
  }
  expect(await setup.read(operation)).toMatchObject({ state: 'refused' });
});

const keysOf = async ({ storage }: ReturnType<typeof setUpOperations>) => keysTagged(storage, USER);

test('deletes unconfirmed operations and keeps confirmed ones', async ({ setup }) => {
  const { operations, storage } = setup;
  const draft = await setup.draft();
  const done = await setup.executed();
  const lost = await setup.lost();
  const going = await setup.claimed();
  await operations.eraseUnconfirmed(USER, await keysOf(setup), START);
  const kept = (await storedKeys(storage, 'operation:')).toSorted();
  expect(kept).toEqual([done, lost, going].map(({ id }) => `operation:{${USER}}:${id}`).toSorted());
  expect(await operations.drafts.find(draft)).toBeUndefined();
  await setup.advance(going);
  expect(await setup.read(going)).toMatchObject({ state: 'done' });
});

test('keeps newer cards and those of other users', async ({ setup }) => {
  setup.clock.now += 1;
  const since = await setup.draft();
  const others = await setup.draft({ user: USER + 1 });
  await setup.operations.eraseUnconfirmed(USER, [...(await keysOf(setup)), 'operation:{503}:X'], START);
  expect(await setup.read(since)).toMatchObject({ state: 'draft' });
  expect(await setup.read(others)).toMatchObject({ state: 'draft' });
});

test('does not delete an operation that is confirmed during the deletion', async ({ setup }) => {
  const draft = await setup.draft();
  const keys = await keysOf(setup);
  const { get } = setup.storage;
  let isConfirmed = false;
  setup.storage.get = async (key) => {
    const found = await get(key);
    if (!isConfirmed && key.startsWith('operation:')) {
      isConfirmed = true;
      expect(await setup.confirm(draft)).toBe('committed');
    }
    return found;
  };
  await setup.operations.eraseUnconfirmed(USER, keys, START);
  expect(isConfirmed).toBe(true);
  expect(await setup.read(draft)).toMatchObject({ state: 'claimed' });
});

test('deletes an operation that awaits a code after its card was shown as expired', async ({ setup }) => {
  const awaiting = await setup.draft({ request: WITHDRAWAL });
  await setup.store.change(awaiting, (present) =>
    present.state === 'draft'
      ? { ...present, state: 'awaiting', receipt: { ...present.receipt, card: CARD } }
      : undefined,
  );
  const forget = async () => setup.operations.eraseUnconfirmed(USER, await keysOf(setup), START);
  await forget();
  expect(await setup.read(awaiting)).toMatchObject({ state: 'awaiting' });
  setup.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1 });
  setup.clock.now += 10 * 60_000;
  await setup.advance(awaiting);
  await forget();
  expect(await setup.read(awaiting)).toMatchObject({ state: 'expired', receipt: { notified: 0 } });
  await setup.advance(awaiting);
  await forget();
  expect(await setup.operations.drafts.find(awaiting)).toBeUndefined();
});

test('leaves a record with an invalid signature alone', async ({ setup }) => {
  await setup.storage.set(`operation:{${USER}}:ODD`, 'of nobody here');
  await setup.operations.eraseUnconfirmed(USER, await keysOf(setup), START);
  expect(await setup.storage.get(`operation:{${USER}}:ODD`)).toBe('of nobody here');
});
