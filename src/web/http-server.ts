import type { Server, ServerOptions } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';

/** How long a client may take, in milliseconds, and how many there may be. */
export interface ServerLimits {
  headersMs: number;
  /** For the whole request, its body too. */
  requestMs: number;
  /** How often what is overdue is looked for. */
  lookMs: number;
  keepAliveMs: number;
  connections: number;
}

const LIMITS: ServerLimits = {
  headersMs: 5_000,
  // Telegram and the service send some kilobytes at once, and wait about as long for the answer.
  requestMs: 10_000,
  lookMs: 1_000,
  // Longer than the 60 s for which proxies keep theirs, so that none sends into a connection that is being closed.
  keepAliveMs: 65_000,
  // Ten times the 40 that Telegram opens at most; with events of 64 KB each, 25 MB are waited for at worst.
  connections: 400,
};

/** Node's HTTP server for this app, which nobody fills with half-sent requests. */
export function createHttpServer(
  fetch: (request: Request) => Promise<Response>,
  limits: Partial<ServerLimits> = {},
): Server {
  const { headersMs, requestMs, lookMs, keepAliveMs, connections } = { ...LIMITS, ...limits };
  const serverOptions: ServerOptions = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: lookMs,
    keepAliveTimeout: keepAliveMs,
  };
  const server = createAdaptorServer({ fetch, serverOptions }) as Server;
  server.maxConnections = connections;
  // Whoever only holds connections makes room for who has something to say: seldom, as a request may just be on its way.
  server.on('connection', () =>
    server.getConnections((_, count) => {
      if (count > (3 / 4) * connections) server.closeIdleConnections();
    }),
  );
  return server;
}
