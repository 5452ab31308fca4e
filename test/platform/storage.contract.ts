import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Storage } from '../../src/platform/storage.ts';

/** Contract of every storage. `open` returns an empty one. */
export function describeStorage(open: () => Promise<Storage>): void {
  let storage: Storage;
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.close());

  const gone = (key: string) =>
    vi.waitFor(async () => expect(await storage.get(key)).toBeUndefined(), { timeout: 8_000, interval: 10 });

  describe('records', () => {
    it('keeps a value until it is deleted', async () => {
      expect(await storage.get('a')).toBeUndefined();
      await storage.set('a', 'é\u0000{"x":1}');
      expect(await storage.get('a')).toBe('é\u0000{"x":1}');
      await storage.delete('a');
      expect(await storage.get('a')).toBeUndefined();
    });

    it('distinguishes an empty value from a missing one', async () => {
      await storage.set('a', '');
      expect(await storage.get('a')).toBe('');
      expect(await storage.add('a', 'other')).toBe(false);
    });

    it('adds only if nothing is stored, and returns true again for the same value', async () => {
      expect(await storage.add('a', 'mine')).toBe(true);
      expect(await storage.add('a', 'mine')).toBe(true);
      expect(await storage.add('a', 'yours')).toBe(false);
      expect(await storage.get('a')).toBe('mine');
    });

    it('lets one of many concurrent adders win', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => storage.add('a', `${n}`)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await storage.get('a')).toBe(`${answers.indexOf(true)}`);
    });

    it('replaces only the expected value, and returns true again for the same value', async () => {
      expect(await storage.replace('a', 'old', 'new')).toBe(false);
      await storage.set('a', 'old');
      expect(await storage.replace('a', 'old', 'new')).toBe(true);
      expect(await storage.replace('a', 'old', 'new')).toBe(true);
      expect(await storage.replace('a', 'old', 'newer')).toBe(false);
      expect(await storage.get('a')).toBe('new');
    });

    it('replaces and adds in one step, only if the expected value is stored, and repeatably', async () => {
      const take = (expected: string, value: string) =>
        storage.replaceAndAdd('{1}a', expected, { value }, { key: '{1}b', value });
      expect(await take('old', 'mine')).toEqual({ replaced: false, added: false });
      await storage.set('{1}a', 'old');
      expect(await take('old', 'mine')).toEqual({ replaced: true, added: true });
      expect(await take('old', 'mine')).toEqual({ replaced: true, added: true });
      expect(await take('old', 'yours')).toEqual({ replaced: false, added: false });
      expect(await take('mine', 'yours')).toEqual({ replaced: true, added: false });
      expect([await storage.get('{1}a'), await storage.get('{1}b')]).toEqual(['yours', 'mine']);
    });

    it('gives the replaced and the added record separate lifetimes', async () => {
      await storage.set('{1}a', 'old');
      const brief = { value: 'new', ttlMs: 20 };
      await storage.replaceAndAdd('{1}a', 'old', brief, { key: '{1}b', value: 'new' });
      await gone('{1}a');
      expect(await storage.get('{1}b')).toBe('new');
      await storage.replaceAndAdd('{1}b', 'new', { value: 'newer' }, { key: '{1}a', ...brief });
      await gone('{1}a');
      expect(await storage.get('{1}b')).toBe('newer');
    });

    it('deletes only the expected value if one is given', async () => {
      await storage.set('a', 'mine');
      await storage.delete('a', 'yours');
      expect(await storage.get('a')).toBe('mine');
      await storage.delete('a', 'mine');
      expect(await storage.get('a')).toBeUndefined();
    });

    it('reads many keys at once', async () => {
      await Promise.all(['a', 'b', 'c'].map((key) => storage.set(key, `of ${key}`)));
      const read = ['c', 'none', 'a', 'c', 'b'].map((key) => storage.get(key));
      expect(await Promise.all(read)).toEqual(['of c', undefined, 'of a', 'of c', 'of b']);
    });

    it('reads keys that are requested a moment after others', async () => {
      await Promise.all(['a', 'b'].map((key) => storage.set(key, `of ${key}`)));
      for (let moments = 0; moments < 6; moments++) {
        const first = storage.get('a');
        for (let moment = 0; moment < moments; moment++) await Promise.resolve();
        expect(await Promise.all([first, storage.get('b')])).toEqual(['of a', 'of b']);
      }
    });

    it('secures an existing value, but no changed or missing one', async () => {
      expect(await storage.secure('a', 'x')).toBe(false);
      await storage.set('a', 'x');
      expect(await storage.secure('a', 'x')).toBe(true);
      expect(await storage.secure('a', 'y')).toBe(false);
      expect(await storage.get('a')).toBe('x');
    });

    it('lists each key with a prefix once, whatever characters it contains', async () => {
      const keys = ['link:{1}', 'link:{2}', 'link*', 'links', 'hook:1'];
      await Promise.all(keys.map((key) => storage.set(key, '')));
      expect((await storage.keys('link')).toSorted()).toEqual(keys.slice(0, 4).toSorted());
      expect((await storage.keys('link:{')).toSorted()).toEqual(['link:{1}', 'link:{2}']);
      expect(await storage.keys('link*')).toEqual(['link*']);
      expect(await storage.keys('none')).toEqual([]);
      await storage.index.put('linked', 'a', 1);
      expect(await storage.keys('linked')).toEqual(['linked']);
      await storage.index.remove('linked', 'a');
      expect(await storage.keys('linked')).toEqual([]);
    });

    it('lists the keys with a hash tag, including indexes, and no similar ones', async () => {
      const keys = ['link:{1}', 'operation:{1}:A', 'rate-limit:guest:{1}', '{1}'];
      const others = ['link:{11}', 'link:1', 'link:{2}:{1}', 'link:{*}', 'link:{?}', 'told:{2}:by:1'];
      await Promise.all([...keys, ...others].map((key) => storage.set(key, '')));
      await storage.index.put('notifications-of-chat:{1}', 'a', 1);
      expect((await storage.tagged('1')).toSorted()).toEqual(
        ['notifications-of-chat:{1}', ...keys].toSorted(),
      );
      expect(await storage.tagged('*')).toEqual(['link:{*}']);
      expect(await storage.tagged('?')).toEqual(['link:{?}']);
      expect(await storage.tagged('[1]')).toEqual([]);
      await storage.delete('link:{1}');
      expect(await storage.tagged('1')).not.toContain('link:{1}');
    });

    it('deletes an index like a record', async () => {
      await storage.index.put('names', 'a', 1);
      await storage.delete('names');
      expect(await storage.index.upTo('names', 2, 10)).toEqual([]);
      expect(await storage.keys('names')).toEqual([]);
    });

    it('keeps the lifetime of a replaced record on request', async () => {
      // Long enough to be replaced first, also on a machine that pauses.
      await storage.set('short', 'x', { ttlMs: 500 });
      await storage.set('long', 'x');
      expect(await storage.replace('short', 'x', 'y', { ttlMs: 'kept' })).toBe(true);
      expect(await storage.replace('long', 'x', 'y', { ttlMs: 'kept' })).toBe(true);
      await gone('short');
      expect(await storage.get('long')).toBe('y');
    });

    it('deletes records only after their lifetime', async () => {
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
    it('`scheduleNoLaterThan` adds a member or moves it forward, but never delays it', async () => {
      await storage.index.scheduleNoLaterThan('due', 'new', -1);
      await storage.index.scheduleIn('due', 'later', 60_000);
      await storage.index.scheduleNoLaterThan('due', 'later', -1);
      await storage.index.scheduleIn('due', 'due', -1);
      await storage.index.scheduleNoLaterThan('due', 'due', 60_000);
      expect((await storage.index.due('due', 10)).toSorted()).toEqual(['due', 'later', 'new']);
    });

    it('`moveIn` moves a member from other indexes and returns whether it was already there', async () => {
      const { index } = storage;
      for (const name of ['from', 'other', 'bystander']) await index.scheduleIn(name, 'a', 60_000);
      await index.scheduleIn('from', 'b', 60_000);
      expect(await index.move('to', ['from', 'other'], 'a', -1)).toBe(false);
      expect(await index.due('to', 10)).toEqual(['a']);
      expect(await index.last('from', 10)).toEqual(['b']);
      expect(await index.last('other', 10)).toEqual([]);
      expect(await index.last('bystander', 10)).toEqual(['a']);
      expect(await index.move('to', ['from'], 'a', 60_000)).toBe(true);
      expect(await index.due('to', 10)).toEqual([]);
      expect(await index.move('to', ['from'], 'b', -1)).toBe(false);
      expect(await index.last('to', 10)).toEqual(['a', 'b']);
    });

    it('`remove` removes the named members, also none', async () => {
      for (const member of ['a', 'b', 'c']) await storage.index.put('some', member, 1);
      await storage.index.remove('some');
      expect(await storage.index.last('some', 10)).toHaveLength(3);
      await storage.index.remove('some', 'a', 'c', 'gone');
      expect(await storage.index.last('some', 10)).toEqual(['b']);
    });

    it('`before` returns members with lower scores, highest first, and none for a missing member', async () => {
      for (const [member, score] of [
        ['a', 10],
        ['b', 20],
        ['c', 20],
        ['d', 30],
      ] as const) {
        await storage.index.put('order', member, score);
      }
      expect(await storage.index.before('order', 'd', 2)).toEqual(['c', 'b']);
      expect(await storage.index.before('order', 'b', 10)).toEqual(['a']);
      expect(await storage.index.before('order', 'a', 10)).toEqual([]);
      expect(await storage.index.before('order', 'gone', 10)).toEqual([]);
      expect(await storage.index.before('nothing', 'a', 10)).toEqual([]);
    });

    it('`above` returns members above a score, lowest first, up to the limit', async () => {
      await storage.index.put('people', 'c', 30);
      await storage.index.put('people', 'b', 10);
      await storage.index.put('people', 'a', 5_000_000_000);
      expect(await storage.index.above('people', 0, 10)).toEqual(['b', 'c', 'a']);
      expect(await storage.index.above('people', 10, 1)).toEqual(['c']);
      expect(await storage.index.above('people', 30, 10)).toEqual(['a']);
      expect(await storage.index.above('people', 5_000_000_000, 10)).toEqual([]);
      expect(await storage.index.above('nobody', 0, 10)).toEqual([]);
    });

    it('`upTo` returns members up to a score, lowest first, up to the limit', async () => {
      await storage.index.put('due', 'c', 30);
      await storage.index.put('due', 'b', 10.5);
      await storage.index.put('due', 'a', 10.5);
      await storage.index.put('due', 'd', 40);
      expect(await storage.index.upTo('due', 30, 10)).toEqual(['a', 'b', 'c']);
      expect(await storage.index.upTo('due', Number.POSITIVE_INFINITY, 2)).toEqual(['a', 'b']);
      expect(await storage.index.upTo('due', 9, 10)).toEqual([]);
      expect(await storage.index.upTo('nothing', 9, 10)).toEqual([]);
    });

    it('`due` returns due members, longest due first, up to the limit', async () => {
      await storage.index.scheduleIn('due', 'in an hour', 3_600_000);
      await storage.index.scheduleIn('due', 'a minute ago', -60_000);
      await storage.index.scheduleIn('due', 'now', 0);
      await storage.index.scheduleIn('due', 'an hour ago', -3_600_000);
      expect(await storage.index.due('due', 10)).toEqual(['an hour ago', 'a minute ago', 'now']);
      expect(await storage.index.due('due', 1)).toEqual(['an hour ago']);
      await storage.index.scheduleIn('due', 'an hour ago', 3_600_000);
      expect(await storage.index.due('due', 10)).toEqual(['a minute ago', 'now']);
      expect(await storage.index.due('nothing', 10)).toEqual([]);
    });

    it("`overdueMs` returns the age of the longest due member by the storage's clock", async () => {
      const { index } = storage;
      expect(await index.overdueMs('due')).toBeUndefined();
      await index.scheduleIn('due', 'in an hour', 3_600_000);
      expect(await index.overdueMs('due')).toBeUndefined();
      await index.scheduleIn('due', 'a minute ago', -60_000);
      await index.scheduleIn('due', 'an hour ago', -3_600_000);
      const ms = await index.overdueMs('due');
      expect(ms).toBeGreaterThanOrEqual(3_600_000);
      expect(ms).toBeLessThan(3_660_000);
    });

    it("use the storage's clock, to within a second", async () => {
      await storage.continuity();
      const time = storage.now();
      await storage.index.put('due', 'now', time - 1_000);
      await storage.index.put('due', 'soon', time + 60_000);
      expect(await storage.index.due('due', 10)).toEqual(['now']);
    });

    it('`due` also returns members that were put with a score', async () => {
      await storage.index.put('due', 'long ago', 1);
      await storage.index.scheduleIn('due', 'soon', 30);
      const due = () => storage.index.due('due', 10);
      await vi.waitFor(async () => expect(await due()).toEqual(['long ago', 'soon']), { timeout: 8_000 });
    });

    it('are deleted as a whole when their last given lifetime ends', async () => {
      // Concurrently: the second `put` must precede the end of the lifetime that the first one set.
      await Promise.all([
        storage.index.put('short', 'a', 1, { ttlMs: 20 }),
        storage.index.put('short', 'b', 2),
        storage.index.put('long', 'a', 1),
      ]);
      await vi.waitFor(async () => expect(await storage.index.upTo('short', 9, 10)).toEqual([]), {
        timeout: 8_000,
        interval: 10,
      });
      await storage.index.put('short', 'c', 3);
      expect(await storage.index.upTo('short', 9, 10)).toEqual(['c']);
      expect(await storage.index.upTo('long', 9, 10)).toEqual(['a']);
    });

    it('`last` returns the members with the highest scores, highest first, up to the limit', async () => {
      for (const [member, score] of [
        ['b', 2],
        ['d', 4],
        ['a', 1],
        ['c', 3],
      ] as const) {
        await storage.index.put('last', member, score);
      }
      expect(await storage.index.last('last', 3)).toEqual(['d', 'c', 'b']);
      expect(await storage.index.last('last', 9)).toEqual(['d', 'c', 'b', 'a']);
      expect(await storage.index.last('nothing', 9)).toEqual([]);
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
