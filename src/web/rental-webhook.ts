import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';

export interface RentalWebhook {
  /** Ends in the part that can't be guessed. */
  path: `/${string}/:hook`;
  /** The header that carries the signature. */
  signatureHeader: string;
  /** Gets the bytes as they came, for the signature is of those. `busy`: it is to come again. */
  receive(
    hook: string,
    rawBody: Uint8Array,
    signature: string | undefined,
  ): Promise<'accepted' | 'refused' | 'busy'>;
}

const MAX_BODY_BYTES = 256 * 1024;

/**
 * Where the rental service posts events (section 6 of the specification). Whatever isn't accepted gets the answer
 * of a path that doesn't exist, which tells nothing about why.
 */
export function rentalWebhook({ path, signatureHeader, receive }: RentalWebhook): Hono {
  const endpoint = new Hono();
  endpoint.post(path, bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => c.notFound() }));
  endpoint.post(path, async (c) => {
    const rawBody = new Uint8Array(await c.req.arrayBuffer());
    const verdict = await receive(c.req.param('hook'), rawBody, c.req.header(signatureHeader));
    if (verdict === 'busy') return c.body(null, 503);
    return verdict === 'accepted' ? c.body(null, 200) : c.notFound();
  });
  return endpoint;
}
