import type { Context } from 'hono';

/** What the body of an error carries: words, or a code with words. Section 7 shows the first only. */
type Detail = string | { error: { code: string; message: string } };

/** A request that is answered with an error. */
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

/** The detail of an error that has a code. */
export function coded(code: string, message: string): Detail {
  return { error: { code, message } };
}

/** Answers a refusal; any other error is a fault of the sandbox's own and goes on. */
export function answerRefusal(error: unknown, c: Context): Response {
  if (error instanceof Refusal) return c.json({ detail: error.detail }, error.status);
  throw error;
}
