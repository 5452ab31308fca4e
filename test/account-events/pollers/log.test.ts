import { describe, expect, test, vi } from 'vitest';
import { createLogLook } from '../../../src/account-events/account-pollers.ts';
import type { EventType } from '../../../src/account-events/event.ts';
import type { Inbox } from '../../../src/account-events/inbox.ts';
import type { WebhookLogEntry } from '../../../src/rental-api/schemas.ts';
import { readLoggedEvent } from '../../../src/rental-api/webhook.ts';
import { START } from '../../operations/operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  API_KEY,
  accepted,
  OFFLINE,
  standInRental,
} from '../../operations/rental-stand-in.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../poller-setup.ts';

/** Returns an entry of the service's log about an event that was sent `ms` after the start. */
function entryOf(id: number, ms: number, more: Partial<WebhookLogEntry> = {}): WebhookLogEntry {
  return {
    ...{ id, event_type: 'smart_mode.transfer', payload: { transfer_id: id, address: ADDRESS } },
    ...{ response_status: 200, attempts: 1, created_at: new Date(START + ms).toISOString() },
    ...more,
  };
}

/** Polls one log after another, for an account that was linked and has sent its events here since the start. */
function openLog({ startedAt = START } = {}) {
  const rental = standInRental();
  const clock = { now: START };
  const arrived = new Set<string>();
  const hooks = { since: vi.fn(async (_account: number): Promise<number | undefined> => START) };
  const inbox = {
    take: vi.fn<Inbox['take']>(async (_account, { id }) => {
      const isNew = !arrived.has(id);
      arrived.add(id);
      return isNew ? 'new' : 'known';
    }),
    knows: vi.fn<Inbox['knows']>(async (_account, { id }) => arrived.has(id)),
  };
  const logged = vi.fn<NonNullable<EventType['logged']>>(async () => {});
  const types: EventType[] = [
    { hears: (type) => type.startsWith('order.'), heard: async () => {} },
    { hears: () => true, heard: async () => {}, logged },
  ];
  const silences: { id: string; why: unknown }[] = [];
  const tally = { came: vi.fn() };
  const log = createLogLook({
    ...{ hooks, inbox, tally, startedAt, types: () => types, now: () => clock.now },
    async tellHolders(account, { kind, id, data }) {
      expect([account, kind]).toEqual([ACCOUNT, 'hook']);
      if (!silences.some((one) => one.id === id)) silences.push({ id, why: 'why' in data && data.why });
    },
  });
  let known: readonly string[] | undefined;
  /** Returns the numbers of the transfers or orders that this poll recovered (`taken`) and notified of (`told`). */
  async function look(...entries: WebhookLogEntry[]) {
    rental.webhookLogs.mockResolvedValueOnce(accepted(entries));
    inbox.take.mockClear();
    logged.mockClear();
    const found = await log.look(rental, API_KEY, { account: ACCOUNT, since: START, at: START, known });
    if (found.kind !== 'accepted') throw new Error('it was not accepted');
    known = found.value.known;
    const numberOf = (data: Record<string, unknown>) => data.transfer_id ?? data.order_id;
    return {
      ...found.value,
      taken: inbox.take.mock.calls.map(([, { data }]) => numberOf(data)),
      told: logged.mock.calls.map(([, { data }]) => numberOf(data)),
    };
  }
  const arrive = (entry: WebhookLogEntry) => arrived.add(readLoggedEvent(entry).id);
  return { rental, clock, hooks, inbox, logged, silences, tally, look, arrive, log };
}

test('handles an event that never arrived and notifies of it', async () => {
  const { look, inbox, clock, tally } = openLog();
  clock.now += HOUR;
  const missed = entryOf(7, MINUTE);
  expect(await look(missed)).toMatchObject({ taken: [7], told: [7], hasChanged: true });
  expect(inbox.take.mock.calls).toEqual([[ACCOUNT, readLoggedEvent(missed), 'logged']]);
  expect(tally.came.mock.calls).toEqual([[ACCOUNT, 'smart_mode.transfer', 'logged']]);
  expect(await look(missed)).toMatchObject({ taken: [], told: [], hasChanged: false });
});

test('notifies of an event that arrived, but does not handle it again', async () => {
  const { look, arrive, tally } = openLog();
  arrive(entryOf(7, 0));
  expect(await look(entryOf(7, 0))).toMatchObject({ taken: [], told: [7], hasChanged: true });
  expect(tally.came).not.toHaveBeenCalled();
});

test('handles an event that another poller notifies of, without notifying itself', async () => {
  const { look, clock } = openLog();
  clock.now += HOUR;
  const filled = entryOf(1, 0, { event_type: 'order.filled', payload: { order_id: 9 } });
  expect(await look(filled)).toMatchObject({ taken: [9], told: [] });
});

test('counts an event once that arrives while its log entry is handled', async () => {
  const { look, inbox, tally, clock } = openLog();
  clock.now += HOUR;
  inbox.take.mockResolvedValueOnce('known');
  await look(entryOf(7, 0));
  expect(tally.came).not.toHaveBeenCalled();
});

test('handles missed events in the order in which they were sent', async () => {
  const { look, clock } = openLog();
  clock.now += HOUR;
  const { taken, told } = await look(entryOf(9, 3 * SECOND), entryOf(5, 2 * SECOND), entryOf(7, SECOND));
  expect([taken, told]).toEqual([
    [7, 5, 9],
    [7, 5, 9],
  ]);
});

describe('an event that was just sent', () => {
  test('is not handled for fifteen seconds, because it may still arrive', async () => {
    const { look, clock } = openLog();
    clock.now = START + 14_999;
    const fresh = await look(entryOf(7, 0));
    expect(fresh).toMatchObject({ taken: [], told: [], hasChanged: false, againMs: 15 * SECOND });
    clock.now += 1;
    expect(await look(entryOf(7, 0))).toMatchObject({ taken: [7], told: [7], hasChanged: true });
  });

  test('is notified of at once if it has arrived', async () => {
    const { look, arrive } = openLog();
    arrive(entryOf(7, 0));
    const seen = await look(entryOf(7, 0), entryOf(8, 0));
    expect(seen).toMatchObject({ taken: [], told: [7], hasChanged: true, againMs: 15 * SECOND });
  });

  test('is handled at once if no webhook is configured here', async () => {
    const { look, hooks } = openLog();
    hooks.since.mockResolvedValue(undefined);
    expect(await look(entryOf(7, 0))).toMatchObject({ taken: [7], told: [7] });
  });
});

describe('ignores', () => {
  test('events from before the link, at the first and at later polls', async () => {
    const { look, clock } = openLog();
    clock.now += HOUR;
    expect(await look(entryOf(7, -DAY))).toMatchObject({ taken: [], told: [] });
    expect(await look(entryOf(7, -DAY), entryOf(6, -HOUR))).toMatchObject({
      taken: [],
      told: [],
      hasChanged: false,
    });
  });

  test('events older than the records of received events', async () => {
    const { look, clock } = openLog();
    clock.now = START + 30 * DAY + MINUTE;
    const { taken } = await look(entryOf(7, 0), entryOf(8, 2 * MINUTE));
    expect(taken).toEqual([8]);
  });
});

test('repeats the whole poll after a failure, under the same notification ids', async () => {
  const { look, logged, clock } = openLog();
  clock.now += HOUR;
  logged.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(look(entryOf(7, 0), entryOf(8, SECOND))).rejects.toThrow('the storage is away');
  // The first event is known after the failed poll, but its notification was not added.
  expect(await look(entryOf(7, 0), entryOf(8, SECOND))).toMatchObject({ taken: [8], told: [7, 8] });
});

describe('missing events', () => {
  const LATER = 2 * MINUTE;

  test('are reported once a day if the service delivers them elsewhere', async () => {
    const { look, clock, silences } = openLog();
    clock.now = START + HOUR;
    await look(entryOf(1, LATER));
    expect(silences).toMatchObject([{ why: 'elsewhere' }]);
    await look(entryOf(1, LATER), entryOf(2, 2 * LATER));
    expect(silences).toHaveLength(1);
    clock.now += DAY;
    await look(entryOf(3, DAY));
    expect(silences).toHaveLength(2);
  });

  test.each([500, 404, undefined])(
    'are reported after three if the receiver responds with %s',
    async (response_status) => {
      const { look, clock, silences } = openLog();
      clock.now = START + HOUR;
      await look(entryOf(1, LATER, { response_status }), entryOf(2, LATER, { response_status }));
      expect(silences).toEqual([]);
      await look(...[3, 4, 5].map((id) => entryOf(id, LATER, { response_status })));
      expect(silences).toMatchObject([{ why: 'unreached' }]);
    },
  );

  test.each([
    ['while the bot was down', { startedAt: START + HOUR }],
    ['before the webhook was set', { since: START + HOUR }],
    ['while the webhook was being set', { since: START + HOUR - MINUTE }],
  ])(
    'are not reported if they were sent %s',
    async (_, { startedAt, since = START }: { startedAt?: number; since?: number }) => {
      const { look, clock, silences, hooks } = openLog(startedAt === undefined ? {} : { startedAt });
      hooks.since.mockResolvedValue(since);
      clock.now = START + 2 * HOUR;
      const { taken } = await look(...[1, 2, 3].map((id) => entryOf(id, HOUR - id)));
      expect(taken).toHaveLength(3);
      expect(silences).toEqual([]);
      await look(entryOf(4, HOUR + MINUTE));
      expect(silences).toHaveLength(1);
    },
  );

  test('are not reported if no webhook is configured here', async () => {
    const { look, clock, silences, hooks } = openLog();
    hooks.since.mockResolvedValue(undefined);
    clock.now = START + HOUR;
    await look(...[1, 2, 3].map((id) => entryOf(id, LATER)));
    expect(silences).toEqual([]);
  });

  test('are not reported if the events arrived', async () => {
    const { look, clock, silences, arrive } = openLog();
    clock.now = START + HOUR;
    const entries = [1, 2, 3].map((id) => entryOf(id, LATER));
    entries.forEach(arrive);
    await look(...entries);
    expect(silences).toEqual([]);
  });
});

test('notifies and learns nothing if the service does not respond', async () => {
  const { rental, log, logged, inbox } = openLog();
  rental.webhookLogs.mockResolvedValueOnce(OFFLINE);
  expect(await log.look(rental, API_KEY, { account: ACCOUNT, since: 0, at: 0, known: [] })).toEqual(OFFLINE);
  expect([logged.mock.calls, inbox.take.mock.calls]).toEqual([[], []]);
});
