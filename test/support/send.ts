import { type Dispatcher, request } from 'undici';

/** What tests look at in an answer. */
export type Sent = Pick<Response, 'status' | 'ok' | 'headers' | 'text' | 'json'>;

/** How a connection that was cut is told. */
export const CUT = /other side closed|ECONNRESET/;

/** `fetch` for tests that ask thousands of times: over HTTP all the same, at a third of what it costs. */
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
