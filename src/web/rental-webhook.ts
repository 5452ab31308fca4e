import { Hono } from 'hono';
import type { Hook } from '../accounts/webhook-subscriptions.ts';
import { bodyUpTo } from './body-up-to.ts';
import { createRate } from './rate.ts';

export interface RentalWebhook {
  /** Path that ends in the secret part. */
  path: `/${string}/:hook`;
  /** Name of the signature header. */
  signatureHeader: string;
  now: () => number;
  /** Returns the hook of a secret path, if it exists. Called before the body is read. */
  find(path: string): Promise<Hook | undefined>;
  /** Receives the raw body, because the signature covers its bytes. */
  receive(hook: Hook, rawBody: Uint8Array, signature: string | undefined): Promise<'taken' | 'refused'>;
  /** Called if a request is rejected because of its path, its rate or its size. */
  refused(why: 'hook' | 'rate' | 'size', path?: string): void;
}

const MAX_BODY_BYTES = 64 * 1024;
/** Maximum length of a secret path. Ours have 43 characters. */
const MAX_HOOK_LENGTH = 100;
const PER_SECOND = 50;

/**
 * Serves the endpoint for events of the rental service (section 6 of the specification). Rejected requests get the response
 * of an unknown path, which reveals no reason. Requests above the rate or size limit get 429 or 413.
 */
export function rentalWebhook({ path, signatureHeader, now, find, receive, refused }: RentalWebhook) {
  const endpoint = new Hono<{ Variables: { hook: Hook } }>();
  const hasRoom = createRate({ perSecond: PER_SECOND, now });
  endpoint.post(path, async (c, next) => {
    const name = c.req.param('hook');
    // Checked before the lookup, so that the response doesn't reveal whether the hook exists.
    if (Number(c.req.header('Content-Length') ?? 0) > MAX_BODY_BYTES) {
      refused('size');
      return c.body(null, 413);
    }
    if (name.length > MAX_HOOK_LENGTH) {
      refused('hook');
      return c.notFound();
    }
    if (!hasRoom(name)) {
      refused('rate', name);
      return c.body(null, 429, { 'Retry-After': '1' });
    }
    const hook = await find(name);
    if (hook === undefined) return c.notFound();
    c.set('hook', hook);
    return next();
  });
  endpoint.post(
    path,
    bodyUpTo(MAX_BODY_BYTES, () => refused('size')),
  );
  endpoint.post(path, async (c) => {
    const rawBody = new Uint8Array(await c.req.arrayBuffer());
    const verdict = await receive(c.get('hook'), rawBody, c.req.header(signatureHeader));
    return verdict === 'taken' ? c.body(null, 200) : c.notFound();
  });
  return endpoint;
}
