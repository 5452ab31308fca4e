import { afterAll, beforeAll, beforeEach, expect, type TestContext, test, vi } from 'vitest';
import { z } from 'zod';
import { createClock } from '../../../src/sandbox/clock.ts';
import { createSandbox } from '../../../src/sandbox/server.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { send } from '../../support/send.ts';
import { expectDocumented } from '../rental/rental-server.ts';
import { createClientWitness } from './client-witness.ts';

export interface Asked {
  /** `null`: no key. Default: the account's key. */
  key?: string | null;
  /** Sent as JSON. A string is sent unchanged. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A service that implements the specification, over HTTP. */
export interface Service {
  /** The specification's `{base_url}`. */
  baseUrl: string;
  key: string;
  /** `path` is relative to `{base_url}/v1`. */
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
  /** Returns the parsed response. It must be a 2xx that matches the schema. */
  get<Value>(path: string, schema: z.ZodType<Value>, asked?: Asked): Promise<Value>;
  post<Value>(path: string, schema: z.ZodType<Value>, body?: unknown, asked?: Asked): Promise<Value>;
}

/** Headers of every response, each an integer (section 8). */
export const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const TOO_MANY = 429;
const LONGEST_WAIT_S = 60;

/** Creates a service at `baseUrl`. With `patient`, rate-limited GET requests are retried after the requested wait. */
export function createService(options: {
  baseUrl: string;
  key: string;
  patient: boolean;
  /** Sends requests. Default: `fetch`, which follows redirects. */
  over?: typeof send;
  /** Called with each response. */
  onAnswer?: (method: string, path: string, asked: Asked, answer: Answer) => Promise<void>;
}): Service {
  const { key, patient, over = fetch, onAnswer = async () => {} } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');

  const askOnce = async (method: string, path: string, asked: Asked): Promise<Answer> => {
    const { key: used = key, body } = asked;
    const response = await over(`${baseUrl}/v1${path}`, {
      method,
      headers: {
        ...(used === null ? {} : { 'X-API-Key': used }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { headers } = response;
    for (const name of LIMIT_HEADERS) {
      const value = headers.get(name);
      // Called thousands of times: an `expect` per call would take longer than the request.
      if (!/^\d+$/.test(value ?? '')) expect.fail(`section 8: ${name} of ${method} ${path} is ${value}`);
    }
    const answer = { status: response.status, headers, text: await response.text() };
    await onAnswer(method, path, asked, answer);
    return answer;
  };

  const ask = async (method: string, path: string, asked: Asked = {}): Promise<Answer> => {
    const answer = await askOnce(method, path, asked);
    if (!patient || method !== 'GET' || answer.status !== TOO_MANY) return answer;
    const seconds = Math.min(Number(answer.headers.get('X-RateLimit-Reset')), LONGEST_WAIT_S);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return askOnce(method, path, asked);
  };

  const accepted = async <Value>(
    schema: z.ZodType<Value>,
    ...[method, path, asked]: Parameters<typeof ask>
  ): Promise<Value> => {
    const answer = await ask(method, path, asked);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeOneOf([200, 201, 202]);
    const read = schema.safeParse(JSON.parse(answer.text));
    if (!read.success) throw new Error(`${method} ${path}: ${answer.text}\n${z.prettifyError(read.error)}`);
    return read.data;
  };

  return {
    baseUrl,
    key,
    ask,
    get: (path, schema, asked) => accepted(schema, 'GET', path, asked),
    post: (path, schema, body, asked) => accepted(schema, 'POST', path, { ...asked, body }),
  };
}

/** Fields of the control API's `GET /state` that the tests use. Lists are newest first. */
export const State = z.looseObject({
  now: z.number(),
  accounts: z.array(z.looseObject({ id: z.number(), key: z.string(), balance_trx: z.string() })),
  orders: z.array(z.looseObject({ order_id: z.number(), account_id: z.number(), status: z.string() })),
  ledger: z.array(z.looseObject({ kind: z.string(), account_id: z.number(), amount_trx: z.string() })),
});

/** The sandbox with its control API and its clock, which moves only when a test advances it. */
export interface SandboxTarget extends Service {
  now(): number;
  advance(ms: number): void;
  /** `path` is relative to `/sandbox/rental`. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  controlled<Value>(schema: z.ZodType<Value>, method: string, path: string, body?: unknown): Promise<Value>;
  state(): Promise<z.infer<typeof State>>;
}

type Check<Target> = (target: Target, context: TestContext) => Promise<unknown>;

const { CONFORMANCE_BASE_URL: baseUrl = '', CONFORMANCE_KEY: key = '', CONFORMANCE_SPEND } = process.env;
const START = Date.parse('2025-06-01T12:00:00.000Z');
/** Timeout for live services, whose rate limits may require waiting, in milliseconds. */
const LIVE_TIMEOUT_MS = 150_000;

/** Whether the tests run against a live service instead of the sandbox. */
export const live = baseUrl !== '';

/** Checks that change nothing. They always run. */
export type Reads = (name: string, check: Check<Service>) => void;
/** Checks that spend or change something. Against a live service they run with `--spend` only. */
export type Spends = (name: string, check: Check<Service>) => void;
/** Checks that need the control API or undocumented behavior. They run against the sandbox only. */
export type Controls = (name: string, check: Check<SandboxTarget>) => void;

/**
 * Target of a file's tests: a separate sandbox that is reset before each test, or the service at
 * `CONFORMANCE_BASE_URL`. Checks that can't run there are skipped with a reason.
 */
export function createTarget(): { reads: Reads; spends: Spends; controls: Controls } {
  let open: Awaited<ReturnType<typeof openSandbox | typeof openService>>;
  const left = (name: string, why: string) => test.skipIf(true)(`${name} [skipped: ${why}]`, () => {});
  const run = (name: string, check: Check<Service>) =>
    test(
      name,
      async (context) => void (await check(open.target, context)),
      live ? LIVE_TIMEOUT_MS : undefined,
    );

  beforeAll(async () => {
    open = await (live ? openService() : openSandbox());
  });
  beforeEach(() => open.reset());
  afterAll(() => open.close());

  return {
    reads: run,
    spends: (name, check) =>
      live && !CONFORMANCE_SPEND
        ? left(name, 'it spends or changes, and --spend was not given')
        : run(name, check),
    controls: (name, check) =>
      live
        ? left(name, 'it needs the control API, or what the specification does not show')
        : run(name, (service, context) => check(service as SandboxTarget, context)),
  };
}

async function openService() {
  const witness = await createClientWitness();
  const target = createService({ baseUrl, key, patient: true, onAnswer: witness.show });
  return { target, reset() {}, close: witness.close };
}

async function openSandbox() {
  vi.setSystemTime(START);
  const clock = createClock();
  const sandbox = createSandbox({ token: '700:conformance', clock });
  const server = await startHttpServer(sandbox.fetch);
  const witness = await createClientWitness();
  const seen = new Set<string>();
  const service = createService({
    baseUrl: `${server.origin}/api`,
    key: 'demo-key',
    patient: false,
    over: send,
    async onAnswer(method, path, asked, answer) {
      const { status, text } = answer;
      const exchange = [method, path, status, text].join(' ');
      if (!seen.has(exchange)) expectDocumented(method, path, { status, json: JSON.parse(text) });
      seen.add(exchange);
      await witness.show(method, path, asked, answer);
    },
  });

  const control: SandboxTarget['control'] = async (method, path, body) => {
    const response = await send(`${server.origin}/sandbox/rental${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const controlled: SandboxTarget['controlled'] = async (schema, ...asked) =>
    schema.parse(await control(...asked));

  const target: SandboxTarget = {
    ...service,
    now: clock.now,
    advance: clock.advance,
    control,
    controlled,
    state: () => controlled(State, 'GET', '/state'),
  };
  return {
    target,
    reset: sandbox.reset,
    async close() {
      sandbox.stop();
      vi.useRealTimers();
      await Promise.all([server.close(), witness.close()]);
    },
  };
}
