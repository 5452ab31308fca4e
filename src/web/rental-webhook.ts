import { Hono } from 'hono';
import { bodyUpTo } from './body-up-to.ts';
import { createRate } from './rate.ts';

export interface RentalWebhook {
  /** Ends in the part that can't be guessed. */
  path: `/${string}/:hook`;
  /** The header that carries the signature. */
  signatureHeader: string;
  now: () => number;
  /** Whether anything is taken there: asked before a body is read. */
  isKnown(hook: string): Promise<boolean>;
  /** Gets the bytes as they came, for the signature is of those. `busy`: it is to come again. */
  receive(
    hook: string,
    rawBody: Uint8Array,
    signature: string | undefined,
  ): Promise<'accepted' | 'refused' | 'busy'>;
}

const MAX_BODY_BYTES = 64 * 1024;
/** Ours have 43 characters. */
const MAX_HOOK_LENGTH = 100;
const PER_SECOND = 50;

/**
 * Where the rental service posts events (section 6 of the specification). Whatever isn't accepted gets the answer
 * of a path that doesn't exist, which tells nothing about why; what is too much for now is to be sent again.
 */
export function rentalWebhook({ path, signatureHeader, now, isKnown, receive }: RentalWebhook): Hono {
  const endpoint = new Hono();
  const hasRoom = createRate({ perSecond: PER_SECOND, now });
  endpoint.post(path, async (c, next) => {
    const hook = c.req.param('hook');
    if (hook.length > MAX_HOOK_LENGTH) return c.notFound();
    if (!hasRoom(hook)) return c.body(null, 429, { 'Retry-After': '1' });
    return (await isKnown(hook)) ? next() : c.notFound();
  });
  endpoint.post(path, bodyUpTo(MAX_BODY_BYTES));
  endpoint.post(path, async (c) => {
    const rawBody = new Uint8Array(await c.req.arrayBuffer());
    const verdict = await receive(c.req.param('hook'), rawBody, c.req.header(signatureHeader));
    if (verdict === 'busy') return c.body(null, 503);
    return verdict === 'accepted' ? c.body(null, 200) : c.notFound();
  });
  return endpoint;
}
