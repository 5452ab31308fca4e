import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { describeChats } from './chats.contract.ts';
import { describeStorage } from './storage.contract.ts';
import { describeTurns } from './turns.contract.ts';

describe('storage in memory', () => {
  const open = async () => createMemoryStorage();
  describeStorage(open);
  describeChats(open);
  describeTurns(open);

  it('says that it is not durable', async () => {
    const durability = await createMemoryStorage().durability();
    expect(durability).toEqual({ durable: false, why: expect.stringContaining('memory') });
  });

  it('goes by the clock it was given', async () => {
    let now = 1_700_000_000_000;
    const storage = createMemoryStorage({ now: () => now });
    await storage.set('a', 'x', { ttlMs: 60_000 });
    await storage.chats.begin({ chat: 1, update: 1, token: 't1', leaseMs: 15_000 });
    now += 14_999;
    const early = await storage.chats.begin({ chat: 1, update: 1, token: 't2', leaseMs: 15_000 });
    expect(early).toEqual({ kind: 'busy', retryAfterMs: 1 });
    now += 1;
    const late = await storage.chats.begin({ chat: 1, update: 1, token: 't2', leaseMs: 15_000 });
    expect(late).toMatchObject({ kind: 'granted', attempt: 2 });
    now += 60_000;
    expect(await storage.get('a')).toBeUndefined();
  });
});
