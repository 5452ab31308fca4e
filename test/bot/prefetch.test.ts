import { expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { createPrefetch } from '../../src/bot/feature.ts';

/** Returns an empty context. */
const update = () => ({}) as BotContext;

test('reads once per update and argument', async () => {
  const read = vi.fn(async (_: BotContext, argument: string) => `of ${argument}`);
  const ahead = createPrefetch(read);
  const ctx = update();
  ahead.start(ctx, 'A');
  expect([await ahead.get(ctx, 'A'), await ahead.get(ctx, 'A')]).toEqual(['of A', 'of A']);
  expect(read).toHaveBeenCalledOnce();
});

test('reads again when the update is retried, and separately for another update', async () => {
  let times = 0;
  const ahead = createPrefetch(async () => ++times);
  const ctx = update();
  ahead.start(ctx, '');
  ahead.start(ctx, '');
  expect(await ahead.get(ctx, '')).toBe(2);
  expect(await ahead.get(update(), '')).toBe(3);
});

test('a failed read rejects only for its caller', async () => {
  const ahead = createPrefetch(async () => {
    throw new Error('the storage is away');
  });
  const ctx = update();
  ahead.start(ctx, '');
  await new Promise((resolve) => setImmediate(resolve));
  await expect(ahead.get(ctx, '')).rejects.toThrow('the storage is away');
});
