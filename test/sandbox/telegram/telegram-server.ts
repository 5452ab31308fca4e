import { Hono } from 'hono';
import { beforeEach, onTestFinished } from 'vitest';
import { createTelegramSandbox } from '../../../src/sandbox/telegram/telegram-sandbox.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { send } from '../../support/send.ts';
import { createStillClock } from '../../support/still-clock.ts';

export const TOKEN = '700:sandbox-token';
export const START = Date.UTC(2030, 0, 1);

export interface Answer {
  status: number;
  ok?: boolean;
  result?: Record<string, unknown>;
  description?: string;
  parameters?: { retry_after: number };
}

/** A PNG picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Response to a call that the Bot API rejects. */
export const badRequest = (problem: string) => ({ status: 400, description: `Bad Request: ${problem}` });

type File = Uint8Array<ArrayBuffer>;

interface Uploaded {
  ok: boolean;
  result: Record<string, unknown>;
  description?: string;
}

interface Attached {
  message_id: number;
  update_id: number | null;
  error?: string;
}

/** Serves Telegram's sandbox over HTTP for one test, with a clock that stands still. */
export async function startTelegram(
  options: Partial<Parameters<typeof createTelegramSandbox>[0]> = { limits: false },
) {
  const clock = createStillClock(START);
  const sandbox = createTelegramSandbox({ clock, token: TOKEN, ...options });
  const app = new Hono().route('/telegram', sandbox.api).route('/sandbox/telegram', sandbox.control);
  const { origin, close } = await startHttpServer(app.fetch);
  onTestFinished(async () => {
    sandbox.stop();
    await close();
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
  const post = async (url: string, form: FormData) =>
    (await fetch(url, { method: 'POST', body: form })).json();
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
    /** Calls a method of the bot with a file. */
    upload: async (method: string, fields: object, file: File, part = 'photo', filename = 'picture') =>
      (await post(
        `${origin}/telegram/bot${TOKEN}/${method}`,
        formOf(fields, file, part, filename),
      )) as Uploaded,
    /** Sends a file as a user, like a client would. */
    attach: async (part: string, file: File, fields: object = {}, chat = 501) =>
      (await post(
        `${origin}/sandbox/telegram/chats/${chat}/messages`,
        formOf(fields, file, part, `${part}.bin`),
      )) as Attached,
    messages: (chat = 501) => control<Record<string, unknown>[]>(`GET /chats/${chat}/messages`),
  };
}

export type TelegramServer = Awaited<ReturnType<typeof startTelegram>>;

/**
 * Serves Telegram's sandbox, without rate limits, before each test of the file. The returned functions use the
 * server of the running test.
 */
export function useTelegram() {
  let server: TelegramServer;
  beforeEach(async () => {
    server = await startTelegram();
  });
  return {
    call: (...args: Parameters<TelegramServer['call']>) => server.call(...args),
    control: <T = Record<string, unknown>>(request: string, body?: object) =>
      server.control<T>(request, body),
    write: (...args: Parameters<TelegramServer['write']>) => server.write(...args),
    send: (params?: object) => server.send(params),
    messages: (chat?: number) => server.messages(chat),
    upload: (...args: Parameters<TelegramServer['upload']>) => server.upload(...args),
    attach: (...args: Parameters<TelegramServer['attach']>) => server.attach(...args),
    clock: { now: () => server.clock.now(), advance: (ms: number) => server.clock.advance(ms) },
    /** The server of the running test. */
    get server() {
      return server;
    },
  };
}

function formOf(fields: object, file: File, part: string, filename: string): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.set(part, new Blob([file]), filename);
  return form;
}
