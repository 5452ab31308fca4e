import { describe, expect, test, vi } from 'vitest';
import { createInbox, EVENT_TTL_MS, type EventHandler } from '../../src/account-events/inbox.ts';
import { createGivenUp } from '../../src/platform/given-up.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { type RentalEvent, readEvent } from '../../src/rental-api/webhook.ts';
import { failing, START } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { killedAfter } from '../support/killed.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LEASE_MS = 10 * SECOND;

function eventOf(id: unknown = 7, type = 'deposit.confirmed'): RentalEvent {
  const event = readEvent({ event: type, data: { deposit_id: id } });
  if (event === undefined) throw new Error('this is not an event');
  return event;
}

function openInbox() {
  const clock = { now: START };
  const storage = createMemoryStorage({ now: () => clock.now });
  const handle = vi.fn<EventHandler['handle']>(async () => {});
  const handlers = [{ handles: (type: string) => !type.startsWith('other.'), handle }];
  const eventHandled = vi.fn();
  const { log, lines } = recordingLog();
  const givenUp = createGivenUp({ storage });
  const replica = (view: Storage = storage) =>
    createInbox({
      storage: view,
      records: signedRecords(view, { log }),
      handlers,
      eventMetrics: { eventHandled },
      givenUp,
      now: () => clock.now,
      log,
    });
  const due = () => storage.index.upTo('events:due', Number.MAX_VALUE, 100);
  /** Lets time pass while the inbox processes due events once a second, or once a minute for an hour. */
  async function pass(ms: number, inbox: ReturnType<typeof replica>) {
    const end = clock.now + ms;
    const stepMs = ms >= HOUR ? MINUTE : SECOND;
    while (clock.now < end) {
      clock.now = Math.min(end, clock.now + stepMs);
      await inbox.run();
      await settled();
    }
  }
  const inbox = replica();
  /** Receives an event of the webhook and waits for its handler. */
  async function receive(event = eventOf(), by = inbox) {
    const result = await by.receive(ACCOUNT, event, 'webhook');
    await settled();
    return result;
  }
  return {
    givenUp,
    clock,
    storage,
    handle,
    eventHandled,
    replica,
    inbox,
    receive,
    due,
    pass,
    lines,
  };
}

test('stores an event before it is accepted and handles it afterwards', async () => {
  const { inbox, storage, handle, eventHandled, due } = openInbox();
  const { raised: held, raise: end } = createSignal();
  handle.mockImplementationOnce(() => held);
  expect(await inbox.receive(ACCOUNT, eventOf(), 'webhook')).toBe('new');
  expect([await due(), await storedKeys(storage, 'event:')]).toEqual([
    [`${ACCOUNT}/${eventOf().id}`],
    [`event:${ACCOUNT}:${eventOf().id}`],
  ]);
  await settled();
  expect(handle.mock.calls).toEqual([[ACCOUNT, eventOf(), 'webhook']]);
  expect(eventHandled).not.toHaveBeenCalled();
  end();
  await settled();
  expect(await due()).toEqual([]);
  expect(eventHandled).toHaveBeenCalledWith(0);
});

test('handles an event from the service’s log as such, also on another replica', async () => {
  const { inbox, storage, handle, replica, pass } = openInbox();
  await inbox.receive(ACCOUNT, eventOf(1), 'log');
  await settled();
  const stopped = replica(killedAfter(3, storage).storage);
  expect(await stopped.receive(ACCOUNT, eventOf(2), 'log')).toBe('new');
  await pass(LEASE_MS, inbox);
  expect(handle.mock.calls).toEqual([
    [ACCOUNT, eventOf(1), 'log'],
    [ACCOUNT, eventOf(2), 'log'],
  ]);
});

test('completes an event without a handler, once', async () => {
  const { inbox, handle, due, receive } = openInbox();
  expect(await receive(eventOf(7, 'other.thing'))).toBe('new');
  expect([handle.mock.calls, await due()]).toEqual([[], []]);
  expect(await inbox.receive(ACCOUNT, eventOf(7, 'other.thing'), 'webhook')).toBe('duplicate');
});

describe('a copy', () => {
  test.each([
    ['during handling', 0],
    ['an hour later', HOUR],
    ['just before its record expires', EVENT_TTL_MS - 1],
  ])('ignores a copy that arrives %s, on every replica, whether sent or logged', async (_, later) => {
    const { inbox, replica, handle, clock, due, pass } = openInbox();
    await inbox.receive(ACCOUNT, eventOf(), 'webhook');
    if (later > 0) await settled();
    clock.now += later;
    expect(await inbox.receive(ACCOUNT, eventOf(), 'webhook')).toBe('duplicate');
    expect(await replica().receive(ACCOUNT, eventOf(), 'log')).toBe('duplicate');
    await pass(MINUTE, replica());
    expect(handle).toHaveBeenCalledOnce();
    expect(await due()).toEqual([]);
  });

  test('is not recognized after thirty days', async () => {
    const { inbox, clock, receive } = openInbox();
    await receive();
    clock.now += EVENT_TTL_MS;
    expect(await inbox.hasReceived(ACCOUNT, eventOf())).toBe(false);
  });
});

test('distinguishes events by account, content and type', async () => {
  const { inbox, handle, receive } = openInbox();
  expect(await inbox.receive(ACCOUNT + 1, eventOf(), 'webhook')).toBe('new');
  for (const event of [eventOf(), eventOf(8), eventOf(7, 'deposit.expired')])
    expect(await receive(event)).toBe('new');
  expect(handle).toHaveBeenCalledTimes(4);
});

test.each([
  ['long', 'x'.repeat(60_000)],
  ['full of separators', '1/2:3*{4}#5'],
  ['full of invisible characters', 'a\u0000\u202e\n b'],
])('handles an event whose id is %s', async (_, id) => {
  const { replica, handle, storage, due, receive } = openInbox();
  expect(await receive(eventOf(id))).toBe('new');
  expect(await replica().receive(ACCOUNT, eventOf(id), 'webhook')).toBe('duplicate');
  expect(await receive(eventOf(`${id}y`), replica())).toBe('new');
  expect(handle).toHaveBeenCalledTimes(2);
  expect(await due()).toEqual([]);
  for (const key of await storedKeys(storage)) expect(key).toMatch(/^[\w.:,-]{1,130}$/);
});

describe('when the storage fails', () => {
  test.each(['get', 'scheduleAll', 'add'])(
    'rejects an event if %s fails, and accepts it later',
    async (method) => {
      const { replica, storage, handle, due, pass, receive } = openInbox();
      let isAway = true;
      const inbox = replica(failing(storage, (call) => isAway && call.method === method));
      await expect(inbox.receive(ACCOUNT, eventOf(), 'webhook')).rejects.toThrow('the storage is away');
      expect(await storedKeys(storage, 'event:')).toEqual([]);
      isAway = false;
      // A member that remains in the index has no event.
      await pass(MINUTE, inbox);
      expect([handle.mock.calls, await due()]).toEqual([[], []]);
      expect(await receive(eventOf(), inbox)).toBe('new');
      expect(handle).toHaveBeenCalledOnce();
    },
  );
});

describe('a handler that fails', () => {
  test('is retried with growing delays by any replica', async () => {
    const { clock, replica, handle, pass, due, lines, receive } = openInbox();
    const at: number[] = [];
    handle.mockImplementation(async () => {
      at.push((clock.now - START) / SECOND);
      if (at.length < 6) throw new Error('not now');
    });
    await receive();
    await pass(10 * MINUTE, replica());
    expect(at).toEqual([0, 1, 6, 21, 81, 381]);
    expect(await due()).toEqual([]);
    expect(lines().filter(({ level }) => level === 'warn')).toHaveLength(5);
  });

  test('is given up after more than a day with an error in the log, and the event stays known', async () => {
    const { clock, inbox, handle, due, lines, receive, givenUp } = openInbox();
    handle.mockRejectedValue(new Error('never'));
    await receive();
    const begun = clock.now;
    while ((await due()).length > 0) {
      clock.now += HOUR;
      await inbox.run();
      await settled();
    }
    expect(clock.now - begun).toBeGreaterThan(24 * HOUR);
    expect(handle).toHaveBeenCalledTimes(36);
    expect(lines().filter(({ level }) => level === 'error')).toMatchObject([
      { account: ACCOUNT, event: 'deposit.confirmed', err: { message: 'never' } },
    ]);
    expect(await givenUp.counts()).toEqual({ event: 1 });
    expect(await receive()).toBe('duplicate');
    expect(handle).toHaveBeenCalledTimes(36);
  });

  test('does not delay other events', async () => {
    const { inbox, handle } = openInbox();
    handle.mockRejectedValueOnce(new Error('not now'));
    await inbox.receive(ACCOUNT, eventOf(1), 'webhook');
    await inbox.receive(ACCOUNT, eventOf(2), 'webhook');
    await settled();
    expect(handle.mock.calls.map(([, { data }]) => data)).toEqual([{ deposit_id: 1 }, { deposit_id: 2 }]);
  });
});

describe('a killed process', () => {
  /** Number of storage calls from an event's arrival to its completion. */
  const CALLS = 6;

  test.each(Array.from({ length: CALLS + 1 }, (_, calls) => calls))(
    'loses an event only if it was not accepted (after %d storage calls)',
    async (calls) => {
      const { storage, replica, handle, pass, due } = openInbox();
      /** Distinct effects of handling. Repeating one doesn't count. */
      const effects = new Set<string>();
      handle.mockImplementation(async (account, { id }) => void effects.add(`${account}/${id}`));
      const killed = killedAfter(calls, storage);
      const result = await replica(killed.storage)
        .receive(ACCOUNT, eventOf(), 'webhook')
        .catch(() => 'lost');
      await settled();
      expect(killed.wasKilled()).toBe(calls < CALLS);
      const successor = replica();
      await pass(LEASE_MS, successor);
      if (result === 'lost') expect(await successor.receive(ACCOUNT, eventOf(), 'webhook')).toBe('new');
      await settled();
      expect(handle.mock.calls.length).toBeGreaterThanOrEqual(1);
      expect(effects.size).toBe(1);
      expect(await due()).toEqual([]);
      const times = handle.mock.calls.length;
      expect(await successor.receive(ACCOUNT, eventOf(), 'webhook')).toBe('duplicate');
      await pass(HOUR, successor);
      expect(handle).toHaveBeenCalledTimes(times);
    },
  );

  test('is replaced once its lease expires', async () => {
    const { replica, handle, pass, receive } = openInbox();
    handle.mockImplementationOnce(() => new Promise(() => undefined));
    await receive();
    const successor = replica();
    await pass(LEASE_MS - SECOND, successor);
    expect(handle).toHaveBeenCalledOnce();
    await pass(SECOND, successor);
    expect(handle).toHaveBeenCalledTimes(2);
  });
});

describe('a stored event without a valid signature', () => {
  const key = `event:${ACCOUNT}:${eventOf().id}`;
  const member = `${ACCOUNT}/${eventOf().id}`;
  const received = {
    account: ACCOUNT,
    event: eventOf(),
    source: 'webhook',
    receivedAt: START,
    failedAttempts: 0,
    nonce: 'x',
  };

  test.each([
    ['made up', JSON.stringify(received)],
    ['signed with another key', `s1.${'a'.repeat(43)}.${JSON.stringify(received)}`],
    ['marked as handled', '"handled"'],
  ])('is never handled and does not delay others: %s', async (_, text) => {
    const { storage, inbox, handle, pass, due, receive } = openInbox();
    await storage.set(key, text);
    await storage.index.scheduleIn('events:due', member, 0);
    await pass(MINUTE, inbox);
    expect([handle.mock.calls, await due()]).toEqual([[], []]);
    expect(await inbox.hasReceived(ACCOUNT, eventOf())).toBe(false);
    expect(await receive()).toBe('new');
    expect(handle).toHaveBeenCalledOnce();
    expect(await inbox.receive(ACCOUNT, eventOf(), 'webhook')).toBe('duplicate');
  });
});

test('starts nothing after closing, and another replica handles what it accepted', async () => {
  const { inbox, replica, handle, pass, receive } = openInbox();
  await inbox.close();
  expect(await receive()).toBe('new');
  expect(handle).not.toHaveBeenCalled();
  await pass(LEASE_MS, replica());
  expect(handle).toHaveBeenCalledOnce();
});

test('skips an event in an unknown format and logs it once', async () => {
  const { storage, inbox, handle, due, pass, lines } = openInbox();
  const member = `${ACCOUNT}/another`;
  await signedRecords(storage).set(`event:${ACCOUNT}:another`, '{"version":9}');
  await storage.index.put('events:due', member, START);
  await pass(MINUTE, inbox);
  expect(handle).not.toHaveBeenCalled();
  expect(await due()).toEqual([]);
  expect(lines()).toMatchObject([{ level: 'error', key: `event:${ACCOUNT}:another` }]);
});
