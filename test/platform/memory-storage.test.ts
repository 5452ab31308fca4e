import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { describeStorage } from './storage.contract.ts';

describe('in-memory storage', () => {
  describeStorage(async () => {
    const clock = { aheadMs: 0 };
    const age = (ms: number) => {
      clock.aheadMs += ms;
    };
    return { storage: createMemoryStorage({ now: () => Date.now() + clock.aheadMs }), age };
  });

  it('reports that it is not durable', async () => {
    const durability = await createMemoryStorage().durability();
    expect(durability).toEqual({ durable: false, why: expect.stringContaining('memory') });
  });

  it('deletes an open conversation thirty days after its last write but keeps the session', async () => {
    const clock = { now: 1_700_000_000_000 };
    const { chats } = createMemoryStorage({ now: () => clock.now });
    const update = (id: number) => ({ chat: 1, update: id, token: `t${id}` });
    await chats.begin({ ...update(1), leaseMs: 1 });
    await chats.commit({ ...update(1), changes: { session: 's', conversation: 'c' } });
    clock.now += 30 * 24 * 3600_000 - 1;
    expect(await chats.begin({ ...update(2), leaseMs: 0 })).toMatchObject({ conversation: 'c' });
    clock.now += 1;
    const begun = await chats.begin({ ...update(3), leaseMs: 0 });
    expect(begun).toMatchObject({ session: 's', conversation: undefined });
  });

  it('deletes a chat with an empty session after two days, but none with data', async () => {
    const clock = { now: 1_700_000_000_000 };
    const { chats } = createMemoryStorage({ now: () => clock.now });
    for (const chat of [1, 2]) {
      const update = { chat, update: 1, token: `t${chat}` };
      await chats.begin({ ...update, leaseMs: 1 });
      await chats.commit({ ...update, changes: { session: chat === 1 ? 's' : null } });
    }
    const begin = (chat: number) => chats.begin({ chat, update: 1, token: 'again', leaseMs: 0 });
    clock.now += 2 * 24 * 3600_000 - 1;
    expect(await begin(2)).toEqual({ kind: 'handled' });
    clock.now += 1;
    expect(await begin(2)).toMatchObject({ kind: 'granted' });
    expect(await begin(1)).toEqual({ kind: 'handled' });
  });

  it('uses the given clock', async () => {
    let now = 1_700_000_000_000;
    const storage = createMemoryStorage({ now: () => now });
    await storage.set('a', 'x', { ttlMs: 60_000 });
    await storage.chats.begin({ chat: 1, update: 1, token: 't1', leaseMs: 15_000 });
    await storage.index.scheduleIn('due', 'x', 14_999);
    expect(await storage.index.due('due', 10, Number.MAX_SAFE_INTEGER)).toEqual([]);
    now += 14_999;
    expect(await storage.index.due('due', 10, Number.MAX_SAFE_INTEGER)).toEqual(['x']);
    const early = await storage.chats.begin({ chat: 1, update: 1, token: 't2', leaseMs: 15_000 });
    expect(early).toEqual({ kind: 'busy', retryAfterMs: 1 });
    now += 1;
    const late = await storage.chats.begin({ chat: 1, update: 1, token: 't2', leaseMs: 15_000 });
    expect(late).toMatchObject({ kind: 'granted', attempt: 2 });
    now += 60_000;
    expect(await storage.get('a')).toBeUndefined();
  });
});
