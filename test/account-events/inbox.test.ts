import { describe, expect, test, vi } from 'vitest';
import type { EventType } from '../../src/account-events/event.ts';
import { createInbox, EVENTS, KNOWN_MS } from '../../src/account-events/inbox.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { type RentalEvent, readEvent } from '../../src/rental-api/webhook.ts';
import { failing, START } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { killedAfter } from '../support/killed.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WITHIN_MS = 10 * SECOND;

function eventOf(id: unknown = 7, type = 'deposit.confirmed'): RentalEvent {
  const event = readEvent({ event: type, data: { deposit_id: id } });
  if (event === undefined) throw new Error('this is not an event');
  return event;
}

function openInbox() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const heard = vi.fn<EventType['heard']>(async () => {});
  const types = [{ hears: (type: string) => !type.startsWith('other.'), heard }];
  const handled = vi.fn();
  const { log, lines } = recordingLog();
  const replica = (own: Storage = storage) =>
    createInbox({
      ...{ storage: own, records: signedRecords(own), types, tally: { handled } },
      ...{ now: () => clock.now, log },
    });
  const due = () => storage.index.upTo('events:due', Number.MAX_VALUE, 100);
  /** Lets time pass while the inbox processes due events once a second. */
  async function pass(ms: number, inbox: ReturnType<typeof replica>) {
    const end = clock.now + ms;
    while (clock.now < end) {
      clock.now = Math.min(end, clock.now + SECOND);
      await inbox.run();
      await settled();
    }
  }
  return { clock, storage, heard, handled, replica, inbox: replica(), due, pass, lines };
}

test('stores an event before it is accepted and handles it afterwards', async () => {
  const { inbox, storage, heard, handled, due } = openInbox();
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  heard.mockImplementationOnce(() => held);
  expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
  expect([await due(), await storage.keys(EVENTS)]).toEqual([
    [`${ACCOUNT}/${eventOf().id}`],
    [`${EVENTS}${ACCOUNT}:${eventOf().id}`],
  ]);
  await settled();
  expect(heard.mock.calls).toEqual([[ACCOUNT, eventOf(), 'sent']]);
  expect(handled).not.toHaveBeenCalled();
  end();
  await settled();
  expect(await due()).toEqual([]);
  expect(handled).toHaveBeenCalledWith(0);
});

test('handles an event from the service’s log as such, also on another replica', async () => {
  const { inbox, storage, heard, replica, pass } = openInbox();
  await inbox.take(ACCOUNT, eventOf(1), 'logged');
  await settled();
  const stopped = replica(killedAfter(3, storage).storage);
  expect(await stopped.take(ACCOUNT, eventOf(2), 'logged')).toBe('new');
  await pass(WITHIN_MS, inbox);
  expect(heard.mock.calls).toEqual([
    [ACCOUNT, eventOf(1), 'logged'],
    [ACCOUNT, eventOf(2), 'logged'],
  ]);
});

test('completes an event without a handler, once', async () => {
  const { inbox, heard, due } = openInbox();
  expect(await inbox.take(ACCOUNT, eventOf(7, 'other.thing'), 'sent')).toBe('new');
  await settled();
  expect([heard.mock.calls, await due()]).toEqual([[], []]);
  expect(await inbox.take(ACCOUNT, eventOf(7, 'other.thing'), 'sent')).toBe('known');
});

describe('a copy', () => {
  test('is handled once if a hundred arrive concurrently at two replicas', async () => {
    const { inbox, replica, heard } = openInbox();
    const inboxes = [inbox, replica()];
    const taken = await Promise.all(
      Array.from({ length: 100 }, (_, at) => inboxes[at % 2]?.take(ACCOUNT, eventOf(), 'sent')),
    );
    await settled();
    expect(taken.filter((one) => one === 'new')).toHaveLength(1);
    expect(heard).toHaveBeenCalledOnce();
  });

  test.each([
    ['during handling', 0],
    ['an hour later', HOUR],
    ['just before its record expires', KNOWN_MS - 1],
  ])('ignores a copy that arrives %s, on every replica, whether sent or logged', async (_, later) => {
    const { inbox, replica, heard, clock, due, pass } = openInbox();
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    if (later > 0) await settled();
    clock.now += later;
    expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('known');
    expect(await replica().take(ACCOUNT, eventOf(), 'logged')).toBe('known');
    await pass(MINUTE, replica());
    expect(heard).toHaveBeenCalledOnce();
    expect(await due()).toEqual([]);
  });

  test('is not recognized after thirty days', async () => {
    const { inbox, clock } = openInbox();
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    await settled();
    clock.now += KNOWN_MS;
    expect(await inbox.knows(ACCOUNT, eventOf())).toBe(false);
  });
});

test('distinguishes events by account, content and type', async () => {
  const { inbox, heard } = openInbox();
  expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
  expect(await inbox.take(ACCOUNT + 1, eventOf(), 'sent')).toBe('new');
  expect(await inbox.take(ACCOUNT, eventOf(8), 'sent')).toBe('new');
  expect(await inbox.take(ACCOUNT, eventOf(7, 'deposit.expired'), 'sent')).toBe('new');
  await settled();
  expect(heard).toHaveBeenCalledTimes(4);
});

test.each([
  ['long', 'x'.repeat(60_000)],
  ['full of separators', '1/2:3*{4}#5'],
  ['full of invisible characters', 'a\u0000\u202e\n b'],
])('handles an event whose id is %s', async (_, id) => {
  const { inbox, replica, heard, storage, due } = openInbox();
  expect(await inbox.take(ACCOUNT, eventOf(id), 'sent')).toBe('new');
  await settled();
  expect(await replica().take(ACCOUNT, eventOf(id), 'sent')).toBe('known');
  expect(await replica().take(ACCOUNT, eventOf(`${id}y`), 'sent')).toBe('new');
  await settled();
  expect(heard).toHaveBeenCalledTimes(2);
  expect(await due()).toEqual([]);
  for (const key of await storage.keys('')) expect(key).toMatch(/^[\w.:,-]{1,130}$/);
});

describe('when the storage fails', () => {
  test.each(['get', 'scheduleNoLaterThan', 'add'])(
    'rejects an event if %s fails, and accepts it later',
    async (method) => {
      const { replica, storage, heard, due, pass } = openInbox();
      let isAway = true;
      const inbox = replica(failing(storage, (call) => isAway && call.method === method));
      await expect(inbox.take(ACCOUNT, eventOf(), 'sent')).rejects.toThrow('the storage is away');
      expect(await storage.keys(EVENTS)).toEqual([]);
      isAway = false;
      // A member that remains in the index has no event.
      await pass(MINUTE, inbox);
      expect([heard.mock.calls, await due()]).toEqual([[], []]);
      expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
      await settled();
      expect(heard).toHaveBeenCalledOnce();
    },
  );

  test('handles an accepted event after the storage recovers', async () => {
    const { replica, storage, heard, pass, due } = openInbox();
    let isAway = false;
    const inbox = replica(failing(storage, () => isAway));
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    isAway = true;
    await settled();
    isAway = false;
    await pass(WITHIN_MS, inbox);
    expect(heard).toHaveBeenCalled();
    expect(await due()).toEqual([]);
  });
});

describe('a handler that fails', () => {
  test('is retried with growing delays by any replica', async () => {
    const { clock, inbox, replica, heard, pass, due, lines } = openInbox();
    const at: number[] = [];
    heard.mockImplementation(async () => {
      at.push((clock.now - START) / SECOND);
      if (at.length < 6) throw new Error('not now');
    });
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    await settled();
    await pass(10 * MINUTE, replica());
    expect(at).toEqual([0, 1, 6, 21, 81, 381]);
    expect(await due()).toEqual([]);
    expect(lines().filter(({ level }) => level === 'warn')).toHaveLength(5);
  });

  test('is given up after more than a day with an error in the log, and the event stays known', async () => {
    const { clock, inbox, heard, due, lines } = openInbox();
    heard.mockRejectedValue(new Error('never'));
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    await settled();
    const begun = clock.now;
    while ((await due()).length > 0) {
      clock.now += HOUR;
      await inbox.run();
      await settled();
    }
    expect(clock.now - begun).toBeGreaterThan(24 * HOUR);
    expect(heard).toHaveBeenCalledTimes(36);
    expect(lines().filter(({ level }) => level === 'error')).toMatchObject([
      { account: ACCOUNT, event: 'deposit.confirmed', err: { message: 'never' } },
    ]);
    expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('known');
    await settled();
    expect(heard).toHaveBeenCalledTimes(36);
  });

  test('does not delay other events', async () => {
    const { inbox, heard } = openInbox();
    heard.mockRejectedValueOnce(new Error('not now'));
    await inbox.take(ACCOUNT, eventOf(1), 'sent');
    await inbox.take(ACCOUNT, eventOf(2), 'sent');
    await settled();
    expect(heard.mock.calls.map(([, { data }]) => data)).toEqual([{ deposit_id: 1 }, { deposit_id: 2 }]);
  });
});

describe('a killed process', () => {
  /** Number of storage calls from an event's arrival to its completion. */
  const CALLS = 6;

  test.each(Array.from({ length: CALLS + 1 }, (_, calls) => calls))(
    'loses an event only if it was not accepted (after %d storage calls)',
    async (calls) => {
      const { storage, replica, heard, pass, due } = openInbox();
      /** Distinct effects of handling. Repeating one doesn't count. */
      const effects = new Set<string>();
      heard.mockImplementation(async (account, { id }) => void effects.add(`${account}/${id}`));
      const own = killedAfter(calls, storage);
      const taken = await replica(own.storage)
        .take(ACCOUNT, eventOf(), 'sent')
        .catch(() => 'lost');
      await settled();
      expect(own.wasKilled()).toBe(calls < CALLS);
      const heir = replica();
      await pass(WITHIN_MS, heir);
      if (taken === 'lost') expect(await heir.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
      await settled();
      expect(heard.mock.calls.length).toBeGreaterThanOrEqual(1);
      expect(effects.size).toBe(1);
      expect(await due()).toEqual([]);
      const times = heard.mock.calls.length;
      expect(await heir.take(ACCOUNT, eventOf(), 'sent')).toBe('known');
      await pass(HOUR, heir);
      expect(heard).toHaveBeenCalledTimes(times);
    },
  );

  test('is replaced once its lease expires', async () => {
    const { inbox, replica, heard, pass } = openInbox();
    heard.mockImplementationOnce(() => new Promise(() => undefined));
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    await settled();
    const heir = replica();
    await pass(WITHIN_MS - SECOND, heir);
    expect(heard).toHaveBeenCalledOnce();
    await pass(SECOND, heir);
    expect(heard).toHaveBeenCalledTimes(2);
  });
});

describe('a stored event without a valid signature', () => {
  const key = `${EVENTS}${ACCOUNT}:${eventOf().id}`;
  const name = `${ACCOUNT}/${eventOf().id}`;
  const arrival = { account: ACCOUNT, event: eventOf(), how: 'sent', cameAt: START, tries: 0, nonce: 'x' };

  test.each([
    ['made up', JSON.stringify(arrival)],
    ['signed with another key', `s1.${'a'.repeat(43)}.${JSON.stringify(arrival)}`],
    ['marked as completed', 'over'],
  ])('is never handled and does not delay others: %s', async (_, text) => {
    const { storage, inbox, heard, pass, due } = openInbox();
    await storage.set(key, text);
    await storage.index.scheduleIn('events:due', name, 0);
    await pass(MINUTE, inbox);
    expect([heard.mock.calls, await due()]).toEqual([[], []]);
    expect(await inbox.knows(ACCOUNT, eventOf())).toBe(false);
    expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
    await settled();
    expect(heard).toHaveBeenCalledOnce();
    expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('known');
  });

  test('is ignored in the place of another event', async () => {
    const { storage, inbox, heard, pass } = openInbox();
    heard.mockRejectedValueOnce(new Error('not now'));
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    await settled();
    const other = `${EVENTS}${ACCOUNT + 1}:${eventOf().id}`;
    await storage.set(other, (await storage.get(key)) ?? '');
    await storage.index.scheduleIn('events:due', `${ACCOUNT + 1}/${eventOf().id}`, 0);
    heard.mockClear();
    await pass(MINUTE, inbox);
    expect(heard.mock.calls.map(([account]) => account)).toEqual([ACCOUNT]);
  });
});

test('starts nothing after closing, and another replica handles what it accepted', async () => {
  const { inbox, replica, heard, pass } = openInbox();
  await inbox.close();
  expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
  await settled();
  expect(heard).not.toHaveBeenCalled();
  await pass(WITHIN_MS, replica());
  expect(heard).toHaveBeenCalledOnce();
});

test('skips an event in an unknown format and logs it once', async () => {
  const { storage, inbox, heard, due, pass, lines } = openInbox();
  const name = `${ACCOUNT}/another`;
  await signedRecords(storage).set(`${EVENTS}${ACCOUNT}:another`, '{"version":9}');
  await storage.index.put('events:due', name, START);
  await pass(MINUTE, inbox);
  expect(heard).not.toHaveBeenCalled();
  expect(await due()).toEqual([]);
  expect(lines()).toMatchObject([{ level: 'error', name }]);
});
