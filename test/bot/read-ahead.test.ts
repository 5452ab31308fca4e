import { expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { readAhead } from '../../src/bot/read-ahead.ts';

/** An update, of which nothing is read here. */
const update = () => ({}) as BotContext;

test('what was begun to be read with an update is read once', async () => {
  const read = vi.fn(async (_: BotContext, argument: string) => `of ${argument}`);
  const ahead = readAhead(read);
  const ctx = update();
  ahead.begin(ctx, 'A');
  expect([await ahead.of(ctx, 'A'), await ahead.of(ctx, 'A')]).toEqual(['of A', 'of A']);
  expect(read).toHaveBeenCalledOnce();
});

test('an update that begins again reads again, and another one for itself', async () => {
  let times = 0;
  const ahead = readAhead(async () => ++times);
  const ctx = update();
  ahead.begin(ctx, '');
  ahead.begin(ctx, '');
  expect(await ahead.of(ctx, '')).toBe(2);
  expect(await ahead.of(update(), '')).toBe(3);
});

test('a reading that fails is heard of by whoever asks for it, and by nobody else', async () => {
  const ahead = readAhead(async () => {
    throw new Error('the storage is away');
  });
  const ctx = update();
  ahead.begin(ctx, '');
  await new Promise((resolve) => setImmediate(resolve));
  await expect(ahead.of(ctx, '')).rejects.toThrow('the storage is away');
});
