import type { z } from 'zod';

/**
 * Endpoint of section 4.
 *
 * - `read`: retried automatically.
 * - `change`: sent once. Charges nothing.
 * - `money`: sent once. Accepted only if the response matches the request.
 */
export type Endpoint<Request, Value> = EndpointBase<Request, Value> &
  (
    | { kind: 'read'; method: 'GET' }
    | { kind: 'change'; method: 'POST' }
    | { kind: 'money'; method: 'POST'; echoes(request: Request, value: Value): boolean }
  );

interface EndpointBase<Request, Value> {
  /** Name of the client's method. Also used in logs and for rate limits. */
  name: string;
  /** Path below `{base_url}/v1`, with request fields in braces. */
  path: string;
  /** Requests allowed per minute (section 8). */
  perMinute: number;
  /** Schema of path parameters and body, checked before sending. */
  request: z.ZodType<Request>;
  /** Schema of the documented fields. Additional fields are allowed. */
  response: z.ZodType<Value>;
  /** Returns the values of a request, other than the key, that must not appear in messages. */
  secrets?(request: Request): string[];
}
