import type { Context } from 'hono';

/** `detail` of an error response: a text, or a code with a text. Section 7 documents only the first. */
type Detail = string | { error: { code: string; message: string } };

/** Error response to a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429;
  readonly detail: Detail;

  constructor(status: ApiError['status'], detail: Detail) {
    super(typeof detail === 'string' ? detail : detail.error.message);
    this.status = status;
    this.detail = detail;
  }
}

/** Creates the detail of an error with a code. */
export function errorDetail(code: string, message: string): Detail {
  return { error: { code, message } };
}

/** Error codes and their causes. */
export const codes = {
  INVALID_ADDRESS: 'an address is not a valid chain address in base58check',
  INSUFFICIENT_BALANCE: 'the balance is too low',
  ADDRESS_ALREADY_ACTIVE: 'the address is already active on the chain',
  INVOICE_NOT_FOUND: 'the account has no such invoice',
  SUBSCRIPTION_NOT_FOUND: 'the account has no such subscription',
  SMART_MODE_CONFLICT: 'the address already has a subscription',
  PACKAGE_CONFLICT: 'the address has an active transfer package',
  INVALID_STATE: 'the state of the record does not allow it',
  '2FA_REQUIRED': '2FA is enabled and totp_code is missing',
  INVALID_2FA_CODE: 'totp_code is wrong, or was used before',
} as const;

export type Code = keyof typeof codes;

/** Responds with an `ApiError`. Rethrows other errors, because they are bugs in the sandbox. */
export function respondWithError(error: unknown, c: Context): Response {
  if (error instanceof ApiError) return c.json({ detail: error.detail }, error.status);
  throw error;
}
