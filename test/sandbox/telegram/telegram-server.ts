import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { createTelegramSandbox } from '../../../src/sandbox/telegram/telegram-sandbox.ts';
import { send } from '../../support/send.ts';
import { createStillClock } from './still-clock.ts';

export const TOKEN = '700:sandbox-token';

export interface Answer {
  status: number;
  ok?: boolean;
  result?: Record<string, unknown>;
  description?: string;
  parameters?: { retry_after: number };
}

/** Serves Telegram's sandbox over HTTP for one test, with a clock that stands still. */
export async function startTelegram(
  options: Partial<Parameters<typeof createTelegramSandbox>[0]> = { limits: false },
) {
  const clock = createStillClock();
  const sandbox = createTelegramSandbox({ clock, token: TOKEN, ...options });
  const app = new Hono<{ Bindings: HttpBindings }>()
    .route('/telegram', sandbox.api)
    .route('/sandbox/telegram', sandbox.control);
  app.notFound((c) => c.text('left to whatever is behind the sandbox', 418));
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    sandbox.stop();
    const closed = new Promise((resolve) => server.close(resolve));
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  });

  const call = async (method: string, params: object = {}, signal?: AbortSignal): Promise<Answer> => {
    const response = await send(`${origin}/telegram/bot${TOKEN}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
      signal,
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const control = async <T = Record<string, unknown>>(request: string, body?: object): Promise<T> => {
    const [method = 'GET', path = ''] = request.split(' ');
    const response = await send(`${origin}/sandbox/telegram${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return (await response.json()) as T;
  };
  return {
    origin,
    apiRoot: `${origin}/telegram`,
    clock,
    sandbox,
    call,
    control,
    /** Writes as a user, like a client would. */
    write: (text: string, chat = 501, from?: number) =>
      control<{ message_id: number; update_id: number | null }>(`POST /chats/${chat}/messages`, {
        text,
        from,
      }),
    /** Sends a message of the bot to the guest, after the guest has started the bot. */
    async send(params: object = { text: 'Hello' }): Promise<number> {
      await control('POST /chats/501/messages', { text: '/start' });
      const { result } = await call('sendMessage', { chat_id: 501, ...params });
      return Number(result?.message_id);
    },
    messages: (chat = 501) => control<Record<string, unknown>[]>(`GET /chats/${chat}/messages`),
  };
}

export type TelegramServer = Awaited<ReturnType<typeof startTelegram>>;
