import { expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { readAhead } from '../../src/bot/read-ahead.ts';

/** Returns an empty context. */
const update = () => ({}) as BotContext;

test('reads once per update and argument', async () => {
  const read = vi.fn(async (_: BotContext, argument: string) => `of ${argument}`);
  const ahead = readAhead(read);
  const ctx = update();
  ahead.begin(ctx, 'A');
  expect([await ahead.of(ctx, 'A'), await ahead.of(ctx, 'A')]).toEqual(['of A', 'of A']);
  expect(read).toHaveBeenCalledOnce();
});

test('reads again when the update is retried, and separately for another update', async () => {
  let times = 0;
  const ahead = readAhead(async () => ++times);
  const ctx = update();
  ahead.begin(ctx, '');
  ahead.begin(ctx, '');
  expect(await ahead.of(ctx, '')).toBe(2);
  expect(await ahead.of(update(), '')).toBe(3);
});

test('a failed read rejects only for its caller', async () => {
  const ahead = readAhead(async () => {
    throw new Error('the storage is away');
  });
  const ctx = update();
  ahead.begin(ctx, '');
  await new Promise((resolve) => setImmediate(resolve));
  await expect(ahead.of(ctx, '')).rejects.toThrow('the storage is away');
});
