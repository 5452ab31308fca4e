import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';

/**
 * Returns a middleware that responds with 413 to bodies longer than `maxSize` bytes. If the length is declared, Node enforces
 * it. Otherwise the bytes are counted, which needs a web `Request` with a stream: half of the cost of an update.
 */
export function bodyUpTo(maxSize: number, tooLong: () => void = () => {}): MiddlewareHandler {
  const refuse = (c: Context) => {
    tooLong();
    return c.body(null, 413);
  };
  const counted = bodyLimit({ maxSize, onError: refuse });
  return async (c, next) => {
    const length = c.req.header('Content-Length');
    if (length === undefined || c.req.header('Transfer-Encoding') !== undefined) return counted(c, next);
    return Number(length) <= maxSize ? next() : refuse(c);
  };
}
