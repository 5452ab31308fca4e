import type { Endpoint } from './endpoints/endpoint.ts';
import type { Exchanged } from './exchange.ts';
import type { Outcome, Rejected, Unknown } from './outcome.ts';
import { readRejection } from './rejection.ts';

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422]);

/** Classifies a response (docs/architecture.md, money). Messages never contain `key` or the request's secrets. */
export function classify<Request, Value>(
  endpoint: Endpoint<Request, Value>,
  request: Request,
  exchanged: Exchanged,
  key: string,
): Outcome<Value> {
  if (exchanged.kind === 'not-sent') {
    return { kind: 'not-sent', reason: 'offline', message: exchanged.message };
  }
  const { head } = exchanged;
  const json = exchanged.kind === 'answered' ? parseJson(exchanged.body) : undefined;
  if (head && (head.status === 429 || (REFUSALS.has(head.status) && isObject(json)))) {
    return rejected(head.status, json, [key, ...(endpoint.secrets?.(request) ?? [])]);
  }
  if (exchanged.kind === 'broken') {
    return unknown(exchanged.reason, exchanged.message, head?.status);
  }
  const { status } = exchanged.head;
  if (status < 200 || status > 299) return unknown('status', `the service answered ${status}`, status);
  if (json === undefined) return unknown('unreadable', 'the answer is not JSON', status);
  const { data: value, error } = endpoint.response.safeParse(json);
  if (error)
    return unknown('mismatch', `the answer does not fit: ${error.issues[0]?.path.join('.')}`, status);
  if (endpoint.kind === 'money' && !endpoint.echoes(request, value)) {
    return unknown('mismatch', 'the answer is not about what was asked', status);
  }
  return { kind: 'accepted', value };
}

function rejected(status: number, json: unknown, secrets: string[]): Rejected {
  const { code, message, retryAfterMs } = readRejection(status, json, secrets);
  return { kind: 'rejected', status, code, message, ...(status === 429 && retryAfterMs && { retryAfterMs }) };
}

function unknown(reason: Unknown['reason'], message: string, status?: number): Unknown {
  return { kind: 'unknown', reason, message, ...(status !== undefined && { status }) };
}

function isObject(json: unknown): boolean {
  return typeof json === 'object' && json !== null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
