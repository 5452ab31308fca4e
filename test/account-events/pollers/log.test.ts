import { describe, expect, test, vi } from 'vitest';
import { createLogPoller } from '../../../src/account-events/account-pollers.ts';
import type { EventHandler, Inbox } from '../../../src/account-events/inbox.ts';
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
import { DAY, HOUR, MINUTE, SECOND } from '../pollers-setup.ts';

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
  const webhookSubscriptions = {
    activeSince: vi.fn(async (_account: number): Promise<number | undefined> => START),
  };
  const inbox = {
    receive: vi.fn<Inbox['receive']>(async (_account, { id }) => {
      const isNew = !arrived.has(id);
      arrived.add(id);
      return isNew ? 'new' : 'duplicate';
    }),
    hasReceived: vi.fn<Inbox['hasReceived']>(async (_account, { id }) => arrived.has(id)),
  };
  const handleLogged = vi.fn<NonNullable<EventHandler['handleLogged']>>(async () => {});
  const handlers: EventHandler[] = [
    { handles: (type) => type.startsWith('order.'), handle: async () => {} },
    { handles: () => true, handle: async () => {}, handleLogged },
  ];
  const alerts: { id: string; why: unknown }[] = [];
  const eventMetrics = { eventReceived: vi.fn() };
  const log = createLogPoller({
    ...{
      webhookSubscriptions,
      inbox,
      eventMetrics,
      startedAt,
      handlers: () => handlers,
      now: () => clock.now,
    },
    async notifyHolders(account, { kind, id, data }) {
      expect([account, kind]).toEqual([ACCOUNT, 'webhook-status']);
      if (!alerts.some((alert) => alert.id === id)) alerts.push({ id, why: 'why' in data && data.why });
    },
  });
  let knownItems: readonly string[] | undefined;
  /** Returns the numbers of the transfers or orders that this poll recovered (`received`) and notified of (`notified`). */
  async function poll(...entries: WebhookLogEntry[]) {
    rental.webhookLogs.mockResolvedValueOnce(accepted(entries));
    inbox.receive.mockClear();
    handleLogged.mockClear();
    const outcome = await log.poll(rental, API_KEY, {
      account: ACCOUNT,
      since: START,
      polledAt: START,
      knownItems,
    });
    if (outcome.kind !== 'accepted') throw new Error('the poll was not accepted');
    knownItems = outcome.value.knownItems;
    const numberOf = (data: Record<string, unknown>) => data.transfer_id ?? data.order_id;
    return {
      ...outcome.value,
      received: inbox.receive.mock.calls.map(([, { data }]) => numberOf(data)),
      notified: handleLogged.mock.calls.map(([, { data }]) => numberOf(data)),
    };
  }
  const arrive = (entry: WebhookLogEntry) => arrived.add(readLoggedEvent(entry).id);
  return {
    rental,
    clock,
    webhookSubscriptions,
    inbox,
    handleLogged,
    alerts,
    eventMetrics,
    poll,
    arrive,
    log,
  };
}

test('handles an event that never arrived and notifies of it', async () => {
  const { poll, inbox, clock, eventMetrics } = openLog();
  clock.now += HOUR;
  const missed = entryOf(7, MINUTE);
  expect(await poll(missed)).toMatchObject({ received: [7], notified: [7], hasChanged: true });
  expect(inbox.receive.mock.calls).toEqual([[ACCOUNT, readLoggedEvent(missed), 'log']]);
  expect(eventMetrics.eventReceived.mock.calls).toEqual([[ACCOUNT, 'smart_mode.transfer', 'log']]);
  expect(await poll(missed)).toMatchObject({ received: [], notified: [], hasChanged: false });
});

test('notifies of an event that arrived, but does not handle it again', async () => {
  const { poll, arrive, eventMetrics } = openLog();
  arrive(entryOf(7, 0));
  expect(await poll(entryOf(7, 0))).toMatchObject({ received: [], notified: [7], hasChanged: true });
  expect(eventMetrics.eventReceived).not.toHaveBeenCalled();
});

test('handles an event that another poller notifies of, without notifying itself', async () => {
  const { poll, clock } = openLog();
  clock.now += HOUR;
  const filled = entryOf(1, 0, { event_type: 'order.filled', payload: { order_id: 9 } });
  expect(await poll(filled)).toMatchObject({ received: [9], notified: [] });
});

test('counts an event once that arrives while its log entry is handled', async () => {
  const { poll, inbox, eventMetrics, clock } = openLog();
  clock.now += HOUR;
  inbox.receive.mockResolvedValueOnce('duplicate');
  await poll(entryOf(7, 0));
  expect(eventMetrics.eventReceived).not.toHaveBeenCalled();
});

test('handles missed events in the order in which they were sent', async () => {
  const { poll, clock } = openLog();
  clock.now += HOUR;
  const { received, notified } = await poll(
    entryOf(9, 3 * SECOND),
    entryOf(5, 2 * SECOND),
    entryOf(7, SECOND),
  );
  expect([received, notified]).toEqual([
    [7, 5, 9],
    [7, 5, 9],
  ]);
});

describe('an event that was just sent', () => {
  test('is not handled for fifteen seconds, because it may still arrive', async () => {
    const { poll, clock } = openLog();
    clock.now = START + 14_999;
    const fresh = await poll(entryOf(7, 0));
    expect(fresh).toMatchObject({ received: [], notified: [], hasChanged: false, repollInMs: 15 * SECOND });
    clock.now += 1;
    expect(await poll(entryOf(7, 0))).toMatchObject({ received: [7], notified: [7], hasChanged: true });
  });

  test('is notified of at once if it has arrived', async () => {
    const { poll, arrive } = openLog();
    arrive(entryOf(7, 0));
    const seen = await poll(entryOf(7, 0), entryOf(8, 0));
    expect(seen).toMatchObject({ received: [], notified: [7], hasChanged: true, repollInMs: 15 * SECOND });
  });

  test('is handled at once if no webhook is configured here', async () => {
    const { poll, webhookSubscriptions } = openLog();
    webhookSubscriptions.activeSince.mockResolvedValue(undefined);
    expect(await poll(entryOf(7, 0))).toMatchObject({ received: [7], notified: [7] });
  });
});

describe('ignores', () => {
  test('events from before the link, at the first and at later polls', async () => {
    const { poll, clock } = openLog();
    clock.now += HOUR;
    expect(await poll(entryOf(7, -DAY))).toMatchObject({ received: [], notified: [] });
    expect(await poll(entryOf(7, -DAY), entryOf(6, -HOUR))).toMatchObject({
      received: [],
      notified: [],
      hasChanged: false,
    });
  });

  test('events older than the records of received events', async () => {
    const { poll, clock } = openLog();
    clock.now = START + 30 * DAY + MINUTE;
    const { received } = await poll(entryOf(7, 0), entryOf(8, 2 * MINUTE));
    expect(received).toEqual([8]);
  });
});

test('repeats the whole poll after a failure, under the same notification ids', async () => {
  const { poll, handleLogged, clock } = openLog();
  clock.now += HOUR;
  handleLogged.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(poll(entryOf(7, 0), entryOf(8, SECOND))).rejects.toThrow('the storage is away');
  // The first event is known after the failed poll, but its notification was not added.
  expect(await poll(entryOf(7, 0), entryOf(8, SECOND))).toMatchObject({ received: [8], notified: [7, 8] });
});

describe('missing events', () => {
  const LATER = 2 * MINUTE;

  test('are reported once a day if the service delivers them elsewhere', async () => {
    const { poll, clock, alerts } = openLog();
    clock.now = START + HOUR;
    await poll(entryOf(1, LATER));
    expect(alerts).toMatchObject([{ why: 'elsewhere' }]);
    await poll(entryOf(1, LATER), entryOf(2, 2 * LATER));
    expect(alerts).toHaveLength(1);
    clock.now += DAY;
    await poll(entryOf(3, DAY));
    expect(alerts).toHaveLength(2);
  });

  test.each([500, 404, undefined])(
    'are reported after three if the receiver responds with %s',
    async (response_status) => {
      const { poll, clock, alerts } = openLog();
      clock.now = START + HOUR;
      await poll(entryOf(1, LATER, { response_status }), entryOf(2, LATER, { response_status }));
      expect(alerts).toEqual([]);
      await poll(...[3, 4, 5].map((id) => entryOf(id, LATER, { response_status })));
      expect(alerts).toMatchObject([{ why: 'unreached' }]);
    },
  );

  test.each([
    ['while the bot was down', { startedAt: START + HOUR }],
    ['before the webhook was set', { since: START + HOUR }],
    ['while the webhook was being set', { since: START + HOUR - MINUTE }],
  ])(
    'are not reported if they were sent %s',
    async (_, { startedAt, since = START }: { startedAt?: number; since?: number }) => {
      const { poll, clock, alerts, webhookSubscriptions } = openLog(
        startedAt === undefined ? {} : { startedAt },
      );
      webhookSubscriptions.activeSince.mockResolvedValue(since);
      clock.now = START + 2 * HOUR;
      const { received } = await poll(...[1, 2, 3].map((id) => entryOf(id, HOUR - id)));
      expect(received).toHaveLength(3);
      expect(alerts).toEqual([]);
      await poll(entryOf(4, HOUR + MINUTE));
      expect(alerts).toHaveLength(1);
    },
  );

  test('are not reported if no webhook is configured here', async () => {
    const { poll, clock, alerts, webhookSubscriptions } = openLog();
    webhookSubscriptions.activeSince.mockResolvedValue(undefined);
    clock.now = START + HOUR;
    await poll(...[1, 2, 3].map((id) => entryOf(id, LATER)));
    expect(alerts).toEqual([]);
  });

  test('are not reported if the events arrived', async () => {
    const { poll, clock, alerts, arrive } = openLog();
    clock.now = START + HOUR;
    const entries = [1, 2, 3].map((id) => entryOf(id, LATER));
    entries.forEach(arrive);
    await poll(...entries);
    expect(alerts).toEqual([]);
  });
});

test('does not notify and keeps its state if the service does not respond', async () => {
  const { rental, log, handleLogged, inbox } = openLog();
  rental.webhookLogs.mockResolvedValueOnce(OFFLINE);
  expect(
    await log.poll(rental, API_KEY, { account: ACCOUNT, since: 0, polledAt: 0, knownItems: [] }),
  ).toEqual(OFFLINE);
  expect([handleLogged.mock.calls, inbox.receive.mock.calls]).toEqual([[], []]);
});
