import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { storedKeys } from '../support/stored-keys.ts';

const RUNS = 200;

/** A call of the storage whose result doesn't depend on the time it takes. `run` keeps sequences apart. */
interface Command {
  text: string;
  call(storage: Storage, run: string): Promise<unknown>;
}

const key = fc.constantFrom('a:{7}', 'b:{7}', 'c');
const value = fc.constantFrom('one', 'two', 'three');
const index = fc.constantFrom('scores', 'others');
const member = fc.constantFrom('x', 'y', 'z');
const members = fc.array(member, { minLength: 1, maxLength: 2 });
const score = fc.integer({ min: -2, max: 2 });
const limit = fc.constantFrom(1, 2, 100);
const lifetime = fc.constantFrom({}, { ttlMs: HOUR_MS });
const kept = fc.constantFrom({}, { ttlMs: 'kept' as const });
const expected = fc.option(value, { nil: undefined });
const prefix = fc.constantFrom('', 'a', 's');
const inMs = fc.constantFrom(0, HOUR_MS);
const chat = fc.constantFrom(1, 2);
const update = fc.constantFrom(1, 2);
const token = fc.constantFrom('t', 'u');

function command<Given extends unknown[]>(
  name: string,
  given: { [At in keyof Given]: fc.Arbitrary<Given[At]> },
  call: (storage: Storage, named: (name: string) => string, ...given: Given) => Promise<unknown>,
): fc.Arbitrary<Command> {
  return chatCommand(name, given, (storage, run, ...values) =>
    call(storage, (key) => `${run}-${key}`, ...values),
  );
}

/** A command about chats, which are numbers: they are kept apart by the number of the run. */
function chatCommand<Given extends unknown[]>(
  name: string,
  given: { [At in keyof Given]: fc.Arbitrary<Given[At]> },
  call: (storage: Storage, run: string, ...given: Given) => Promise<unknown>,
): fc.Arbitrary<Command> {
  return fc.tuple(...given).map((values) => ({
    text: `${name} ${JSON.stringify(values)}`,
    call: (storage, run) => call(storage, run, ...(values as unknown as Given)),
  }));
}

const counterKey = fc.constantFrom('counts', 'sums');
const counters = fc.array(fc.record({ key: counterKey, counter: member, by: score }), { maxLength: 2 });

function incrementsOf(
  named: (name: string) => string,
  changes: { key: string; counter: string; by: number }[],
) {
  return changes.map(({ key, ...change }) => ({ key: named(key), ...change, ttlMs: HOUR_MS }));
}

const sorted = (names: Promise<string[]>) => names.then((found) => found.toSorted());

const records = [
  command('get', [key], (storage, named, key) => storage.get(named(key))),
  command('set', [key, value, lifetime], (storage, named, key, ...to) => storage.set(named(key), ...to)),
  command('add', [key, value, lifetime, counters], (storage, named, key, value, lifetime, names) =>
    storage.add(named(key), value, lifetime, incrementsOf(named, names)),
  ),
  command('replace', [key, value, value, kept, counters], (storage, named, key, expected, to, ttl, names) =>
    storage.replace(named(key), expected, to, ttl, incrementsOf(named, names)),
  ),
  command('counters', [counterKey], (storage, named, key) => storage.counters(named(key))),
  command('replaceAndAdd', [value, value, value], (storage, named, expected, written, beside) => {
    const other = { key: named('b:{7}'), value: beside };
    return storage.replaceAndAdd(named('a:{7}'), expected, { value: written }, other);
  }),
  command('delete', [fc.oneof(key, index), expected], (storage, named, key, expected) =>
    storage.delete(named(key), expected),
  ),
  command('limitTtl', [key, value], (storage, named, key, expected) =>
    storage.limitTtl(named(key), expected, HOUR_MS),
  ),
  command('keys', [prefix], (storage, named, prefix) => sorted(storedKeys(storage, named(prefix)))),
  command('secure', [key, value, lifetime], (storage, named, key, ...to) =>
    storage.secure(named(key), ...to),
  ),
];

const indexes = [
  command('put', [index, member, score], (storage, named, index, ...to) =>
    storage.index.put(named(index), ...to),
  ),
  command('remove', [index, members], (storage, named, index, members) =>
    storage.index.remove(named(index), ...members),
  ),
  command('upTo', [index, score, limit], (storage, named, index, ...to) =>
    storage.index.upTo(named(index), ...to),
  ),
  command('above', [index, score, limit], (storage, named, index, ...to) =>
    storage.index.above(named(index), ...to),
  ),
  command('last', [index, limit], (storage, named, index, limit) => storage.index.last(named(index), limit)),
  command('before', [index, member, limit], (storage, named, index, ...to) =>
    storage.index.before(named(index), ...to),
  ),
  command('size', [index], (storage, named, index) => storage.index.size(named(index))),
];

const times = fc.constantFrom('due:{7}', 'later:{7}');
const rule = fc.constantFrom('if-missing' as const, 'no-later-than' as const);
const reserved = fc.constantFrom(0, 100);
const longestMs = fc.constantFrom(0, HOUR_MS, 3 * HOUR_MS);
const schedules = [
  command('scheduleIn', [times, member, inMs], (storage, named, index, ...to) =>
    storage.index.scheduleIn(named(index), ...to),
  ),
  command(
    'scheduleAll',
    [times, rule, member, member, inMs],
    (storage, named, index, rule, one, other, inMs) =>
      storage.index.scheduleAll(named(index), rule, [
        [one, inMs],
        [other, inMs],
      ]),
  ),
  command('leaseDue', [times, reserved, longestMs], async (storage, named, to, reserved, longestMs) => {
    const from = ['due:{7}', 'later:{7}'].map((name) => ({ index: named(name), longestMs }));
    const pace = { limit: 100, reserved, inMs: HOUR_MS };
    return (await storage.index.leaseDue(named(`leased-${to}`), from, pace)).toSorted();
  }),
  command('lease', [times, times, member, inMs], (storage, named, to, from, ...rest) =>
    storage.index.lease(named(to), [named(from)], ...rest),
  ),
  command('move', [times, times, member, inMs], (storage, named, to, from, ...rest) =>
    storage.index.move(named(to), [named(from)], ...rest),
  ),
  // Equal times have no order: the adapters read their clocks at different moments.
  command('due', [times, longestMs], (storage, named, index, longestMs) =>
    sorted(storage.index.due(named(index), 100, longestMs)),
  ),
  command(
    'firstDueInMs',
    [times],
    async (storage, named, index) => typeof (await storage.index.firstDueInMs(named(index))),
  ),
];

const changes = fc.record(
  {
    session: fc.constantFrom('s1', 's2', null),
    conversation: fc.constantFrom('c1', 'c2', null),
    claim: fc.record(
      { value, expected: value, epoch: fc.constantFrom('of another history') },
      { requiredKeys: ['value', 'expected'] },
    ),
  },
  { requiredKeys: [] },
);

const chatOf = (run: string, chat: number) => Number(run) * 100 + chat;
const chats = [
  chatCommand('begin', [chat, update, token], async (storage, run, chat, update, token) => {
    const begun = await storage.chats.begin({ chat: chatOf(run, chat), update, token, leaseMs: HOUR_MS });
    return begun.kind === 'busy' ? 'busy' : begun;
  }),
  chatCommand('commit', [chat, update, token, changes], (storage, run, number, update, token, given) => {
    const chat = chatOf(run, number);
    const { claim, ...rest } = given;
    const changes = { ...rest, ...(claim && { claim: { ...claim, key: `claim:{${chat}}` } }) };
    return storage.chats.commit({ chat, update, token, changes });
  }),
  chatCommand('claimable', [chat, value], (storage, run, chat, value) =>
    storage.set(`claim:{${chatOf(run, chat)}}`, value),
  ),
  chatCommand('claimed', [chat], (storage, run, chat) => storage.get(`claim:{${chatOf(run, chat)}}`)),
  chatCommand('release', [chat, token, fc.boolean()], (storage, run, chat, token, counted) =>
    storage.chats.release({ chat: chatOf(run, chat), token, counted }),
  ),
];

test.each([
  ['records and their lifetimes', records],
  ['ordered indexes', indexes],
  ['schedules', schedules],
  ['chat transactions', chats],
] as const)(
  'the in-memory and the Redis storage agree on any sequence of commands: %s',
  async (_, commands) => {
    const redis = createRedisStorage({ url: await redisUrl(), log: silentLog() });
    let runs = 0;
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(...commands), { minLength: 1, maxLength: 40 }),
          async (sequence) => {
            runs += 1;
            const [memory, run] = [createMemoryStorage(), String(runs)];
            for (const [at, { text, call }] of sequence.entries()) {
              const [expected, found] = [await call(memory, run), await call(redis, run)];
              expect({ at, text, found }).toEqual({ at, text, found: expected });
            }
          },
        ),
        { numRuns: RUNS, seed: 20_261_123 },
      );
    } finally {
      await redis.close();
    }
  },
);
