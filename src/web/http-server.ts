import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { SECOND_MS } from '../platform/clock.ts';

/** Time limits of clients, in milliseconds, and the maximum number of connections. */
export type ServerLimits = typeof LIMITS;

const LIMITS = {
  /** Timeout for receiving headers and body. Telegram and the service send a few kilobytes without delay. */
  requestMs: 3_000,
  checkIntervalMs: 1_000,
  /** Longer than the 60 s of proxies, so that no proxy sends a request to a connection that is being closed. */
  keepAliveMs: 65_000,
  /**
   * More than four times Telegram's maximum of 40. A half-sent event of 64 KB takes a third of a megabyte in Node. With 1,500
   * of them the process must stay below 200 MB (`npm run forge`).
   */
  connections: 180,
};

/** Creates Node's HTTP server. Half-sent requests can't use up its connections. */
export function createHttpServer(listener: RequestListener, limits: Partial<ServerLimits> = {}): Server {
  const { requestMs, checkIntervalMs, keepAliveMs, connections } = { ...LIMITS, ...limits };
  const options = {
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkIntervalMs,
    keepAliveTimeout: keepAliveMs,
  };
  const server = createServer(options, listener);
  server.maxConnections = connections;
  keepConnectionFree(server, connections);
  return server;
}

/**
 * Keeps one connection free for the next client. If necessary, closes the oldest connection that is idle or has an incomplete
 * request. Never closes a connection with a response in progress.
 */
function keepConnectionFree(server: Server, connections: number): void {
  /** Connections with the response to their latest request, in the order of these requests. */
  const clients = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket: Socket) => {
    if (clients.size >= connections - 1) findIdleConnection(clients)?.destroy();
    clients.set(socket, undefined);
    socket.once('close', () => clients.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    clients.delete(socket);
    clients.set(socket, response);
  });
}

function findIdleConnection(clients: ReadonlyMap<Socket, ServerResponse | undefined>): Socket | undefined {
  for (const [socket, response] of clients) {
    const isResponding = response?.req.complete && !response.writableEnded;
    if (!isResponding) return socket;
  }
  return undefined;
}

/**
 * Returns a middleware that rejects bodies longer than `maxSize` bytes. If the length is declared, Node enforces
 * it. Otherwise the bytes are counted, which needs a web `Request` with a stream: half of the cost of an update.
 */
export function limitBody(maxSize: number, reject: (c: Context) => Response): MiddlewareHandler {
  const countBytes = bodyLimit({ maxSize, onError: reject });
  return async (c, next) => {
    const length = c.req.header('Content-Length');
    if (length === undefined || c.req.header('Transfer-Encoding') !== undefined) return countBytes(c, next);
    return Number(length) <= maxSize ? next() : reject(c);
  };
}

/** Maximum number of counted names. Clients can invent names, which must not fill the memory. */
const MAX_NAMES = 10_000;

/** Creates an in-memory rate limiter. It counts a call under its name and returns whether the call is allowed. */
export function createCallLimiter({ perSecond, now }: { perSecond: number; now: () => number }) {
  const counts = new Map<string, number>();
  let second = 0;
  return (name: string): boolean => {
    const current = Math.floor(now() / SECOND_MS);
    if (current !== second || counts.size >= MAX_NAMES) counts.clear();
    second = current;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= perSecond;
  };
}
