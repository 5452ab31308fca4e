import { type Dispatcher, request } from 'undici';

/** Parts of a response that tests use. */
export type Sent = Pick<Response, 'status' | 'ok' | 'headers' | 'text' | 'json'>;

/** Matches the error of a connection that was cut. */
export const CUT = /other side closed|ECONNRESET/;

/** Sends an HTTP request like `fetch`, at a third of its cost, for tests with thousands of requests. */
export async function send(
  url: string,
  asked: {
    method?: string;
    headers?: Record<string, string>;
    body?: string | undefined;
    signal?: AbortSignal | undefined;
  } = {},
): Promise<Sent> {
  const { method = 'GET', headers, body, signal } = asked;
  const answer = await request(url, {
    method: method as Dispatcher.HttpMethod,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  const { statusCode: status } = answer;
  return {
    status,
    ok: status >= 200 && status < 300,
    get headers() {
      return new Headers(answer.headers as Record<string, string>);
    },
    text: () => answer.body.text(),
    json: () => answer.body.json(),
  };
}
