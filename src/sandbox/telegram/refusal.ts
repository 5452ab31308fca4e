/** Error response of the Bot API, with Telegram's error text. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(status: number, description: string, retryAfter?: number) {
    super(description);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export const badRequest = (what: string): Refusal => new Refusal(400, `Bad Request: ${what}`);
export const forbidden = (what: string): Refusal => new Refusal(403, `Forbidden: ${what}`);
export const conflict = (what: string): Refusal => new Refusal(409, `Conflict: ${what}`);

/** @param seconds whole seconds to wait, at least 1 */
export const tooManyRequests = (seconds: number): Refusal =>
  new Refusal(429, `Too Many Requests: retry after ${seconds}`, seconds);

export const chatNotFound = (): Refusal => badRequest('chat not found');
