import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createPushedUpdates } from '../../src/telegram/pushed-updates.ts';
import { createKeptUpdates } from '../../src/telegram/update-queue.ts';
import { heldReceive } from '../support/held-receive.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(storage = createMemoryStorage()) {
  const held = heldReceive();
  const drop = vi.fn();
  const log = silentLog();
  const seal = createSeal([new Uint8Array(32)]);
  const kept = createKeptUpdates({ storage, seal, log, now: Date.now });
  const pushed = createPushedUpdates({ receive: held.receive, kept, drop, log });
  return { ...held, drop, kept, storage, push: pushed.receive, handleKept: pushed.handleKept };
}

const passed = () => vi.advanceTimersByTimeAsync(400);

test('handles at most five updates of a chat at once and drops others as done', async () => {
  const { push, begun, drop } = open();
  for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
  expect(await push(textUpdate(6, 501))).toEqual({ kind: 'done' });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(drop.mock.calls).toEqual([[textUpdate(6, 501)]]);
});

test('continues with other chats, and with the same one once an update settles', async () => {
  const { push, begun, end, drop } = open();
  const first = [1, 2, 3, 4, 5].map((id) => push(textUpdate(id, 501)));
  void push(textUpdate(6, 502));
  await end(1);
  await first[0];
  void push(textUpdate(7, 501));
  await end(2, 'failed');
  expect(await first[1]).toEqual({ kind: 'failed' });
  void push(textUpdate(2, 501));
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 2]);
  expect(drop).not.toHaveBeenCalled();
});

test('neither repeats nor drops an update that is sent again while it is handled', async () => {
  const { push, begun, drop } = open();
  for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
  expect(await push(textUpdate(3, 501))).toEqual({ kind: 'busy' });
  expect(begun).toHaveLength(5);
  expect(drop).not.toHaveBeenCalled();
});

test('stores slow updates and responds, so that they hold no connections', async () => {
  const { push, end, kept } = open();
  const answers = Array.from({ length: 200 }, (_, at) => push(textUpdate(at + 1, 1_000 + at)));
  await passed();
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 200 }, () => ({ kind: 'done' })));
  expect(await kept.all()).toHaveLength(200);
  for (let id = 1; id <= 200; id++) await end(id);
  await vi.waitFor(async () => expect(await kept.all()).toEqual([]));
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
    const { push, end, begun, kept, handleKept } = open();
    const answer = push(textUpdate(1, 501));
    await passed();
    await answer;
    // This process is already handling the update.
    await handleKept();
    expect(begun).toEqual([1]);
    await end(1, kind);
    await vi.advanceTimersByTimeAsync(0);
    const again = handleKept();
    await vi.waitFor(() => expect(begun).toEqual([1, 1]));
    await end(1);
    await again;
    expect(await kept.all()).toEqual([]);
  },
);

test('handles updates that another process stored and did not settle', async () => {
  const first = open();
  const answer = first.push(textUpdate(1, 501));
  await passed();
  await answer;
  const second = open(first.storage);
  const handled = second.handleKept();
  await second.end(1);
  await handled;
  expect(await second.kept.all()).toEqual([]);
});

test('does not count a handler that threw as running', async () => {
  const log = silentLog();
  const { kept } = open();
  const receive = () => Promise.reject(new Error('no'));
  const { receive: push } = createPushedUpdates({ receive, kept, drop: vi.fn(), log });
  for (let id = 1; id <= 10; id++) await expect(push(textUpdate(id, 501))).rejects.toThrow('no');
});
