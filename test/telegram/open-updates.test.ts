import { expect, test, vi } from 'vitest';
import { limitOpen } from '../../src/telegram/open-updates.ts';
import { heldReceive } from '../support/held-receive.ts';
import { textUpdate } from '../support/updates.ts';

function open() {
  const held = heldReceive();
  const drop = vi.fn();
  return { ...held, drop, push: limitOpen({ receive: held.receive, drop }) };
}

test('of one chat five updates are under way at most, and what is over is dropped at once, as done', async () => {
  const { push, begun, drop } = open();
  for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
  expect(await push(textUpdate(6, 501))).toEqual({ kind: 'done' });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(drop.mock.calls).toEqual([[textUpdate(6, 501)]]);
});

test('other chats go on, and so does the same one when something is settled, or has failed', async () => {
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

test('one that is sent again while it is under way is neither handled twice nor dropped', async () => {
  const { push, begun, drop } = open();
  for (let id = 1; id <= 5; id++) void push(textUpdate(id, 501));
  expect(await push(textUpdate(3, 501))).toEqual({ kind: 'busy' });
  expect(begun).toHaveLength(5);
  expect(drop).not.toHaveBeenCalled();
});

test('a handler that throws takes up no place', async () => {
  const push = limitOpen({ receive: () => Promise.reject(new Error('no')), drop: vi.fn() });
  for (let id = 1; id <= 10; id++) await expect(push(textUpdate(id, 501))).rejects.toThrow('no');
});
