import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createEventHooks } from '../../src/accounts/event-hooks.ts';
import type { EventHandler } from '../../src/notices/events/event.ts';
import { createOrderEvents } from '../../src/notices/events/order.ts';
import { createReceiveEvent } from '../../src/notices/receive-event.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { createSeal } from '../../src/storage/seal.ts';
import { createTurns } from '../../src/storage/turns.ts';
import { ACCOUNT, ADDRESS, ORDER } from '../operations/rental-stand-in.ts';
import { failing, openRoom } from '../operations/room.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';

const SECRET = 'whsec_of-the-tests';
const HOOK = 'a-hook-that-cannot-be-guessed';
const FILLED = {
  event: 'order.filled',
  timestamp: '2025-06-01T12:00:01Z',
  data: { order_id: ORDER, address: ADDRESS, energy_amount: 65_000 },
};

const bytes = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const signed = (body: Uint8Array, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');

/** The events of an account whose order waits to be filled. */
async function openEvents() {
  const storage = createMemoryStorage();
  const away = { now: (_: { method: string; key: string }) => false };
  const room = openRoom(storage);
  const hooks = createEventHooks({
    records: signedRecords(storage),
    seal: createSeal([randomBytes(32)]),
    now: () => room.clock.now,
  });
  await hooks.activate(HOOK, ACCOUNT, SECRET);
  const operation = await room.claimed();
  await room.advance(operation);
  const operations = room.replica(failing(storage, (call) => away.now(call)));
  const report = vi.spyOn(operations.settlement, 'report');
  const { log, texts } = recordingLog();
  const own = failing(storage, (call) => away.now(call));
  const handle = vi.fn<EventHandler['handle']>(async () => {});
  const handlers = [createOrderEvents({ operations }), { types: ['deposit.confirmed', 'of-both'], handle }];
  const replica = () => {
    const receive = createReceiveEvent({ handlers, turns: createTurns({ storage: own }), log });
    return async (path: string, body: Uint8Array, signature: string | undefined) => {
      const hook = await hooks.find(path);
      return hook === undefined ? 'refused' : receive(hook, body, signature);
    };
  };
  const [receive, another] = [replica(), replica()];
  const deliver = (body: unknown, signature?: string) =>
    receive(HOOK, bytes(body), signature ?? signed(bytes(body)));
  const elsewhere = (body: unknown) => another(HOOK, bytes(body), signed(bytes(body)));
  return { room, hooks, operation, report, handle, receive, deliver, elsewhere, away, log: texts };
}

test('a signed event changes the card of its order', async () => {
  const { deliver, room, operation } = await openEvents();
  expect(await deliver(FILLED)).toBe('accepted');
  expect(await room.read(operation)).toMatchObject({ result: { order: ORDER, status: 'filled' } });
  expect(room.show).toHaveBeenLastCalledWith(
    expect.objectContaining({ result: expect.objectContaining({ status: 'filled' }) }),
  );
});

test('a failed order is reported too, and one of another kind with its number is another event', async () => {
  const { deliver, room, operation } = await openEvents();
  const failed = (data: object) =>
    deliver({ ...FILLED, event: 'order.failed', data: { order_id: ORDER, ...data } });
  expect(await failed({})).toBe('accepted');
  expect(await failed({ bandwidth_amount: 350 })).toBe('accepted');
  expect(await room.read(operation)).toMatchObject({ result: { status: 'pending' } });
  expect(await failed({ energy_amount: 65_000 })).toBe('accepted');
  expect(await room.read(operation)).toMatchObject({ result: { status: 'failed' } });
});

test('an event is heard by those alone that hear its type', async () => {
  const { deliver, report, handle } = await openEvents();
  expect(await deliver({ ...FILLED, event: 'deposit.confirmed', data: { id: 1 } })).toBe('accepted');
  expect(report).not.toHaveBeenCalled();
  expect(handle.mock.calls).toEqual([
    [ACCOUNT, expect.objectContaining({ type: 'deposit.confirmed', data: { id: 1 } })],
  ]);
});

test('an event that nobody hears is accepted, and changes nothing', async () => {
  const { deliver, report, handle } = await openEvents();
  expect(await deliver({ ...FILLED, event: 'invoice.paid', data: { invoice_id: 1 } })).toBe('accepted');
  expect([report.mock.calls, handle.mock.calls]).toEqual([[], []]);
});

test('an event whose handler failed is rejected, and handled when it comes again', async () => {
  const { deliver, handle } = await openEvents();
  handle.mockRejectedValueOnce(new Error('not now'));
  const event = { ...FILLED, event: 'deposit.confirmed', data: { deposit_id: 1 } };
  await expect(deliver(event)).rejects.toThrow('not now');
  expect(await deliver(event)).toBe('accepted');
  expect(await deliver(event)).toBe('accepted');
  expect(handle).toHaveBeenCalledTimes(2);
});

describe('refused, with nothing done', () => {
  test('is an unknown hook', async () => {
    const { receive, report } = await openEvents();
    const body = bytes(FILLED);
    expect(await receive('another-hook', body, signed(body))).toBe('refused');
    expect(report).not.toHaveBeenCalled();
  });

  test('is a hook that was given up', async () => {
    const { hooks, deliver, report } = await openEvents();
    await hooks.deactivate(ACCOUNT);
    expect(await deliver(FILLED)).toBe('refused');
    expect(report).not.toHaveBeenCalled();
  });

  test('is whatever is signed by a secret that could be guessed', async () => {
    const { hooks, receive, report } = await openEvents();
    await hooks.activate('weak-hook', ACCOUNT + 1, '0123456789abcde');
    expect(await receive('weak-hook', bytes(FILLED), signed(bytes(FILLED), '0123456789abcde'))).toBe(
      'refused',
    );
    expect(report).not.toHaveBeenCalled();
  });

  test('is a signature that is missing, wrong, or of another secret or body', async () => {
    const { receive, deliver, report } = await openEvents();
    expect(await receive(HOOK, bytes(FILLED), undefined)).toBe('refused');
    for (const signature of [
      '',
      'abc',
      '0'.repeat(64),
      signed(bytes(FILLED), 'another'),
      signed(bytes('{}')),
    ]) {
      expect(await deliver(FILLED, signature)).toBe('refused');
    }
    expect(report).not.toHaveBeenCalled();
  });

  test.each(['', 'not JSON', '[]', 'null', '{}', '{"event":"order.filled"}', '{"event":"","data":{}}'])(
    'is a body that is no event: %s',
    async (body) => {
      const { deliver, report } = await openEvents();
      expect(await deliver(body)).toBe('refused');
      expect(report).not.toHaveBeenCalled();
    },
  );
});

test('a duplicate is accepted without a second look', async () => {
  const { deliver, report, room } = await openEvents();
  await deliver(FILLED);
  const shown = room.show.mock.calls.length;
  expect(await deliver({ ...FILLED, timestamp: '2025-06-01T12:00:09Z' })).toBe('accepted');
  expect(report).toHaveBeenCalledOnce();
  expect(room.show).toHaveBeenCalledTimes(shown);
});

describe('a hundred copies of an event that come at once', () => {
  /** A handler that lasts until it is let go. */
  function hold(handle: Awaited<ReturnType<typeof openEvents>>['handle']) {
    let end = () => {};
    handle.mockImplementation(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    return () => end();
  }
  const event = { ...FILLED, event: 'deposit.confirmed', data: { deposit_id: 1 } };
  const copies = <T>(make: () => T) => Array.from({ length: 100 }, make);

  test('are handled once, and all accepted when that is done', async () => {
    const { deliver, handle } = await openEvents();
    const end = hold(handle);
    const answers = copies(() => deliver(event));
    await eventually(() => expect(handle).toHaveBeenCalled());
    end();
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['accepted']));
    expect(handle).toHaveBeenCalledOnce();
  });

  test('on another replica are busy meanwhile, and so come again', async () => {
    const { deliver, handle, elsewhere } = await openEvents();
    const end = hold(handle);
    const first = deliver(event);
    await eventually(() => expect(handle).toHaveBeenCalled());
    expect(new Set(await Promise.all(copies(() => elsewhere(event))))).toEqual(new Set(['busy']));
    end();
    expect(await first).toBe('accepted');
    expect(await elsewhere(event)).toBe('accepted');
    expect(handle).toHaveBeenCalledOnce();
  });
});

test('while a hook takes the place of another, either takes what either secret signs', async () => {
  const { hooks, receive, handle } = await openEvents();
  const later = 'the-secret-of-later';
  await hooks.activate('a-later-hook', ACCOUNT, later);
  let order = 0;
  for (const path of [HOOK, 'a-later-hook']) {
    for (const secret of [SECRET, later]) {
      const body = bytes({ event: 'of-both', data: { order_id: ++order } });
      expect(await receive(path, body, signed(body, secret))).toBe('accepted');
    }
  }
  expect(handle).toHaveBeenCalledTimes(4);
});

test('the same order of another account is no duplicate', async () => {
  const { hooks, deliver, receive, report } = await openEvents();
  await deliver(FILLED);
  const theirs = 'the-secret-of-theirs';
  await hooks.activate('their-hook', ACCOUNT + 1, theirs);
  expect(await receive('their-hook', bytes(FILLED), signed(bytes(FILLED), theirs))).toBe('accepted');
  expect(report.mock.calls.map(([account]) => account)).toEqual([ACCOUNT, ACCOUNT + 1]);
});

test.each([
  ['before its work', ({ key }: { key: string }) => key.startsWith('order')],
  ['in its work', ({ method }: { method: string }) => method === 'replace'],
  ['after its work', ({ key }: { key: string }) => key.startsWith('event:')],
])('an event that meets a storage gone %s is rejected, and done when it comes again', async (_, away) => {
  const events = await openEvents();
  events.away.now = away;
  await expect(events.deliver(FILLED)).rejects.toThrow('the storage is away');
  events.away.now = () => false;
  expect(await events.deliver(FILLED)).toBe('accepted');
  expect(await events.room.read(events.operation)).toMatchObject({ result: { status: 'filled' } });
  await events.room.pass(15_000);
  expect(events.room.show).toHaveBeenLastCalledWith(
    expect.objectContaining({ result: expect.objectContaining({ status: 'filled' }) }),
  );
});

test('the log tells what came, and neither hook nor secret', async () => {
  const { deliver, log } = await openEvents();
  await deliver(FILLED);
  expect(log.join()).toContain('order.filled');
  expect(log.join()).not.toMatch(new RegExp(`${HOOK}|${SECRET}`));
});
