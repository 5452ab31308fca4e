import { expect, test } from 'vitest';
import { createChatQueue } from '../../../src/bot/middleware/chat-queue.ts';

test('work of one chat runs in its order, also after some that failed', async () => {
  const queue = createChatQueue();
  const ended: number[] = [];
  let end = () => {};
  const first = queue(1, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    ended.push(1);
    throw new Error('no');
  });
  const second = queue(1, async () => ended.push(2));
  const elsewhere = await queue(2, async () => 'not held up');
  expect([elsewhere, ended]).toEqual(['not held up', []]);
  end();
  await expect(first).rejects.toThrow('no');
  await second;
  expect(ended).toEqual([1, 2]);
});
