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

/** Responds with an `ApiError`. Rethrows other errors, because they are bugs in the sandbox. */
export function respondWithError(error: unknown, c: Context): Response {
  if (error instanceof ApiError) return c.json({ detail: error.detail }, error.status);
  throw error;
}
