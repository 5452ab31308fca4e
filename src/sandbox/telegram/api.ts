import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { BotApiError, tooManyRequests } from './bot-api-error.ts';
import type { Fault, Faults, Journal } from './faults.ts';
import { METHODS } from './methods/list.ts';
import type { ApiRequest, Method } from './methods/method.ts';
import { readParams } from './params.ts';
import { anyAborted } from './updates.ts';
import type { World } from './world.ts';

type ApiResponse =
  | { ok: true; result: unknown }
  | { ok: false; error_code: number; description: string; parameters?: { retry_after: number } };

const byName = new Map(METHODS.map((method) => [method.name.toLowerCase(), method]));

/** Finds a method by name. Case doesn't matter, as with Telegram. */
export const findMethod = (name: string): Method | undefined => byName.get(name.toLowerCase());

const errorResponse = ({ status, message, retryAfter }: BotApiError): ApiResponse & { ok: false } => ({
  ok: false,
  error_code: status,
  description: message,
  ...(retryAfter !== undefined && { parameters: { retry_after: retryAfter } }),
});

const statusOf = (answer: ApiResponse): number => (answer.ok ? 200 : answer.error_code);

/** Executes a call and records it in the journal. */
export async function execute(
  method: Method,
  request: ApiRequest,
  { world, journal }: { world: World; journal: Journal },
): Promise<ApiResponse> {
  const answer = await run(method, request, world);
  journal.record({
    method: method.name,
    params: request.params,
    status: statusOf(answer),
    ...(!answer.ok && { description: answer.description }),
  });
  return answer;
}

async function run(method: Method, request: ApiRequest, world: World): Promise<ApiResponse> {
  try {
    return { ok: true, result: await method.run(request, world) };
  } catch (error) {
    if (error instanceof BotApiError) return errorResponse(error);
    throw error;
  }
}

type Env = { Bindings: HttpBindings };

/** Creates the Bot API server: methods at `/bot<token>/<method>`, files at `/file/bot<token>/<path>`. */
export function createApi({
  token,
  world,
  journal,
  faults,
}: {
  token: string;
  world: World;
  journal: Journal;
  faults: Faults;
}): Hono<Env> {
  const api = new Hono<Env>();
  const reply = (c: Context<Env>, answer: ApiResponse) =>
    c.json(answer, statusOf(answer) as ContentfulStatusCode);
  const replyWithError = (c: Context<Env>, error: BotApiError) => reply(c, errorResponse(error));

  api.onError((error, c) =>
    replyWithError(c, error instanceof BotApiError ? error : new BotApiError(500, 'Internal Server Error')),
  );

  api.get('/file/:bot/*', (c) => {
    if (c.req.param('bot') !== `bot${token}`) return replyWithError(c, new BotApiError(401, 'Unauthorized'));
    const [path = ''] = /(?:photos|documents|videos)\/[^/]+$/.exec(c.req.path) ?? [];
    const file = world.files.byPath(path);
    return file
      ? c.body(file.bytes, 200, { 'content-type': file.mime })
      : replyWithError(c, new BotApiError(404, 'Not Found'));
  });

  api.on(['GET', 'POST'], '/:bot/:method', async (c) => {
    const { bot, method: name } = c.req.param();
    if (!/^bot\d+:[\w-]+$/.test(bot)) return replyWithError(c, new BotApiError(404, 'Not Found'));
    if (bot !== `bot${token}`) return replyWithError(c, new BotApiError(401, 'Unauthorized'));
    const method = findMethod(name);
    if (!method) return replyWithError(c, new BotApiError(404, 'Not Found: method not found'));
    const { params, uploads } = await readParams(c.req);
    const fault = faults.useNext(method.name);
    const run = () => execute(method, { params, uploads, signal: c.req.raw.signal }, { world, journal });
    if (fault === undefined) return reply(c, await run());
    return respondWithFault(fault, c, run, (status, description) =>
      journal.record({ method: method.name, params, status, description }),
    );
  });

  api.all('*', (c) => replyWithError(c, new BotApiError(404, 'Not Found')));

  const respondWithFault = async (
    { kind, ms, retry_after, after }: Fault,
    c: Context<Env>,
    run: () => Promise<ApiResponse>,
    record: (status: number, description: string) => void,
  ): Promise<Response> => {
    if (kind === 'latency') {
      await new Promise<void>((resolve) => world.clock.scheduleAt(world.clock.now() + ms, resolve));
      return reply(c, await run());
    }
    if (kind === 'rate-limit') {
      const error = tooManyRequests(retry_after);
      record(error.status, error.message);
      return replyWithError(c, error);
    }
    if (after) await run();
    else record(kind === 'error' ? 500 : 0, `${kind} by order`);
    if (kind === 'error') return replyWithError(c, new BotApiError(500, 'Internal Server Error'));
    if (kind === 'hang') await anyAborted(c.req.raw.signal, world.stopSignal);
    c.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  };
  return api;
}
