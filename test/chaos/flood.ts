import { Hono } from 'hono';
import type { TelegramSandbox } from '../../src/sandbox/telegram/telegram-sandbox.ts';

/** Returns one message of a flood as an update. */
export function floodUpdate(chat: number, at: number) {
  return {
    message: {
      message_id: 1_000_000 + at,
      date: Math.floor(Date.now() / 1000),
      chat: { id: chat, type: 'private', first_name: 'Flood' },
      from: { id: chat, is_bot: false, first_name: 'Flood', language_code: 'en' },
      text: `flood ${at}`,
    },
  };
}

/** `POST /`: queues `count` updates of one chat at once, faster than separate requests could. */
export function createFlood({ control }: Pick<TelegramSandbox, 'control'>): Hono {
  return new Hono().post('/', async (c) => {
    const { chat, count } = (await c.req.json()) as { chat: number; count: number };
    for (let at = 0; at < count; at++) {
      const body = JSON.stringify(floodUpdate(chat, at));
      await control.request('/updates', { method: 'POST', body });
    }
    return c.json({ count });
  });
}
