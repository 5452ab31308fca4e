import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatChanges, Storage } from '../../src/platform/storage.ts';

const CHAT = 501;
const LEASE_MS = 15_000;

/** Contract of the chat transactions of every storage. `open` returns an empty one. A lease of 0 ms ends at once. */
export function describeChats(open: () => Promise<Storage>): void {
  let storage: Storage;
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.close());

  const begin = (update: number, token: string, leaseMs = LEASE_MS) =>
    storage.chats.begin({ chat: CHAT, update, token, leaseMs });
  const commit = (update: number, token: string, changes: ChatChanges = {}) =>
    storage.chats.commit({ chat: CHAT, update, token, changes });
  const handle = async (update: number, changes: ChatChanges = {}) => {
    await begin(update, `token ${update}`);
    return commit(update, `token ${update}`, changes);
  };

  const gone = (key: string) =>
    vi.waitFor(async () => expect(await storage.get(key)).toBeUndefined(), { timeout: 8_000, interval: 10 });

  describe('an update as a transaction of its chat', () => {
    it('starts with the state that the previous update committed', async () => {
      expect(await begin(1, 't1')).toEqual({ kind: 'granted', attempt: 1 });
      expect(await commit(1, 't1', { session: '{"é":"\u0000"}', conversation: '' })).toBe('committed');
      expect(await begin(2, 't2')).toEqual({
        kind: 'granted',
        attempt: 1,
        session: '{"é":"\u0000"}',
        conversation: '',
      });
    });

    it('keeps fields that are not given and removes those that are null', async () => {
      await handle(1, { session: 's', conversation: 'c' });
      await handle(2, {});
      await handle(3, { conversation: null });
      expect(await begin(4, 't4')).toEqual({ kind: 'granted', attempt: 1, session: 's' });
    });

    it('is handled once', async () => {
      await handle(7);
      expect(await begin(7, 'another token')).toEqual({ kind: 'handled' });
    });

    it('is handled once also if its number is negative, apart from the positive one', async () => {
      await handle(-7);
      expect(await begin(-7, 'another token')).toEqual({ kind: 'handled' });
      expect(await handle(7)).toBe('committed');
    });

    it('does not mistake bytes of two update numbers for a third one', async () => {
      await handle(0x01020304);
      await handle(0x05060708);
      expect(await handle(0x02030405)).toBe('committed');
      expect(await begin(0x02030405, 'again')).toEqual({ kind: 'handled' });
    });

    it('remembers the last 60 handled updates', async () => {
      const updates = Array.from({ length: 61 }, (_, n) => 900_000_000 + n);
      for (const update of updates) await handle(update);
      const [oldest = 0, ...rest] = updates;
      for (const update of rest) expect(await begin(update, 'again')).toEqual({ kind: 'handled' });
      expect(await begin(oldest, 'again')).toMatchObject({ kind: 'granted' });
    });

    it('blocks other updates of its chat, but no other chat', async () => {
      await begin(1, 't1');
      const busy = await begin(2, 't2');
      expect(busy).toEqual({ kind: 'busy', retryAfterMs: expect.any(Number) });
      expect(busy.kind === 'busy' && busy.retryAfterMs).toBeGreaterThan(LEASE_MS - 5_000);
      expect(busy.kind === 'busy' && busy.retryAfterMs).toBeLessThanOrEqual(LEASE_MS);
      expect(await begin(1, 'the same update elsewhere')).toMatchObject({ kind: 'busy' });
      expect(await storage.chats.begin({ chat: -1001, update: 2, token: 't2', leaseMs: 1 })).toMatchObject({
        kind: 'granted',
      });
    });

    it.each([-5, 1.5, 1e21, Number.NaN])(
      'an update with the odd number %s does not block the chat',
      async (odd) => {
        expect(await begin(odd, 'a', 0)).toMatchObject({ kind: 'granted', attempt: 1 });
        expect(await begin(7, 'b', 0)).toMatchObject({ kind: 'granted', attempt: 1 });
        expect(await begin(odd, 'c')).toMatchObject({ kind: 'granted', attempt: 2 });
        expect(await begin(7, 'd')).toMatchObject({ kind: 'busy' });
        await storage.chats.release({ chat: CHAT, token: 'c' });
        expect(await begin(odd, 'e')).toMatchObject({ kind: 'granted', attempt: 3 });
        expect(await commit(odd, 'e', { session: 's' })).toBe('committed');
        expect(await begin(7, 'f')).toMatchObject({ kind: 'granted', attempt: 2, session: 's' });
      },
    );

    it('releases the chat when it commits', async () => {
      await begin(1, 't1');
      await commit(1, 't1');
      expect(await begin(2, 't2')).toMatchObject({ kind: 'granted' });
    });

    it('grants the same token again without counting another attempt', async () => {
      await begin(1, 'a|b');
      expect(await begin(1, 'a|b')).toMatchObject({ kind: 'granted', attempt: 1 });
      expect(await commit(1, 'a|b')).toBe('committed');
    });

    it('returns the first result for a repeated commit, also after other updates', async () => {
      await begin(1, 't1');
      expect(await commit(1, 't1', { session: 'one' })).toBe('committed');
      await handle(2, { session: 'two' });
      expect(await commit(1, 't1', { session: 'one' })).toBe('committed');
      expect(await begin(3, 't3')).toMatchObject({ session: 'two' });
    });

    it('loses a lease that was granted again after its end, and writes nothing', async () => {
      await storage.set('operation:{501}:1', 'drafted');
      await begin(1, 'slow', 0);
      expect(await begin(1, 'fast')).toMatchObject({ kind: 'granted', attempt: 2 });
      const claim = { key: 'operation:{501}:1', expected: 'drafted', value: 'claimed' };
      expect(await commit(1, 'slow', { session: 'slow', claim })).toBe('lost');
      expect(await commit(1, 'fast', { session: 'fast' })).toBe('committed');
      expect(await commit(1, 'slow', { session: 'slow', claim })).toBe('lost');
      expect(await storage.get('operation:{501}:1')).toBe('drafted');
      expect(await begin(2, 't2')).toMatchObject({ session: 'fast' });
    });

    it('commits after the end of its lease if no other update began', async () => {
      await begin(1, 'slow', 0);
      expect(await commit(1, 'slow', { session: 's' })).toBe('committed');
      expect(await begin(1, 'again')).toEqual({ kind: 'handled' });
    });

    it('counts attempts that ended without a commit', async () => {
      await begin(1, 'a');
      await storage.chats.release({ chat: CHAT, token: 'a' });
      expect(await begin(1, 'b', 0)).toMatchObject({ kind: 'granted', attempt: 2 });
      expect(await begin(1, 'c')).toMatchObject({ kind: 'granted', attempt: 3 });
    });

    it('does not count an attempt that is released with `counted: false`', async () => {
      const release = (token: string, counted: boolean) =>
        storage.chats.release({ chat: CHAT, token, counted });
      for (const token of ['a', 'b', 'c']) {
        expect(await begin(1, token)).toMatchObject({ kind: 'granted', attempt: 1 });
        await release(token, false);
        await release(token, false);
      }
      await handle(2);
      expect(await begin(1, 'd')).toMatchObject({ attempt: 1 });
      await release('d', true);
      expect(await begin(1, 'e')).toMatchObject({ attempt: 2 });
      await release('e', false);
      expect(await begin(1, 'f')).toMatchObject({ attempt: 2 });
    });

    it('counts attempts of several failing updates separately', async () => {
      for (const attempt of [1, 2, 3]) {
        for (const update of [11, 12, 13]) {
          const token = `${update} ${attempt}`;
          expect(await begin(update, token)).toMatchObject({ attempt });
          await storage.chats.release({ chat: CHAT, token });
        }
        await handle(20 + attempt);
      }
    });

    it('forgets the attempts of all but the last eight failing updates', async () => {
      for (const update of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
        await begin(update, `${update}`);
        await storage.chats.release({ chat: CHAT, token: `${update}` });
      }
      expect(await begin(2, 'kept')).toMatchObject({ attempt: 2 });
      await storage.chats.release({ chat: CHAT, token: 'kept' });
      expect(await begin(1, 'forgotten')).toMatchObject({ attempt: 1 });
    });

    it('can be released by its token alone and stays unhandled', async () => {
      await begin(1, 't1');
      await storage.chats.release({ chat: CHAT, token: 'other' });
      expect(await begin(2, 't2')).toMatchObject({ kind: 'busy' });
      await storage.chats.release({ chat: CHAT, token: 't1' });
      await storage.chats.release({ chat: CHAT, token: 't1' });
      expect(await commit(1, 't1')).toBe('lost');
      expect(await begin(1, 't3')).toMatchObject({ kind: 'granted' });
    });

    it('commits a claim with the given lifetime, or without one', async () => {
      for (const id of [1, 2]) await storage.set(`operation:{501}:${id}`, 'drafted', { ttlMs: 1_000 });
      const claim = (id: number) => ({
        key: `operation:{501}:${id}`,
        expected: 'drafted',
        value: 'claimed',
      });
      expect(await handle(1, { session: 's', claim: { ...claim(1), ttlMs: 1_500 } })).toBe('committed');
      expect(await handle(2, { claim: claim(2) })).toBe('committed');
      expect(await storage.get('operation:{501}:1')).toBe('claimed');
      await gone('operation:{501}:1');
      expect(await storage.get('operation:{501}:2')).toBe('claimed');
    });

    it('writes nothing when the claimed record is not as expected, and keeps the lease', async () => {
      const claim = { key: 'operation:{501}:1', expected: 'drafted', value: 'claimed' };
      await begin(1, 't1');
      expect(await commit(1, 't1', { session: 's', claim })).toBe('conflict');
      expect(await storage.get('operation:{501}:1')).toBeUndefined();
      await storage.set('operation:{501}:1', 'expired');
      expect(await commit(1, 't1', { session: 's', claim })).toBe('conflict');
      expect(await storage.get('operation:{501}:1')).toBe('expired');
      expect(await begin(2, 't2')).toMatchObject({ kind: 'busy' });
      expect(await commit(1, 't1', {})).toBe('committed');
      expect(await begin(2, 't2')).toEqual({ kind: 'granted', attempt: 1 });
    });

    it('serializes concurrent updates', async () => {
      const granted = async (update: number, token: string) => {
        const begun = await begin(update, token);
        if (begun.kind !== 'granted') throw new Error(`update ${update} was not granted: ${begun.kind}`);
        return begun;
      };
      const count = async (update: number): Promise<void> => {
        const token = `${update}`;
        const begun = await vi.waitFor(() => granted(update, token), { timeout: 8_000, interval: 1 });
        await commit(update, token, { session: String(Number(begun.session ?? 0) + 1) });
      };
      await Promise.all(Array.from({ length: 40 }, (_, n) => count(n + 1)));
      expect(await begin(99, 'last')).toMatchObject({ session: '40' });
    });
  });
}
