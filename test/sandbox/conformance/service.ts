import { expect } from 'vitest';
import { z } from 'zod';
import type { send } from '../../support/send.ts';

export interface Asked {
  /** null: no key at all; by default the account's. */
  key?: string | null;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A service of the specification, over HTTP. */
export interface Service {
  /** The specification's `{base_url}`. */
  baseUrl: string;
  key: string;
  /** `path` is below `{base_url}/v1`. */
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
  /** The answer, which has to be a 2xx that fits. */
  get<Value>(path: string, schema: z.ZodType<Value>, asked?: Asked): Promise<Value>;
  post<Value>(path: string, schema: z.ZodType<Value>, body?: unknown, asked?: Asked): Promise<Value>;
}

/** Section 8: on every response, each an integer. */
export const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const TOO_MANY = 429;
const LONGEST_WAIT_S = 60;

/** A service at `baseUrl`. With `patient`, what is limited is asked again after the wait, which only reading may be. */
export function createService(options: {
  baseUrl: string;
  key: string;
  patient: boolean;
  /** What asks; `fetch`, which follows where it is sent, unless said. */
  over?: typeof send;
  /** Sees each answer. */
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
      // Asked thousands of times: an expectation each would take longer than the answer.
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
