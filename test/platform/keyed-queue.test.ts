import { expect, test } from 'vitest';
import { createKeyedQueue } from '../../src/platform/work-queue.ts';

test('runs work of one key in order, also after a failure', async () => {
  const queue = createKeyedQueue<number>();
  const ended: number[] = [];
  let end = () => {};
  const first = queue.run(1, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    ended.push(1);
    throw new Error('no');
  });
  const second = queue.run(1, async () => ended.push(2));
  const elsewhere = await queue.run(2, async () => 'not held up');
  expect([elsewhere, ended]).toEqual(['not held up', []]);
  expect([queue.isBusy(1), queue.isBusy(3)]).toEqual([true, false]);
  end();
  await expect(first).rejects.toThrow('no');
  await second;
  expect(ended).toEqual([1, 2]);
});
