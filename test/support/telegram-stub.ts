import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Update } from 'grammy/types';
import { createApi, createTelegramTransport } from '../../src/telegram/fetch.ts';
import { eventually } from './eventually.ts';
import { silentLog } from './log-lines.ts';

export interface StubCall {
  method: string;
  params: Record<string, unknown>;
  body: string;
  contentType: string;
  connection: number | undefined;
}

/** Response of the stub: a result, an error, a raw text, a cut connection, or none. */
export type StubAnswer =
  | { result: unknown }
  | { error: number; description: string; parameters?: Record<string, unknown> }
  | { status: number; text: string }
  | 'cut'
  | 'silence';

/** Creates an error response. `retryAfterS` is the wait that a 429 requests, in seconds. */
export function refusal(error: number, description: string, retryAfterS?: number): StubAnswer {
  return { error, description, ...(retryAfterS && { parameters: { retry_after: retryAfterS } }) };
}

export const badRequest = (what: string) => refusal(400, `Bad Request: ${what}`);
export const forbidden = (what: string) => refusal(403, `Forbidden: ${what}`);
export const tooManyRequests = (seconds: number) =>
  refusal(429, `Too Many Requests: retry after ${seconds}`, seconds);
export const SERVER_ERROR = refusal(500, 'Internal Server Error');

export type TelegramStub = Awaited<ReturnType<typeof startTelegramStub>>;

export const TOKEN = '700:stub-token-of-a-bot-that-is-none';

/** Starts a minimal Bot API server. It keeps updates until they are confirmed and sends planned responses. */
export async function startTelegramStub() {
  const calls: StubCall[] = [];
  const abandoned: StubCall[] = [];
  const answers: { method: string; answer: StubAnswer; times: number }[] = [];
  const polls = new Set<() => void>();
  let updates: Update[] = [];
  let lastId = 0;

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    response.on('close', () => !response.writableFinished && abandoned.push(call));
    const planned = answers.find(
      ({ method, times }) => times > 0 && (method === call.method || method === '*'),
    );
    if (planned) {
      planned.times -= 1;
      return reply(response, planned.answer);
    }
    if (call.method !== 'getUpdates') return reply(response, { result: resultOf(call) });
    const { offset = 0, limit = 100, timeout = 0 } = call.params as Record<string, number>;
    // Like tdlib's `TQueue`: an offset far beyond the last id confirms nothing.
    if (offset < 0) updates = updates.slice(offset);
    else if (offset <= lastId + 11) updates = updates.filter(({ update_id }) => update_id >= offset);
    if (updates.length === 0 && timeout > 0) await untilPushed(response);
    reply(response, { result: updates.slice(0, limit) });
  });

  async function untilPushed(response: ServerResponse): Promise<void> {
    await new Promise<void>((resolve) => {
      polls.add(resolve);
      response.on('close', () => polls.delete(resolve) && resolve());
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const telegram = createTelegramTransport({ token: TOKEN, log: silentLog(), apiRoot: root });

  return {
    root,
    calls,
    /** Calls whose connection was closed before the response was complete. */
    abandoned,
    api: createApi(TOKEN, telegram.client),
    /** API client for messages that are sent outside of updates. */
    newsApi: createApi(TOKEN, telegram.notificationClient),
    callsOf: (method: string) => calls.filter((call) => call.method === method),
    /** Plans the response to the next `times` calls of `method` (`*`: of any method). */
    plan(method: string, answer: StubAnswer, times = 1): void {
      answers.push({ method, answer, times });
    },
    push(...more: Update[]): void {
      updates.push(...more);
      lastId = more.at(-1)?.update_id ?? lastId;
      for (const wake of polls) wake();
      polls.clear();
    },
    /** Returns the IDs of the updates that aren't confirmed yet. */
    unconfirmed: () => updates.map(({ update_id }) => update_id),
    /** Resolves when a long poll waits for updates. */
    polled: () =>
      eventually(() => {
        if (polls.size === 0) throw new Error('no long poll yet');
      }),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await telegram.close();
    },
  };
}

async function readCall(request: IncomingMessage): Promise<StubCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const contentType = request.headers['content-type'] ?? '';
  return {
    method: request.url?.split('/').at(-1) ?? '',
    params: contentType === 'application/json' && body ? JSON.parse(body) : {},
    body,
    contentType,
    connection: request.socket.remotePort,
  };
}

/** The bot, as `getMe` returns it. */
const ME = { id: 700, is_bot: true, first_name: 'Energy Rental', username: 'rental_demo_bot' };

function resultOf({ method, params }: StubCall): unknown {
  if (method === 'getMe') return ME;
  if (method === 'getWebhookInfo') return { url: '', pending_update_count: 0 };
  if (method !== 'sendMessage' && method !== 'editMessageText') return true;
  return {
    message_id: params.message_id ?? 1,
    date: 0,
    chat: { id: params.chat_id, type: 'private' },
    text: '',
  };
}

function reply(response: ServerResponse, answer: StubAnswer): void {
  if (answer === 'silence') return;
  if (answer === 'cut') {
    response.destroy();
  } else if ('text' in answer) {
    response.writeHead(answer.status).end(answer.text);
  } else if ('error' in answer) {
    const { error, ...rest } = answer;
    const body = JSON.stringify({ ok: false, error_code: error, ...rest });
    response.writeHead(error, { 'content-type': 'application/json' }).end(body);
  } else {
    const body = JSON.stringify({ ok: true, result: answer.result });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }
}
