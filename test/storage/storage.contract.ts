import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';

/** What every storage does; `open` answers an empty one. */
export function describeStorage(open: () => Promise<Storage>): void {
  let storage: Storage;
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.close());

  const gone = (key: string) =>
    vi.waitFor(async () => expect(await storage.get(key)).toBeUndefined(), { timeout: 8_000, interval: 10 });

  describe('records', () => {
    it('keeps what was set until it is deleted', async () => {
      expect(await storage.get('a')).toBeUndefined();
      await storage.set('a', 'é\u0000{"x":1}');
      expect(await storage.get('a')).toBe('é\u0000{"x":1}');
      await storage.delete('a');
      expect(await storage.get('a')).toBeUndefined();
    });

    it('tells an empty value from none', async () => {
      await storage.set('a', '');
      expect(await storage.get('a')).toBe('');
      expect(await storage.add('a', 'other')).toBe(false);
    });

    it('adds only where nothing is, and says yes again to the same value', async () => {
      expect(await storage.add('a', 'mine')).toBe(true);
      expect(await storage.add('a', 'mine')).toBe(true);
      expect(await storage.add('a', 'yours')).toBe(false);
      expect(await storage.get('a')).toBe('mine');
    });

    it('lets one of many adders win', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => storage.add('a', `${n}`)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await storage.get('a')).toBe(`${answers.indexOf(true)}`);
    });

    it('replaces only what was expected, and says yes again to the same value', async () => {
      expect(await storage.replace('a', 'old', 'new')).toBe(false);
      await storage.set('a', 'old');
      expect(await storage.replace('a', 'old', 'new')).toBe(true);
      expect(await storage.replace('a', 'old', 'new')).toBe(true);
      expect(await storage.replace('a', 'old', 'newer')).toBe(false);
      expect(await storage.get('a')).toBe('new');
    });

    it('forgets records after their lifetime, and only those', async () => {
      await storage.set('set again', 'x', { ttlMs: 20 });
      await storage.set('set again', 'x');
      await storage.set('replaced', 'x');
      await storage.replace('replaced', 'x', 'y', { ttlMs: 20 });
      await storage.add('added', 'x', { ttlMs: 20 });
      await storage.set('set', 'x', { ttlMs: 20 });
      await Promise.all(['replaced', 'added', 'set'].map(gone));
      expect(await storage.add('added', 'z')).toBe(true);
      expect(await storage.get('set again')).toBe('x');
    });
  });

  describe('indexes', () => {
    it('answer members up to a score, lowest first, no more than asked for', async () => {
      await storage.index.put('due', 'c', 30);
      await storage.index.put('due', 'b', 10.5);
      await storage.index.put('due', 'a', 10.5);
      await storage.index.put('due', 'd', 40);
      expect(await storage.index.upTo('due', 30, 10)).toEqual(['a', 'b', 'c']);
      expect(await storage.index.upTo('due', Number.POSITIVE_INFINITY, 2)).toEqual(['a', 'b']);
      expect(await storage.index.upTo('due', 9, 10)).toEqual([]);
      expect(await storage.index.upTo('nothing', 9, 10)).toEqual([]);
    });

    it('go as a whole when the lifetime that they were last given is over', async () => {
      await storage.index.put('short', 'a', 1, { ttlMs: 20 });
      await storage.index.put('short', 'b', 2);
      await storage.index.put('long', 'a', 1);
      await vi.waitFor(async () => expect(await storage.index.upTo('short', 9, 10)).toEqual([]), {
        timeout: 8_000,
        interval: 10,
      });
      await storage.index.put('short', 'c', 3);
      expect(await storage.index.upTo('short', 9, 10)).toEqual(['c']);
      expect(await storage.index.upTo('long', 9, 10)).toEqual(['a']);
    });

    it('keep a member once, at its last score, until it is removed', async () => {
      await storage.index.put('due', 'a', 1);
      await storage.index.put('due', 'a', 5);
      expect(await storage.index.upTo('due', 4, 10)).toEqual([]);
      expect(await storage.index.upTo('due', 5, 10)).toEqual(['a']);
      await storage.index.remove('due', 'a');
      await storage.index.remove('due', 'never there');
      expect(await storage.index.upTo('due', 5, 10)).toEqual([]);
    });
  });
}
