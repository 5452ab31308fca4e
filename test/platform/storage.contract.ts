const KEPT = { keptMs: 60_000 };

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLeases } from '../../src/platform/leases.ts';
import type { ChatChanges, Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { storedKeys } from '../support/stored-keys.ts';

const CHAT = 501;
const LEASE_MS = 15_000;
/** Longest delay in the due queues of these tests, in milliseconds. */
const LONGEST_MS = 2 * 3_600_000;
const CLAIM = { key: 'operation:{501}:1', expected: 'drafted', value: 'claimed' };

/** A storage, and a function that lets its records age. */
export interface AgingStorage {
  storage: Storage;
  age(ms: number): unknown;
}

/** Contract of every storage, its chat transactions and leases on it. `open` returns an empty one. A chat's lease of 0 ms ends at once. */
export function describeStorage(open: () => Promise<AgingStorage>): void {
  let storage: Storage;
  let age: AgingStorage['age'];
  beforeEach(async () => {
    ({ storage, age } = await open());
  });
  afterEach(() => storage.close());

  const gone = (key: string) => eventually(async () => expect(await storage.get(key)).toBeUndefined());

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

    it('limits the TTL of the expected value, and never lengthens one', async () => {
      await storage.set('a', 'held', { ttlMs: 60_000 });
      await storage.set('b', 'held', { ttlMs: 60_000 });
      await storage.set('c', 'held');
      await storage.limitTtl('a', 'held', 30);
      await storage.limitTtl('a', 'held', 60_000);
      await storage.limitTtl('b', 'other', 1);
      await storage.limitTtl('c', 'held', 1);
      await gone('a');
      expect(await Promise.all(['b', 'c'].map((key) => storage.get(key)))).toEqual(['held', 'held']);
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

    it('changes counters in the same step as a write, only once, and lets them expire', async () => {
      const one = (by: number, ttlMs = 60_000) => [{ key: 'c', counter: 'x', by, ttlMs }];
      await storage.add('a', 'old', {}, one(1));
      await storage.add('a', 'old', {}, one(1));
      await storage.replace('a', 'other', 'new', {}, one(1));
      expect(await storage.counters('c')).toEqual({ x: 1 });
      const two = [...one(-3), { key: 'd', counter: 'y', by: 5_000_000_000, ttlMs: 60_000 }];
      await storage.replace('a', 'old', 'new', {}, two);
      await storage.replace('a', 'old', 'new', {}, two);
      expect([await storage.counters('c'), await storage.counters('d')]).toEqual([
        { x: -2 },
        { y: 5_000_000_000 },
      ]);
      await storage.replace('a', 'new', 'newer', {}, one(1, 1));
      await eventually(async () => expect(await storage.counters('c')).toEqual({}));
      expect((await storedKeys(storage)).toSorted()).toEqual(['a', 'd']);
      await storage.delete('d');
      expect(await storage.counters('d')).toEqual({});
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
      const read = ['b', 'none', 'c', 'a', 'c', 'b'].map((key) => storage.get(key));
      expect(await Promise.all(read)).toEqual(['of b', undefined, 'of c', 'of a', 'of c', 'of b']);
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

    it('finds the keys of a hash tag without a scan, and no similar ones', async () => {
      const listed = async (tag: string, kinds: string[] = []) =>
        (await storage.listed(tag, kinds))?.toSorted();
      await storage.set('link:{1}', '');
      await storage.index.put('names:{1}', 'a', 1);
      await storage.set('set:{1}:A', '');
      await storage.set('rate-limit:guest:{1}', '', { ttlMs: 3_600_000 });
      await storage.add('added:{1}:A', '');
      await storage.add('brief:{1}:A', '', { ttlMs: 60_000 });
      await storage.replace('brief:{1}:A', '', 'kept', { ttlMs: 'kept' });
      await storage.replaceAndAdd('link:{1}', '', { value: 'x' }, { key: 'beside:{1}:A', value: '' });
      const others = ['a:{11}:A', 'a:1:A', 'a:{2}:{1}', 'a:{*}:A', 'a:{?}:A', 'told:{2}:by:1'];
      await Promise.all(others.map((key) => storage.set(key, '')));
      const found = ['added:{1}:A', 'beside:{1}:A', 'rate-limit:guest:{1}', 'set:{1}:A'];
      expect(await listed('1')).toEqual(found);
      expect(await listed('1', ['link', 'names', 'none'])).toEqual(
        [...found, 'link:{1}', 'names:{1}'].toSorted(),
      );
      expect(await listed('*')).toEqual(['a:{*}:A']);
      await storage.replace('brief:{1}:A', 'kept', 'for long', { ttlMs: 120_000 });
      expect(await listed('1')).toContain('brief:{1}:A');
    });

    it('forgets listed keys that are deleted or have expired, and then their list', async () => {
      await storage.set('a:{1}:A', '', { ttlMs: 120_000 });
      await storage.set('b:{1}:A', '');
      expect(await storedKeys(storage, 'keys-of-user')).toEqual(['keys-of-user:{1}']);
      await age(120_000);
      expect(await storage.listed('1', [])).toEqual(['b:{1}:A']);
      expect(await storage.index.size('keys-of-user:{1}')).toBe(1);
      await storage.delete('b:{1}:A');
      expect(await storage.listed('1', [])).toEqual([]);
      expect(await storedKeys(storage)).toEqual([]);
    });

    it('lists keys that are missing in a list, and none that are gone or about to expire', async () => {
      const keys = ['a:{1}:A', 'unknown:{1}'];
      for (const key of keys) await storage.set(key, '');
      await storage.set('brief:{1}:A', '', { ttlMs: 60_000 });
      await storage.delete('keys-of-user:{1}');
      expect((await storage.addToList('1', [...keys, 'brief:{1}:A', 'gone:{1}:A'])).toSorted()).toEqual(keys);
      expect(await storage.addToList('1', keys)).toEqual([]);
      expect((await storage.listed('1', []))?.toSorted()).toEqual(keys);
    });

    it('names no key of another hash tag, whatever a list contains, and removes a list of another type', async () => {
      await storage.set('a:{2}:A', '');
      await storage.set('a:{1}:A', '');
      for (const name of ['a:{2}:A', 'x:{2}:{}', '{2}{}', '', 'none:{}'])
        await storage.index.put('keys-of-user:{1}', name, 0);
      expect(await storage.listed('1', [])).toEqual(['a:{1}:A']);
      await storage.set('keys-of-user:{1}', 'forged');
      await storage.set('b:{1}:A', '');
      expect(await storage.listed('1', [])).toBeUndefined();
      expect(await storedKeys(storage, 'keys-of-user:{1}')).toEqual([]);
    });

    it('reads all keys page by page', async () => {
      const keys = Array.from({ length: 2_500 }, (_, at) => `key:${at}`);
      await Promise.all(keys.map((key) => storage.set(key, '')));
      for (const index of ['index', 'emptied']) await storage.index.put(index, 'a', 1);
      await storage.index.remove('emptied', 'a');
      const found = new Set<string>();
      let [pages, cursor]: [number, string | undefined] = [0, undefined];
      do {
        const page: Awaited<ReturnType<Storage['keysPage']>> = await storage.keysPage(cursor);
        for (const key of page.keys) found.add(key);
        [pages, cursor] = [pages + 1, page.next];
      } while (cursor !== undefined);
      expect([...found].toSorted()).toEqual(['index', ...keys].toSorted());
      expect(pages).toBeGreaterThan(1);
    });

    it('gives each caller another number', async () => {
      const numbers = await Promise.all(Array.from({ length: 20 }, () => storage.nextNumber('numbers')));
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
      await storage.set('numbers', 'forged');
      expect(await storage.nextNumber('numbers')).toBe(1);
    });

    it('overwrites a part of a text in the same step as a write or a deletion, only once', async () => {
      const overwrite = (at: number, text: string) => [{ key: 't', at, text }];
      await storage.add('a', 'x', {}, overwrite(2, 'cd'));
      expect(await storage.get('t')).toBe('\0\0cd');
      await storage.add('a', 'y', {}, overwrite(0, 'no'));
      await storage.replace('a', 'x', 'y', {}, overwrite(0, 'ab'));
      await storage.delete('a', 'x', overwrite(0, 'no'));
      expect(await storage.get('t')).toBe('abcd');
      await storage.delete('a', 'y', overwrite(3, 'DE'));
      await storage.delete('a', undefined, overwrite(0, 'no'));
      expect([await storage.get('a'), await storage.get('t')]).toEqual([undefined, 'abcDE']);
    });

    it('deletes an index like a record', async () => {
      await storage.index.put('names', 'a', 1);
      await storage.delete('names');
      expect(await storage.index.upTo('names', 2, 10)).toEqual([]);
      expect(await storedKeys(storage, 'names')).toEqual([]);
    });

    it('keeps the lifetime of a replaced record on request', async () => {
      await storage.set('short', 'x', { ttlMs: 60_000 });
      await storage.set('long', 'x');
      expect(await storage.replace('short', 'x', 'y', { ttlMs: 'kept' })).toBe(true);
      expect(await storage.replace('long', 'x', 'y', { ttlMs: 'kept' })).toBe(true);
      await age(60_000);
      expect(await storage.get('short')).toBeUndefined();
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
    it('`no-later-than` adds a member or moves it forward, but never delays it', async () => {
      await storage.index.scheduleAll('due', 'no-later-than', [['new', -1]]);
      await storage.index.scheduleIn('due', 'later', 60_000);
      await storage.index.scheduleAll('due', 'no-later-than', [['later', -1]]);
      await storage.index.scheduleIn('due', 'due', -1);
      await storage.index.scheduleAll('due', 'no-later-than', [['due', 60_000]]);
      expect((await storage.index.due('due', 10, LONGEST_MS)).toSorted()).toEqual(['due', 'later', 'new']);
    });

    it('`if-missing` adds a member, but never moves it', async () => {
      await storage.index.scheduleAll('due', 'if-missing', [['new', -1]]);
      await storage.index.scheduleIn('due', 'later', 60_000);
      await storage.index.scheduleAll('due', 'if-missing', [['later', -1]]);
      expect(await storage.index.due('due', 10, LONGEST_MS)).toEqual(['new']);
    });

    it('`takeDue` gives each due member to one caller and postpones it', async () => {
      for (const member of ['a', 'b', 'c']) await storage.index.scheduleIn('due', member, -1);
      await storage.index.scheduleIn('due', 'later', 60_000);
      const taken = await Promise.all(
        [1, 2, 3].map(() => storage.index.takeDue('due', 2, { inMs: 60_000, longestMs: LONGEST_MS })),
      );
      expect(taken.map((members) => members.length)).toEqual([2, 1, 0]);
      expect(taken.flat().toSorted()).toEqual(['a', 'b', 'c']);
      expect(await storage.index.due('due', 10, LONGEST_MS)).toEqual([]);
      for (const member of await storage.index.last('due', 1)) {
        await storage.index.scheduleIn('due', member, -1);
        expect(await storage.index.takeDue('due', 9, { inMs: -1, longestMs: LONGEST_MS })).toEqual([member]);
        expect(await storage.index.due('due', 9, LONGEST_MS)).toEqual([member]);
      }
    });

    it('`due` and `takeDue` return members that are later than the longest delay: the clock was set back', async () => {
      await storage.continuity();
      const at = storage.now() + LONGEST_MS;
      await storage.index.put('due', 'within', at - 60_000);
      for (const member of ['a', 'b', 'c']) await storage.index.put('due', member, at + 60_000);
      await storage.index.put('due', 'endless', Number.MAX_SAFE_INTEGER);
      // As many as the limit, so that one call never does too much.
      expect(await storage.index.due('due', 2, LONGEST_MS)).toHaveLength(2);
      const times = { inMs: 60_000, longestMs: LONGEST_MS };
      expect((await storage.index.takeDue('due', 10, times)).toSorted()).toEqual(['a', 'b', 'c', 'endless']);
      expect(await storage.index.due('due', 10, LONGEST_MS)).toEqual([]);
      expect(await storage.index.last('due', 10)).toHaveLength(5);
    });

    it('`scheduleAll` schedules many members by the rule', async () => {
      const { index } = storage;
      for (const rule of ['if-missing', 'no-later-than'] as const) {
        await index.scheduleIn(rule, 'late', 60_000);
        await index.scheduleIn(rule, 'due', -60_000);
        const late = await index.size(rule);
        const more = Array.from({ length: 2_000 }, (_, n) => [`${n}`, 60_000] as const);
        await index.scheduleAll(rule, rule, [['late', -1_000], ['due', 60_000], ['new', -30_000], ...more]);
        await index.scheduleAll(rule, rule, []);
        expect(await index.size(rule)).toBe(late + 2_001);
        const due = rule === 'if-missing' ? ['due', 'new'] : ['due', 'new', 'late'];
        expect(await index.due(rule, 10, LONGEST_MS)).toEqual(due);
      }
    });

    it('`lease` moves a member from other indexes unless its time in this one has not come', async () => {
      const { index } = storage;
      await index.scheduleIn('from', 'a', 60_000);
      expect(await index.lease('leased', ['from'], 'a', 60_000)).toBe(true);
      expect([await index.last('from', 9), await index.last('leased', 9)]).toEqual([[], ['a']]);
      await index.scheduleIn('from', 'a', 60_000);
      expect(await index.lease('leased', ['from'], 'a', 60_000)).toBe(false);
      expect(await index.last('from', 9)).toEqual(['a']);
      await index.scheduleIn('leased', 'a', -1);
      expect(await index.lease('leased', ['from'], 'a', 60_000)).toBe(true);
      expect(await index.last('from', 9)).toEqual([]);
    });

    describe('`leaseDue`', () => {
      const from = ['high', 'low'].map((index) => ({ index, longestMs: LONGEST_MS }));
      const lease = (limit: number, reserved = 0, inMs = 60_000) =>
        storage.index.leaseDue('leased', from, { limit, reserved, inMs });

      it('gives each due member to one caller and moves it out of all other indexes', async () => {
        const { index } = storage;
        for (const member of ['a', 'b', 'c']) await index.scheduleIn('low', member, -1);
        await index.scheduleIn('high', 'a', 60_000);
        await index.scheduleIn('high', 'b', -1);
        await index.scheduleIn('low', 'later', 60_000);
        const taken = await Promise.all([1, 2, 3].map(() => lease(2)));
        expect(taken.map((members) => members.length)).toEqual([2, 1, 0]);
        expect(taken.flat().toSorted()).toEqual([
          ['a', 1],
          ['b', 0],
          ['c', 1],
        ]);
        expect([await index.last('high', 9), await index.last('low', 9)]).toEqual([[], ['later']]);
      });

      it('leaves a leased member in its place, and returns it after its lease', async () => {
        const { index } = storage;
        for (let n = 0; n < 5; n += 1) await index.scheduleIn('low', `busy${n}`, -60_000);
        await lease(5);
        for (let n = 0; n < 5; n += 1) await index.scheduleIn('low', `busy${n}`, -60_000);
        await index.scheduleIn('low', 'free', -1);
        expect(await lease(1)).toEqual([['free', 1]]);
        expect(await index.size('low')).toBe(5);
        await index.remove('leased', 'busy0');
        await index.scheduleIn('leased', 'free', -1);
        expect(await lease(2)).toEqual([
          ['busy0', 1],
          ['free', 2],
        ]);
      });

      it('makes members due that are later than their longest time: the clock was set back', async () => {
        await storage.continuity();
        const at = storage.now() + LONGEST_MS + 60_000;
        await storage.index.put('low', 'a', at);
        await storage.index.put('leased', 'b', at);
        expect(await lease(10)).toEqual([
          ['a', 1],
          ['b', 2],
        ]);
      });
    });

    it('`moveIn` moves a member from other indexes and returns whether it was already there', async () => {
      const { index } = storage;
      for (const name of ['from', 'other', 'bystander']) await index.scheduleIn(name, 'a', 60_000);
      await index.scheduleIn('from', 'b', 60_000);
      expect(await index.move('to', ['from', 'other'], 'a', -1)).toBe(false);
      expect(await index.due('to', 10, LONGEST_MS)).toEqual(['a']);
      expect(await index.last('from', 10)).toEqual(['b']);
      expect(await index.last('other', 10)).toEqual([]);
      expect(await index.last('bystander', 10)).toEqual(['a']);
      expect(await index.move('to', ['from'], 'a', 60_000)).toBe(true);
      expect(await index.due('to', 10, LONGEST_MS)).toEqual([]);
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

    const MEMBERS = { b: 10.5, a: 10.5, e: 5_000_000_000, d: 40, c: 30 };

    it.each<[name: string, read: (index: Storage['index']) => Promise<string[]>, members: string]>([
      ['`before`', (index) => index.before('order', 'd', 2), 'c b'],
      ['`before` the first but one', (index) => index.before('order', 'b', 10), 'a'],
      ['`before` the first', (index) => index.before('order', 'a', 10), ''],
      ['`before` a missing member', (index) => index.before('order', 'gone', 10), ''],
      ['`before` in a missing index', (index) => index.before('nothing', 'a', 10), ''],
      ['`above`', (index) => index.above('order', 0, 10), 'a b c d e'],
      ['`above` a score with a limit', (index) => index.above('order', 10.5, 1), 'c'],
      ['`above` a large score', (index) => index.above('order', 40, 10), 'e'],
      ['`above` the last', (index) => index.above('order', 5_000_000_000, 10), ''],
      ['`above` in a missing index', (index) => index.above('nothing', 0, 10), ''],
      ['`upTo`', (index) => index.upTo('order', 30, 10), 'a b c'],
      ['`upTo` infinity with a limit', (index) => index.upTo('order', Number.POSITIVE_INFINITY, 2), 'a b'],
      ['`upTo` below the first', (index) => index.upTo('order', 9, 10), ''],
      ['`upTo` in a missing index', (index) => index.upTo('nothing', 9, 10), ''],
      ['`last` with a limit', (index) => index.last('order', 3), 'e d c'],
      ['`last`', (index) => index.last('order', 9), 'e d c b a'],
      ['`last` in a missing index', (index) => index.last('nothing', 9), ''],
    ])('%s returns members by score and name', async (_, read, members) => {
      for (const [member, score] of Object.entries(MEMBERS)) await storage.index.put('order', member, score);
      expect((await read(storage.index)).join(' ')).toBe(members);
      expect(await storage.index.size('order')).toBe(5);
      expect(await storage.index.size('nothing')).toBe(0);
    });

    it('`due` returns due members, longest due first, up to the limit', async () => {
      await storage.index.scheduleIn('due', 'in an hour', 3_600_000);
      await storage.index.scheduleIn('due', 'a minute ago', -60_000);
      await storage.index.scheduleIn('due', 'now', 0);
      await storage.index.scheduleIn('due', 'an hour ago', -3_600_000);
      expect(await storage.index.due('due', 10, LONGEST_MS)).toEqual(['an hour ago', 'a minute ago', 'now']);
      expect(await storage.index.due('due', 1, LONGEST_MS)).toEqual(['an hour ago']);
      await storage.index.scheduleIn('due', 'an hour ago', 3_600_000);
      expect(await storage.index.due('due', 10, LONGEST_MS)).toEqual(['a minute ago', 'now']);
      expect(await storage.index.due('nothing', 10, LONGEST_MS)).toEqual([]);
    });

    it("`firstDueInMs` returns the time until the first member is due by the storage's clock", async () => {
      const { index } = storage;
      expect(await index.firstDueInMs('due')).toBeUndefined();
      for (const inMs of [3_600_000, -60_000, -3_600_000]) {
        await index.scheduleIn('due', `member in ${inMs}`, inMs);
        const ms = await index.firstDueInMs('due');
        expect(ms).toBeLessThanOrEqual(inMs);
        expect(ms).toBeGreaterThan(inMs - 60_000);
      }
    });

    it("use the storage's clock, to within a second", async () => {
      await storage.continuity();
      const time = storage.now();
      await storage.index.put('due', 'now', time - 1_000);
      await storage.index.put('due', 'soon', time + 60_000);
      expect(await storage.index.due('due', 10, LONGEST_MS)).toEqual(['now']);
    });

    it('`due` also returns members that were put with a score', async () => {
      await storage.index.put('due', 'long ago', 1);
      await storage.index.scheduleIn('due', 'soon', 30);
      const due = () => storage.index.due('due', 10, LONGEST_MS);
      await eventually(async () => expect(await due()).toEqual(['long ago', 'soon']));
    });

    it('are deleted as a whole when their last given lifetime ends', async () => {
      await storage.index.put('short', 'a', 1, { ttlMs: 60_000 });
      await storage.index.put('short', 'b', 2);
      await storage.index.put('long', 'a', 1);
      await age(60_000);
      expect(await storage.index.upTo('short', 9, 10)).toEqual([]);
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

  const begin = (update: number, token: string, leaseMs = LEASE_MS) =>
    storage.chats.begin({ chat: CHAT, update, token, leaseMs });
  const commit = (update: number, token: string, changes: ChatChanges = {}) =>
    storage.chats.commit({ chat: CHAT, update, token, changes });
  const release = (token: string, counted?: boolean) => storage.chats.release({ chat: CHAT, token, counted });
  const handle = async (update: number, changes: ChatChanges = {}) => {
    await begin(update, `token ${update}`);
    return commit(update, `token ${update}`, changes);
  };

  describe('an update as a transaction of its chat', () => {
    it('starts with the state that the previous update committed', async () => {
      expect(await begin(1, 't1')).toEqual({ kind: 'granted', attempt: 1 });
      expect(await commit(1, 't1', { session: '{"é":"\u0000"}', conversation: '' })).toBe('committed');
      expect(await storage.chats.readConversation(CHAT)).toBe('');
      const stored = { session: '{"é":"\u0000"}', conversation: '' };
      expect(await begin(2, 't2')).toEqual({ kind: 'granted', attempt: 1, ...stored });
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
      const another = { chat: -1001, update: 2, token: 't2', leaseMs: 1 };
      expect(await storage.chats.begin(another)).toMatchObject({ kind: 'granted' });
    });

    it.each([-5, 1.5, 1e21, Number.NaN])(
      'an update with the odd number %s does not block the chat',
      async (odd) => {
        expect(await begin(odd, 'a', 0)).toMatchObject({ kind: 'granted', attempt: 1 });
        expect(await begin(7, 'b', 0)).toMatchObject({ kind: 'granted', attempt: 1 });
        expect(await begin(odd, 'c')).toMatchObject({ kind: 'granted', attempt: 2 });
        expect(await begin(7, 'd')).toMatchObject({ kind: 'busy' });
        await release('c');
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

    it.each([7, -7])('%i is the latest from its commit until another update begins', async (update) => {
      const isLatest = () => storage.chats.isLatest({ chat: CHAT, update });
      expect(await isLatest()).toBe(false);
      await begin(update, 't');
      expect(await isLatest()).toBe(false);
      await commit(update, 't');
      expect(await isLatest()).toBe(true);
      await begin(8, 't8');
      expect(await isLatest()).toBe(false);
      await release('t8');
      expect(await isLatest()).toBe(false);
      await handle(8);
      expect(await isLatest()).toBe(false);
      expect(await storage.chats.isLatest({ chat: CHAT, update: 8 })).toBe(true);
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
      expect(await commit(1, 'slow', { session: 'slow', claim: CLAIM })).toBe('lost');
      expect(await commit(1, 'fast', { session: 'fast' })).toBe('committed');
      expect(await commit(1, 'slow', { session: 'slow', claim: CLAIM })).toBe('lost');
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
      await release('a');
      expect(await begin(1, 'b', 0)).toMatchObject({ kind: 'granted', attempt: 2 });
      expect(await begin(1, 'c')).toMatchObject({ kind: 'granted', attempt: 3 });
    });

    it('does not count an attempt that is released with `counted: false`', async () => {
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
          await release(token);
        }
        await handle(20 + attempt);
      }
    });

    it('forgets the attempts of all but the last eight failing updates', async () => {
      for (const update of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
        await begin(update, `${update}`);
        await release(`${update}`);
      }
      expect(await begin(2, 'kept')).toMatchObject({ attempt: 2 });
      await release('kept');
      expect(await begin(1, 'forgotten')).toMatchObject({ attempt: 1 });
    });

    it('can be released by its token alone and stays unhandled', async () => {
      await begin(1, 't1');
      await release('other');
      expect(await begin(2, 't2')).toMatchObject({ kind: 'busy' });
      await release('t1');
      await release('t1');
      expect(await commit(1, 't1')).toBe('lost');
      expect(await begin(1, 't3')).toMatchObject({ kind: 'granted' });
    });

    it('commits a claim with the given lifetime, or without one', async () => {
      for (const id of [1, 2]) await storage.set(`operation:{501}:${id}`, 'drafted', { ttlMs: 60_000 });
      const claim = (id: number) => ({ ...CLAIM, key: `operation:{501}:${id}` });
      expect(await handle(1, { session: 's', claim: { ...claim(1), ttlMs: 90_000 } })).toBe('committed');
      expect(await handle(2, { claim: claim(2) })).toBe('committed');
      await age(60_000);
      expect(await storage.get('operation:{501}:1')).toBe('claimed');
      await age(30_000);
      expect(await storage.get('operation:{501}:1')).toBeUndefined();
      expect(await storage.get('operation:{501}:2')).toBe('claimed');
    });

    it('writes nothing when the claimed record is not as expected, and keeps the lease', async () => {
      await begin(1, 't1');
      expect(await commit(1, 't1', { session: 's', claim: CLAIM })).toBe('conflict');
      expect(await storage.get('operation:{501}:1')).toBeUndefined();
      await storage.set('operation:{501}:1', 'expired');
      expect(await commit(1, 't1', { session: 's', claim: CLAIM })).toBe('conflict');
      expect(await storage.get('operation:{501}:1')).toBe('expired');
      expect(await begin(2, 't2')).toMatchObject({ kind: 'busy' });
      expect(await commit(1, 't1', {})).toBe('committed');
      expect(await begin(2, 't2')).toEqual({ kind: 'granted', attempt: 1 });
    });

    it('waits no longer than a lease for one that ends later: the clock was set back', async () => {
      await begin(1, 't1', 3_600_000);
      expect(await begin(2, 't2', 20)).toMatchObject({ kind: 'busy', retryAfterMs: 20 });
      await eventually(async () => expect(await begin(2, 't2', 20)).toMatchObject({ kind: 'granted' }));
    });

    it('serializes concurrent updates', async () => {
      const count = async (update: number): Promise<void> => {
        const token = `${update}`;
        const session = await eventually(async () => {
          const begun = await begin(update, token);
          if (begun.kind !== 'granted') throw new Error(`update ${update} was not granted: ${begun.kind}`);
          return begun.session;
        });
        await commit(update, token, { session: String(Number(session ?? 0) + 1) });
      };
      await Promise.all(Array.from({ length: 40 }, (_, n) => count(n + 1)));
      expect(await begin(99, 'last')).toMatchObject({ session: '40' });
    });
  });

  /** Creates work that lasts until the test ends it. */
  function held() {
    let end = (_error?: Error) => {};
    const work = vi.fn(
      () =>
        new Promise<void>((resolve, reject) => {
          end = (error) => (error ? reject(error) : resolve());
        }),
    );
    return { work, end: (error?: Error) => end(error) };
  }

  describe('exclusive work', () => {
    it('is executed by one of many concurrent callers, and then is over', async () => {
      const { work, end } = held();
      const leases = Array.from({ length: 20 }, () => createLeases({ storage }).withLease('a', work, KEPT));
      await eventually(() => expect(work).toHaveBeenCalled());
      await eventually(async () =>
        expect(await createLeases({ storage }).withLease('a', work, KEPT)).toBe('busy'),
      );
      end();
      const came = await Promise.all(leases);
      expect(came.filter((turn) => turn === 'done')).toHaveLength(1);
      expect(await createLeases({ storage }).withLease('a', work, KEPT)).toBe('over');
      expect(work).toHaveBeenCalledOnce();
    });

    it('is over for the requested time, even if a lease would end sooner', async () => {
      const leases = createLeases({ storage });
      const work = vi.fn(async () => {});
      expect(await leases.withLease('a', work, KEPT)).toBe('done');
      // Longer than a lease lasts.
      await age(30_000);
      expect(await leases.withLease('a', work, KEPT)).toBe('over');
    });

    it('is blocked for others while it runs, but only briefly after its process died', async () => {
      const timings = { lease: 60_000, renew: 20 };
      const { work, end } = held();
      const replace = vi.fn(storage.replace);
      const living = createLeases({ storage: { ...storage, replace }, timings }).withLease('a', work);
      const dying = held();
      // Simulates a dead process, which renews nothing.
      const mute = { ...storage, replace: async () => false };
      const died = createLeases({ storage: mute, timings }).withLease('b', dying.work);
      await eventually(() => expect([work, dying.work].map((one) => one.mock.calls.length)).toEqual([1, 1]));
      const leases = createLeases({ storage, timings });
      const renewed = () => Promise.all(replace.mock.results.map(({ value }) => value));
      for (let times = 0; times < 2; times += 1) {
        expect(await leases.withLease('b', async () => {})).toBe('busy');
        await age(40_000);
        const before = (await renewed()).length;
        await eventually(async () => expect((await renewed()).length).toBeGreaterThan(before + 1));
      }
      expect(await leases.withLease('b', async () => {})).toBe('done');
      expect(await leases.withLease('a', async () => {})).toBe('busy');
      end();
      dying.end();
      expect(await living).toBe('done');
      await died;
    });

    it.each([undefined, new Error('no')])(
      'stays with the process that took it over after a disconnected one (ends with %s)',
      async (error) => {
        const [first, second] = [held(), held()];
        const mute = { ...storage, replace: async () => false };
        const timings = { lease: 50, renew: 20 };
        const late = createLeases({ storage: mute, timings }).withLease('a', first.work);
        await eventually(() => expect(first.work).toHaveBeenCalled());
        const leases = createLeases({ storage });
        const next: Promise<unknown>[] = [];
        await eventually(() => {
          next.push(leases.withLease('a', second.work));
          expect(second.work).toHaveBeenCalled();
        });
        first.end(error);
        await late.catch(() => undefined);
        expect(await leases.withLease('a', async () => {})).toBe('busy');
        second.end();
        await Promise.all(next);
      },
    );
  });
}
