import type { Context } from 'hono';

/** `detail` of an error response: a text, or a code with a text. Section 7 documents only the first. */
type Detail = string | { error: { code: string; message: string } };

/** Error response to a request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429;
  readonly detail: Detail;

  constructor(status: Refusal['status'], detail: Detail) {
    super(typeof detail === 'string' ? detail : detail.error.message);
    this.status = status;
    this.detail = detail;
  }
}

/** Creates the detail of an error with a code. */
export function coded(code: string, message: string): Detail {
  return { error: { code, message } };
}

/** Responds with a refusal. Rethrows other errors, because they are bugs in the sandbox. */
export function answerRefusal(error: unknown, c: Context): Response {
  if (error instanceof Refusal) return c.json({ detail: error.detail }, error.status);
  throw error;
}
