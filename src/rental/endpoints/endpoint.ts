import type { z } from 'zod';

/**
 * An endpoint of section 4.
 *
 * - `read`: tried again by itself.
 * - `change`: sent once; charges nothing by itself.
 * - `money`: sent once, and accepted only if the answer echoes what was asked.
 */
export type Endpoint<Request, Value> = EndpointBase<Request, Value> &
  (
    | { kind: 'read'; method: 'GET' }
    | { kind: 'change'; method: 'POST' }
    | { kind: 'money'; method: 'POST'; echoes(request: Request, value: Value): boolean }
  );

interface EndpointBase<Request, Value> {
  /** The client's method; the log and the rate limits know the endpoint by it. */
  name: string;
  /** Below `{base_url}/v1`; a field of the request in braces goes into the path. */
  path: string;
  /** Section 8: requests a minute. */
  perMinute: number;
  /** Path parameters and body, checked against the specification's limits before anything is sent. */
  request: z.ZodType<Request>;
  /** The documented fields; more may come. */
  response: z.ZodType<Value>;
  /** What of a request must never be in a message, beside the key. */
  secrets?(request: Request): string[];
}
