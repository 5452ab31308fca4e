import { afterEach, expect, test, vi } from 'vitest';
import { USER } from '../operations/operations-setup.ts';
import { API_KEY } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('does not link a key whose check was aborted by the time limit', async () => {
  const pauses: ((ms: number) => void)[] = [];
  const pause = vi.fn(async () => 0);
  const { tap, write, links, setup } = await openChat('en', {
    linked: false,
    keyAttempts: { waitMs: pause, recordRefusal: async () => {} },
  });
  await tap('link:open');
  pause.mockImplementationOnce(() => new Promise((resolve) => pauses.push(resolve)));
  vi.useFakeTimers();
  const cutOff = expect(write(API_KEY)).rejects.toThrow('more than 8000 ms');
  await vi.advanceTimersByTimeAsync(8_000);
  await cutOff;
  for (const goOn of pauses) goOn(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(setup.rental.profile).toHaveBeenCalledOnce();
  expect(await links.find(USER)).toBeUndefined();
});

test.each([
  ['null', { result: null }],
  ['an unexpected result', { result: false }],
  [
    'an error because the message is gone',
    { code: 400, description: 'Bad Request: message to delete not found' },
  ],
])('links without a warning when deleteMessage returns %s', async (_, answer) => {
  const { tap, write, trouble, links, views } = await openChat('en', { linked: false });
  await tap('link:open');
  trouble('deleteMessage', answer);
  await write(API_KEY);
  expect(await links.find(USER)).toBeDefined();
  expect(views().at(-1)?.html).toContain('Account linked');
});

test('links a key whose message cannot be deleted, and advises to replace the key', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  chat.trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
  await chat.write(API_KEY);
  expect(await chat.links.find(USER)).toBeDefined();
  expect(chat.views().at(-2)?.html).toContain('Account linked');
  expect(chat.last().html).toBe(chat.words.html('link-delete-failed'));
});

test('links at the third attempt while Telegram fails to delete the key', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  chat.trouble('deleteMessage', { code: 502, description: 'Bad Gateway' });
  await expect(chat.write(API_KEY)).rejects.toThrow('not deleted yet');
  await expect(chat.again()).rejects.toThrow('not deleted yet');
  expect(await chat.links.find(USER)).toBeUndefined();
  await chat.again();
  expect(await chat.links.find(USER)).toBeDefined();
  expect(chat.last().html).toBe(chat.words.html('link-delete-failed'));
});

test('links at the third attempt while Telegram does not answer the deletion of the key', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  chat.hang('deleteMessage');
  vi.useFakeTimers();
  const tried = expect(chat.write(API_KEY)).rejects.toThrow('not deleted yet');
  await vi.advanceTimersByTimeAsync(2_000);
  await tried;
  const triedAgain = expect(chat.again()).rejects.toThrow('not deleted yet');
  await vi.advanceTimersByTimeAsync(2_000);
  await triedAgain;
  const last = chat.again();
  await vi.advanceTimersByTimeAsync(2_000);
  await last;
  expect(await chat.links.find(USER)).toBeDefined();
  expect(chat.last().html).toBe(chat.words.html('link-delete-failed'));
});

test('says that the key is no longer expected in the newly chosen language', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.tap('link:open');
  await chat.tap('settings:language:ru');
  expect(chat.last().html).toContain(chat.deps.texts.in('ru').html('left-secret'));
});
