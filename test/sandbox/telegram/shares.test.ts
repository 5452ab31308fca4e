import { expect, it } from 'vitest';
import { startTelegram } from './telegram-server.ts';

const share = { from: 503, url: 'https://t.me/rental_demo_bot?start=inv_7', text: 'Pay, please' };

it('keeps a share for its recipient until it is dismissed, without notifying the bot', async () => {
  const { control, messages } = await startTelegram();
  const { id } = await control('POST /chats/501/shares', share);
  expect(await control('GET /chats/501/shares')).toEqual([{ id, ...share }]);
  expect(await control('GET /chats/502/shares')).toEqual([]);
  expect(await control('GET /pending')).toBe(0);
  expect(await messages()).toEqual([]);
  await control(`DELETE /chats/501/shares/${id}`);
  expect(await control('GET /chats/501/shares')).toEqual([]);
  expect(await control(`DELETE /chats/501/shares/${id}`)).toEqual({ error: 'That was not shared.' });
});

it('removes shares at a reset', async () => {
  const { control } = await startTelegram();
  await control('POST /chats/501/shares', share);
  await control('POST /reset');
  expect(await control('GET /chats/501/shares')).toEqual([]);
});

it.each([
  ['501', { ...share, url: 'javascript:alert(1)' }, 'expected a link'],
  ['501', { ...share, from: 77 }, 'There is no such person.'],
  ['-1001', share, 'Nothing can be shared with a group here.'],
  ['77', share, 'There is no such chat.'],
])('rejects an invalid share with %s (case %#)', async (chat, body, error) => {
  const { control } = await startTelegram();
  expect(await control(`POST /chats/${chat}/shares`, body)).toEqual({
    error: expect.stringContaining(error),
  });
});
