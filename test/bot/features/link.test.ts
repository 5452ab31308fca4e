import { afterEach, expect, test, vi } from 'vitest';
import { API_KEY } from '../../operations/rental-stand-in.ts';
import { USER } from '../../operations/room.ts';
import { openChat } from './chat.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a key whose check was cut off is not linked afterwards: its update comes again', async () => {
  const pauses: ((ms: number) => void)[] = [];
  const pause = vi.fn(async () => 0);
  const { tap, write, links, room } = await openChat('en', {
    linked: false,
    keyAttempts: { pause, refused: async () => {} },
  });
  await tap('link:open');
  pause.mockImplementationOnce(() => new Promise((resolve) => pauses.push(resolve)));
  vi.useFakeTimers();
  const cutOff = expect(write(API_KEY)).rejects.toThrow('more than 8000 ms');
  await vi.advanceTimersByTimeAsync(8_000);
  await cutOff;
  for (const goOn of pauses) goOn(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(room.rental.profile).toHaveBeenCalledOnce();
  expect(await links.find(USER)).toBeUndefined();
});

test('that the key is no longer awaited is said in the language that was chosen for it', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  await chat.tap('settings:language:ru');
  expect(chat.last().html).toContain(chat.deps.texts.in('ru').html('left-secret'));
});
