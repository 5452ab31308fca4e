/**
 * Minimal requests and responses with just what the sandbox uses. Complete ones cost ten times as much because of
 * streams and signals.
 */
export function bareRequest(
  path: string,
  init: { method: string; headers: Headers; body?: string },
): Request {
  const { method, headers, body = '' } = init;
  return Object.create(Request.prototype, {
    method: { value: method },
    url: { value: `http://sandbox.test${path}` },
    headers: { value: headers },
    text: { value: async () => body },
    json: { value: async () => JSON.parse(body) },
  });
}

/** Replaces the global `Response`. */
export class BareResponse {
  readonly status: number;
  readonly #body: string;
  readonly #init: ResponseInit;
  #headers?: Headers;

  constructor(body: string | null = '', init: ResponseInit = {}) {
    this.status = init.status ?? 200;
    this.#body = body ?? '';
    this.#init = init;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(this.#init.headers);
    return this.#headers;
  }

  async text(): Promise<string> {
    return this.#body;
  }
}
