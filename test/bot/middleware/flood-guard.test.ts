import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { floodGuard } from '../../../src/bot/middleware/guards.ts';
import { textUpdate } from '../../support/updates.ts';
import { CHAT, standInBot } from '../stand-in-bot.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openBot() {
  const handled = vi.fn();
  const drop = vi.fn();
  return { ...standInBot(floodGuard({ drop }), handled), handled, drop };
}

async function send(bot: ReturnType<typeof openBot>, count: number, chat = CHAT): Promise<void> {
  for (let id = 0; id < count; id++) await bot.handle(textUpdate(id, chat));
}

test('handles forty updates in five seconds and drops the others', async () => {
  const bot = openBot();
  await send(bot, 40);
  expect([bot.handled.mock.calls.length, bot.drop.mock.calls]).toEqual([40, []]);
  await send(bot, 60);
  expect([bot.handled.mock.calls.length, bot.drop.mock.calls.length]).toEqual([40, 60]);
  expect(bot.drop).toHaveBeenLastCalledWith(textUpdate(59, CHAT));
});

test('does not limit other chats, nor the same chat five seconds later', async () => {
  const bot = openBot();
  await send(bot, 50);
  await send(bot, 1, CHAT + 1);
  expect(bot.handled).toHaveBeenCalledTimes(41);
  await vi.advanceTimersByTimeAsync(5_000);
  await send(bot, 1);
  expect(bot.handled).toHaveBeenCalledTimes(42);
});
