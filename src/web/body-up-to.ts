import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';

/**
 * Answers 413 to bodies that are longer, in bytes. Where the length is told, Node sees to it that it isn't exceeded; only
 * else the bytes are counted as they come, for which a web `Request` with a stream is built: half of what an update costs.
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
