import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { EventHandler } from '../../src/account-events/inbox.ts';
import { createEventReceiver, createInbox, EVENT_TTL_MS } from '../../src/account-events/inbox.ts';
import { createWebhookSubscriptions } from '../../src/accounts/webhook-subscriptions.ts';
import { createEventMetrics } from '../../src/notifications/event-metrics.ts';
import { createSeal } from '../../src/platform/encryption.ts';
import { createGivenUp } from '../../src/platform/given-up.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { failing, START } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, ORDER } from '../operations/rental-stand-in.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';

const SECRET = 'whsec_of-the-tests';
const HOOK = 'a-hook-that-cannot-be-guessed';
const FILLED = {
  event: 'order.filled',
  timestamp: '2025-06-01T12:00:01Z',
  data: { order_id: ORDER, address: ADDRESS, energy_amount: 65_000 },
};
const DEPOSIT = { event: 'deposit.confirmed', data: { deposit_id: 1 } };

const bytes = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const signed = (body: Uint8Array, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');

/** Opens the events of an account on two replicas, with one handler for orders and one for all other events. */
async function openEvents() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const away = { now: (_: { method: string; key: string }) => false };
  const seal = createSeal([randomBytes(32)]);
  const webhookSubscriptions = createWebhookSubscriptions({ records: signedRecords(storage), seal, now });
  await webhookSubscriptions.activate(HOOK, ACCOUNT, SECRET);
  const { log, texts } = recordingLog();
  const [handleOrder, handle] = [vi.fn<EventHandler['handle']>(), vi.fn<EventHandler['handle']>()];
  const handlers = [
    { handles: (type: string) => type.startsWith('order.'), handle: handleOrder },
    { handles: () => true, handle },
  ];
  const eventMetrics = createEventMetrics({ records: signedRecords(storage), now });
  const [onEventLost, onRateLimited] = [vi.fn(), vi.fn()];
  function replica() {
    const view = failing(storage, (call) => away.now(call));
    const records = signedRecords(view);
    const inbox = createInbox({
      ...{ storage: view, records, handlers, eventMetrics, now, log },
      givenUp: createGivenUp({ storage: view }),
    });
    const receiver = createEventReceiver({
      ...{ webhookSubscriptions, inbox, eventMetrics, onEventLost, onRateLimited, now, log },
    });
    /** Passes a request on as the web server does, and waits for the handler of its event. `null`: no signature. */
    async function receive(path: string, body: unknown, signature: string | null = signed(bytes(body))) {
      const subscription = await receiver.find(path);
      if (subscription === undefined) return 'rejected';
      const result = await receiver.receive(subscription, bytes(body), signature ?? undefined);
      await settled();
      return result;
    }
    return { receiver, inbox, receive };
  }
  const [here, elsewhere] = [replica(), replica()];
  return {
    ...{ clock, webhookSubscriptions, handleOrder, handle, away, onEventLost, onRateLimited, log: texts },
    ...here,
    deliver: (body: unknown, signature?: string | null) => here.receive(HOOK, body, signature),
    deliverElsewhere: (body: unknown) => elsewhere.receive(HOOK, body),
    counted: () => eventMetrics.readDay(clock.now),
  };
}

test('does not wait for the handler before it accepts an event', async () => {
  const { deliver, handle, counted } = await openEvents();
  handle.mockImplementation(() => new Promise(() => undefined));
  expect(await deliver(DEPOSIT)).toBe('accepted');
  expect(await counted()).toMatchObject({ received: 1, duplicates: 0, handledMs: undefined });
});

test('passes an event only to the first type that handles it', async () => {
  const { deliver, handleOrder, handle } = await openEvents();
  await deliver(DEPOSIT);
  await deliver({ event: 'something.new', data: { id: 1 } });
  expect(handleOrder).not.toHaveBeenCalled();
  expect(handle.mock.calls.map(([account, { type, data }]) => [account, type, data])).toEqual([
    [ACCOUNT, 'deposit.confirmed', { deposit_id: 1 }],
    [ACCOUNT, 'something.new', { id: 1 }],
  ]);
});

test('accepts an event in the format of the log and recognizes it as a copy', async () => {
  const { deliver, handle, counted } = await openEvents();
  expect(await deliver(DEPOSIT)).toBe('accepted');
  expect(await deliver({ event_type: DEPOSIT.event, payload: DEPOSIT.data })).toBe('accepted');
  expect(handle).toHaveBeenCalledOnce();
  expect(await counted()).toMatchObject({ received: 1, duplicates: 1 });
});

describe('a request is rejected', () => {
  test.each<[string, (events: Awaited<ReturnType<typeof openEvents>>) => Promise<unknown>]>([
    ['to an unknown path', ({ receive }) => receive('another-hook', FILLED)],
    [
      'to a deactivated path',
      async ({ webhookSubscriptions, deliver }) => {
        await webhookSubscriptions.deactivate(ACCOUNT);
        return deliver(FILLED);
      },
    ],
    [
      'with the signature of a guessable secret',
      async ({ webhookSubscriptions, receive }) => {
        await webhookSubscriptions.activate('weak-hook', ACCOUNT + 1, '0123456789abcde');
        return receive('weak-hook', FILLED, signed(bytes(FILLED), '0123456789abcde'));
      },
    ],
  ])('%s', async (_, request) => {
    const events = await openEvents();
    expect(await request(events)).toBe('rejected');
    expect(events.handleOrder).not.toHaveBeenCalled();
    const { rejected } = await events.counted();
    expect((rejected.hook ?? 0) + (rejected.signature ?? 0)).toBe(1);
  });

  test.each([
    ['no signature', null],
    ['an empty signature', ''],
    ['a short signature', 'abc'],
    ['a wrong signature', '0'.repeat(64)],
    ['the signature of another secret', signed(bytes(FILLED), 'another')],
    ['the signature of another body', signed(bytes('{}'))],
  ])('with %s', async (_, signature) => {
    const { deliver, handleOrder, counted } = await openEvents();
    expect(await deliver(FILLED, signature)).toBe('rejected');
    expect((await counted()).rejected).toMatchObject({ signature: 1, body: 0 });
    expect(handleOrder).not.toHaveBeenCalled();
  });

  test.each([
    ...['', 'not JSON', '[]', 'null', '{}', '{"event":"order.filled"}', '{"event":"","data":{}}'],
    ...['{"event":"order.filled","data":[]}', '\u0000', '{"event":"order.filled","data":{}'],
  ])('rejects a body that is not an event: %s', async (body) => {
    const { deliver, handleOrder } = await openEvents();
    expect(await deliver(body)).toBe('rejected');
    expect(handleOrder).not.toHaveBeenCalled();
  });

  test('rejects events older than the records of copies, but not undated or future ones', async () => {
    const { deliver, clock, counted, handle } = await openEvents();
    const at = (ms: number) => ({ ...DEPOSIT, timestamp: new Date(clock.now + ms).toISOString() });
    expect(await deliver(at(-EVENT_TTL_MS - 1))).toBe('rejected');
    expect((await counted()).rejected).toMatchObject({ old: 1 });
    expect(await deliver(at(-EVENT_TTL_MS))).toBe('accepted');
    expect(await deliver({ ...DEPOSIT, data: { deposit_id: 2 } })).toBe('accepted');
    const toCome = { ...at(24 * 3600_000), data: { deposit_id: 3 } };
    expect(await deliver(toCome)).toBe('accepted');
    expect(handle).toHaveBeenCalledTimes(3);
  });

  test('accepts a body that begins with a byte order mark', async () => {
    const { deliver, handle } = await openEvents();
    expect(await deliver(`\uFEFF${JSON.stringify(DEPOSIT)}`)).toBe('accepted');
    expect(handle).toHaveBeenCalledOnce();
  });

  test('checks the signature before it parses the body', async () => {
    const { deliver, counted } = await openEvents();
    await deliver('not JSON', '0'.repeat(64));
    expect((await counted()).rejected).toMatchObject({ signature: 1, body: 0 });
  });

  test('counts requests that were rejected before', async () => {
    const { receiver, counted } = await openEvents();
    for (const why of ['rate', 'size', 'hook'] as const) receiver.countRejected(why);
    expect((await counted()).rejected).toMatchObject({ rate: 1, size: 1, hook: 1 });
  });
});

test('accepts a copy without handling it, at any time and on any replica', async () => {
  const { deliver, deliverElsewhere, handleOrder, counted } = await openEvents();
  await deliver(FILLED);
  const again = { ...FILLED, timestamp: '2025-06-01T12:00:09Z' };
  expect(await deliver(again)).toBe('accepted');
  expect(await deliverElsewhere(again)).toBe('accepted');
  expect(handleOrder).toHaveBeenCalledOnce();
  expect(await counted()).toMatchObject({ received: 1, duplicates: 2 });
});

test('accepts a hundred concurrent copies at two replicas and handles one', async () => {
  const { deliver, deliverElsewhere, handle } = await openEvents();
  const copies = Array.from({ length: 100 }, (_, at) => (at % 2 ? deliver : deliverElsewhere)(DEPOSIT));
  expect(new Set(await Promise.all(copies))).toEqual(new Set(['accepted']));
  expect(handle).toHaveBeenCalledOnce();
});

test('accepts both secrets on both paths while a webhook is being replaced', async () => {
  const { webhookSubscriptions, receive, handle } = await openEvents();
  const newSecret = 'the-new-secret-of-the-account';
  await webhookSubscriptions.activate('a-new-hook', ACCOUNT, newSecret);
  let order = 0;
  for (const path of [HOOK, 'a-new-hook']) {
    for (const secret of [SECRET, newSecret]) {
      const body = { event: 'signed.by-either', data: { order_id: ++order } };
      expect(await receive(path, body, signed(bytes(body), secret))).toBe('accepted');
    }
  }
  expect(handle).toHaveBeenCalledTimes(4);
});

describe('when the storage fails', () => {
  test('reports a possibly lost event, and handles it when it is sent again', async () => {
    const { deliver, away, onEventLost, handle, counted } = await openEvents();
    away.now = ({ key }) => key.startsWith('event');
    await expect(deliver(DEPOSIT)).rejects.toThrow('the storage is away');
    expect(onEventLost).toHaveBeenCalledOnce();
    expect(handle).not.toHaveBeenCalled();
    away.now = () => false;
    expect(await counted()).toMatchObject({ received: 0, rejected: { storage: 1 } });
    expect(await deliver(DEPOSIT)).toBe('accepted');
    expect(handle).toHaveBeenCalledOnce();
    expect(onEventLost).toHaveBeenCalledOnce();
  });

  test('reports a possibly lost event if finding the webhook fails', async () => {
    const { receiver, webhookSubscriptions, onEventLost } = await openEvents();
    vi.spyOn(webhookSubscriptions, 'find').mockRejectedValueOnce(new Error('redis is away'));
    await expect(receiver.find(HOOK)).rejects.toThrow('redis is away');
    expect(onEventLost).toHaveBeenCalledOnce();
  });

  test.each(['get', 'set'])(
    'completes an accepted event later and does not report it as lost (failed %s)',
    async (failed) => {
      const { deliver, inbox, clock, away, onEventLost, handle } = await openEvents();
      // The first read of the event decides whether it is a copy.
      let reads = 0;
      away.now = ({ method, key }) =>
        method === failed && key.startsWith('event:') && (method !== 'get' || ++reads > 1);
      expect(await deliver(DEPOSIT)).toBe('accepted');
      expect(handle).toHaveBeenCalledTimes(failed === 'get' ? 0 : 1);
      expect(onEventLost).not.toHaveBeenCalled();
      away.now = () => false;
      clock.now += 10_000;
      await inbox.run();
      await settled();
      expect(handle).toHaveBeenCalledTimes(failed === 'get' ? 1 : 2);
    },
  );
});

test('logs an event once, without webhook path or secret', async () => {
  const { deliver, log } = await openEvents();
  await deliver(FILLED);
  await deliver(FILLED);
  expect(log.filter((line) => line.includes('order.filled'))).toHaveLength(1);
  expect(log.join()).not.toMatch(new RegExp(`${HOOK}|${SECRET}`));
});

test('polls the account’s log at the first accepted request after rate-limited ones', async () => {
  const { receiver, onRateLimited } = await openEvents();
  await receiver.find(HOOK);
  expect(onRateLimited).not.toHaveBeenCalled();
  for (let times = 0; times < 3; times += 1) receiver.countRejected('rate', HOOK);
  receiver.countRejected('rate', 'a-path-that-nobody-has');
  await receiver.find('a-path-that-nobody-has');
  await receiver.find(HOOK);
  await receiver.find(HOOK);
  expect(onRateLimited.mock.calls).toEqual([[ACCOUNT]]);
});
