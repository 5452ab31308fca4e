import { expect } from 'vitest';
import { z } from 'zod';
import type { send } from '../../support/send.ts';

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
