import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createStoredUpdates } from '../../src/telegram/update-queue.ts';
import { createWebhookUpdates } from '../../src/telegram/update-sources.ts';
import { heldReceive } from '../support/held-receive.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(storage = createMemoryStorage()) {
  const held = heldReceive();
  const onDropped = vi.fn();
  const log = silentLog();
  const seal = createSeal([new Uint8Array(32)]);
  const storedUpdates = createStoredUpdates({ storage, seal, log, now: Date.now });
  const webhookUpdates = createWebhookUpdates({
    receive: held.receive,
    storedUpdates: storedUpdates,
    onDropped: onDropped,
    log,
  });
  return {
    ...held,
    onDropped,
    storedUpdates,
    storage,
    push: webhookUpdates.receive,
    handleStored: webhookUpdates.handleStored,
  };
}

const passed = () => vi.advanceTimersByTimeAsync(400);

test('handles at most five updates of a chat at once and drops others as done', async () => {
  const { push, begun, onDropped } = open();
  for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
  expect(await push(textUpdate(6, 501))).toEqual({ kind: 'done' });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(onDropped.mock.calls).toEqual([[textUpdate(6, 501)]]);
});

test('continues with other chats, and with the same one once an update settles', async () => {
  const { push, begun, end, onDropped } = open();
  const first = [1, 2, 3, 4, 5].map((id) => push(textUpdate(id, 501)));
  void push(textUpdate(6, 502));
  await end(1);
  await first[0];
  void push(textUpdate(7, 501));
  await end(2, 'failed');
  expect(await first[1]).toEqual({ kind: 'failed' });
  void push(textUpdate(2, 501));
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 2]);
  expect(onDropped).not.toHaveBeenCalled();
});

test('neither repeats nor drops an update that is sent again while it is handled', async () => {
  const { push, begun, onDropped } = open();
  for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
  expect(await push(textUpdate(3, 501))).toEqual({ kind: 'busy' });
  expect(begun).toHaveLength(5);
  expect(onDropped).not.toHaveBeenCalled();
});

test('stores slow updates and responds, so that they hold no connections', async () => {
  const { push, end, storedUpdates } = open();
  const answers = Array.from({ length: 200 }, (_, at) => push(textUpdate(at + 1, 1_000 + at)));
  await passed();
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 200 }, () => ({ kind: 'done' })));
  expect(await storedUpdates.all()).toHaveLength(200);
  for (let id = 1; id <= 200; id++) await end(id);
  await vi.waitFor(async () => expect(await storedUpdates.all()).toEqual([]));
});

test('responds to a slow update once it settles if it cannot be stored', async () => {
  const storage = { ...createMemoryStorage(), set: () => Promise.reject(new Error('away')) };
  const { push, end } = open(storage);
  const answer = push(textUpdate(1, 501));
  await passed();
  await end(1, 'failed');
  expect(await answer).toEqual({ kind: 'failed' });
});

test.each(['failed', 'busy'] as const)(
  'handles a stored update again after it %s, until it is done',
  async (kind) => {
    const { push, end, begun, storedUpdates, handleStored } = open();
    const answer = push(textUpdate(1, 501));
    await passed();
    await answer;
    // This process is already handling the update.
    await handleStored();
    expect(begun).toEqual([1]);
    await end(1, kind);
    await vi.advanceTimersByTimeAsync(0);
    const again = handleStored();
    await vi.waitFor(() => expect(begun).toEqual([1, 1]));
    await end(1);
    await again;
    expect(await storedUpdates.all()).toEqual([]);
  },
);

test('handles updates that another process stored and did not settle', async () => {
  const first = open();
  const answer = first.push(textUpdate(1, 501));
  await passed();
  await answer;
  const second = open(first.storage);
  const handled = second.handleStored();
  await second.end(1);
  await handled;
  expect(await second.storedUpdates.all()).toEqual([]);
});

test('does not count a handler that threw as running', async () => {
  const log = silentLog();
  const { storedUpdates } = open();
  const receive = () => Promise.reject(new Error('no'));
  const { receive: push } = createWebhookUpdates({
    receive,
    storedUpdates: storedUpdates,
    onDropped: vi.fn(),
    log,
  });
  for (let id = 1; id <= 10; id++) await expect(push(textUpdate(id, 501))).rejects.toThrow('no');
});
