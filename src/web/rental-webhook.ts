import { Hono } from 'hono';
import type { Hook } from '../accounts/event-hooks.ts';
import { bodyUpTo } from './body-up-to.ts';
import { createRate } from './rate.ts';

export interface RentalWebhook {
  /** Ends in the part that can't be guessed. */
  path: `/${string}/:hook`;
  /** The header that carries the signature. */
  signatureHeader: string;
  now: () => number;
  /** What is taken there, if anything: asked before a body is read. */
  find(path: string): Promise<Hook | undefined>;
  /** Gets the bytes as they came, for the signature is of those. */
  receive(hook: Hook, rawBody: Uint8Array, signature: string | undefined): Promise<'taken' | 'refused'>;
  /** It was refused before that: for its path, its rate or its size. */
  refused(why: 'hook' | 'rate' | 'size', path?: string): void;
}

const MAX_BODY_BYTES = 64 * 1024;
/** Ours have 43 characters. */
const MAX_HOOK_LENGTH = 100;
const PER_SECOND = 50;

/**
 * Where the rental service posts events (section 6 of the specification). Whatever isn't accepted gets the answer
 * of a path that doesn't exist, which tells nothing about why; what is too much for now is to be sent again.
 */
export function rentalWebhook({ path, signatureHeader, now, find, receive, refused }: RentalWebhook) {
  const endpoint = new Hono<{ Variables: { hook: Hook } }>();
  const hasRoom = createRate({ perSecond: PER_SECOND, now });
  endpoint.post(path, async (c, next) => {
    const name = c.req.param('hook');
    // Said before it is looked up whose it is, so that nobody learns by it whether it is anybody's.
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
