import { describe, expect, test, vi } from 'vitest';
import type { EventType } from '../../../src/notices/events/event.ts';
import { createInbox, EVENTS, KNOWN_MS } from '../../../src/notices/inbox/inbox.ts';
import { type RentalEvent, readEvent } from '../../../src/rental/webhook.ts';
import { createMemoryStorage } from '../../../src/storage/memory.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { ACCOUNT } from '../../operations/rental-stand-in.ts';
import { failing, START } from '../../operations/room.ts';
import { killedAfter } from '../../support/killed.ts';
import { recordingLog } from '../../support/log-lines.ts';
import { signedRecords } from '../../support/records.ts';
import { settled } from '../../support/settled.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WITHIN_MS = 10 * SECOND;

function eventOf(id: unknown = 7, type = 'deposit.confirmed'): RentalEvent {
  const event = readEvent({ event: type, data: { deposit_id: id } });
  if (event === undefined) throw new Error('this is no event');
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
  /** Lets time pass, with what looks at what came due at its pace. */
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

test('an event is stored by the time that it is taken, and handled afterwards', async () => {
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

test('what was found in the service’s log is handled as that, also by another process', async () => {
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

test('an event that nobody hears is over, once', async () => {
  const { inbox, heard, due } = openInbox();
  expect(await inbox.take(ACCOUNT, eventOf(7, 'other.thing'), 'sent')).toBe('new');
  await settled();
  expect([heard.mock.calls, await due()]).toEqual([[], []]);
  expect(await inbox.take(ACCOUNT, eventOf(7, 'other.thing'), 'sent')).toBe('known');
});

describe('a copy', () => {
  test('that comes at once, or a hundred of them on two replicas, is handled once', async () => {
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
    ['while it is handled', 0],
    ['later', HOUR],
    ['after weeks', KNOWN_MS - 1],
  ])('that comes %s, here or on another replica, by whichever way, changes nothing', async (_, later) => {
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

  test('of what was handled more than thirty days ago is not known as one', async () => {
    const { inbox, clock } = openInbox();
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    await settled();
    clock.now += KNOWN_MS;
    expect(await inbox.knows(ACCOUNT, eventOf())).toBe(false);
  });
});

test('the same of another account, another of this one, and one of another type are no copies', async () => {
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
  ['with the letters of keys', '1/2:3*{4}#5'],
  ['with letters that nobody sees', 'a\u0000\u202e\n b'],
])('an event whose id is %s is an event like others', async (_, id) => {
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

describe('where the storage is away', () => {
  test.each(['get', 'putWithin', 'add'])(
    'in its %s, an event is not taken, and comes again',
    async (method) => {
      const { replica, storage, heard, due, pass } = openInbox();
      let isAway = true;
      const inbox = replica(failing(storage, (call) => isAway && call.method === method));
      await expect(inbox.take(ACCOUNT, eventOf(), 'sent')).rejects.toThrow('the storage is away');
      expect(await storage.keys(EVENTS)).toEqual([]);
      isAway = false;
      // What may stand in the index by now is nobody's event.
      await pass(MINUTE, inbox);
      expect([heard.mock.calls, await due()]).toEqual([[], []]);
      expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
      await settled();
      expect(heard).toHaveBeenCalledOnce();
    },
  );

  test('after it was taken, an event is handled once the storage is back', async () => {
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
  test('is tried again, later and later, by whoever is there', async () => {
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

  test('is given up after more than a day, with a line in the log, and its event is known from then on', async () => {
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

  test('keeps no other from being handled', async () => {
    const { inbox, heard } = openInbox();
    heard.mockRejectedValueOnce(new Error('not now'));
    await inbox.take(ACCOUNT, eventOf(1), 'sent');
    await inbox.take(ACCOUNT, eventOf(2), 'sent');
    await settled();
    expect(heard.mock.calls.map(([, { data }]) => data)).toEqual([{ deposit_id: 1 }, { deposit_id: 2 }]);
  });
});

describe('a process that is killed', () => {
  /** How many calls of the storage an event takes from its arrival to its end. */
  const CALLS = 6;

  test.each(Array.from({ length: CALLS + 1 }, (_, calls) => calls))(
    'after %d calls of the storage has an event lost only where it was not taken',
    async (calls) => {
      const { storage, replica, heard, pass, due } = openInbox();
      /** What handling it does counts once, however often it is done. */
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

  test('while it handles has another take over, within the time in which nobody else does', async () => {
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

describe('a stored event that is not signed', () => {
  const key = `${EVENTS}${ACCOUNT}:${eventOf().id}`;
  const name = `${ACCOUNT}/${eventOf().id}`;
  const arrival = { account: ACCOUNT, event: eventOf(), how: 'sent', cameAt: START, tries: 0, nonce: 'x' };

  test.each([
    ['made up', JSON.stringify(arrival)],
    ['signed by another house', `s1.${'a'.repeat(43)}.${JSON.stringify(arrival)}`],
    ['that says that it is over', 'over'],
  ])('%s, is never handled, and stands in the way of no other', async (_, text) => {
    const { storage, inbox, heard, pass, due } = openInbox();
    await storage.set(key, text);
    await storage.index.putIn('events:due', name, 0);
    await pass(MINUTE, inbox);
    expect([heard.mock.calls, await due()]).toEqual([[], []]);
    expect(await inbox.knows(ACCOUNT, eventOf())).toBe(false);
    expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
    await settled();
    expect(heard).toHaveBeenCalledOnce();
    expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('known');
  });

  test('in the place of another is none', async () => {
    const { storage, inbox, heard, pass } = openInbox();
    heard.mockRejectedValueOnce(new Error('not now'));
    await inbox.take(ACCOUNT, eventOf(), 'sent');
    await settled();
    const other = `${EVENTS}${ACCOUNT + 1}:${eventOf().id}`;
    await storage.set(other, (await storage.get(key)) ?? '');
    await storage.index.putIn('events:due', `${ACCOUNT + 1}/${eventOf().id}`, 0);
    heard.mockClear();
    await pass(MINUTE, inbox);
    expect(heard.mock.calls.map(([account]) => account)).toEqual([ACCOUNT]);
  });
});

test('what is closed begins nothing more, and what it took is handled by another', async () => {
  const { inbox, replica, heard, pass } = openInbox();
  await inbox.close();
  expect(await inbox.take(ACCOUNT, eventOf(), 'sent')).toBe('new');
  await settled();
  expect(heard).not.toHaveBeenCalled();
  await pass(WITHIN_MS, replica());
  expect(heard).toHaveBeenCalledOnce();
});

test('an event that another version has kept otherwise is left alone, with one line in the log', async () => {
  const { storage, inbox, heard, due, pass, lines } = openInbox();
  const name = `${ACCOUNT}/another`;
  await signedRecords(storage).set(`${EVENTS}${ACCOUNT}:another`, '{"version":9}');
  await storage.index.put('events:due', name, START);
  await pass(MINUTE, inbox);
  expect(heard).not.toHaveBeenCalled();
  expect(await due()).toEqual([]);
  expect(lines()).toMatchObject([{ level: 'error', name }]);
});
