/** Error response of the Bot API, with Telegram's error text. */
export class BotApiError extends Error {
  override readonly name = 'BotApiError';
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(status: number, description: string, retryAfter?: number) {
    super(description);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export const badRequest = (what: string): BotApiError => new BotApiError(400, `Bad Request: ${what}`);
export const forbidden = (what: string): BotApiError => new BotApiError(403, `Forbidden: ${what}`);
export const conflict = (what: string): BotApiError => new BotApiError(409, `Conflict: ${what}`);

/** @param seconds whole seconds to wait, at least 1 */
export const tooManyRequests = (seconds: number): BotApiError =>
  new BotApiError(429, `Too Many Requests: retry after ${seconds}`, seconds);

export const chatNotFound = (): BotApiError => badRequest('chat not found');
