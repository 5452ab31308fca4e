import { expect, it } from 'vitest';
import { startTelegram } from './telegram-server.ts';

const share = { from: 503, url: 'https://t.me/rental_demo_bot?start=inv_7', text: 'Pay, please' };

it('what one person shares with another is kept for them until they put it away, and the bot knows nothing of it', async () => {
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

it('what was shared is gone after a reset', async () => {
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
])('nothing is shared with %s where it makes no sense (case %#)', async (chat, body, error) => {
  const { control } = await startTelegram();
  expect(await control(`POST /chats/${chat}/shares`, body)).toEqual({
    error: expect.stringContaining(error),
  });
});
