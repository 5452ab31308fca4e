import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

/** Time limits of clients, in milliseconds, and the maximum number of connections. */
export interface ServerLimits {
  /** Timeout for receiving a whole request, headers and body. */
  requestMs: number;
  /** Interval of the check for overdue requests. */
  lookMs: number;
  keepAliveMs: number;
  connections: number;
}

const LIMITS: ServerLimits = {
  // Telegram and the service send a few kilobytes without delay.
  requestMs: 3_000,
  lookMs: 1_000,
  // Longer than the 60 s of proxies, so that no proxy sends a request to a connection that is being closed.
  keepAliveMs: 65_000,
  // More than four times Telegram's maximum of 40. A half-sent event of 64 KB takes a third of a megabyte in Node. With 1,500
  // of them the process must stay below 200 MB (`npm run forge`).
  connections: 180,
};

/** Creates Node's HTTP server. Half-sent requests can't use up its connections. */
export function createHttpServer(
  fetch: (request: Request) => Promise<Response>,
  limits: Partial<ServerLimits> = {},
): Server {
  const { requestMs, lookMs, keepAliveMs, connections } = { ...LIMITS, ...limits };
  const serverOptions: ServerOptions = {
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: lookMs,
    keepAliveTimeout: keepAliveMs,
  };
  const server = createAdaptorServer({ fetch, serverOptions }) as Server;
  server.maxConnections = connections;
  keepPlace(server, connections);
  return server;
}

/**
 * Keeps one connection free for the next client. If necessary, closes the oldest connection that is idle or has an incomplete
 * request. Never closes a connection with a response in progress.
 */
function keepPlace(server: Server, connections: number): void {
  /** Connections with the response to their latest request, in the order of these requests. */
  const clients = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket: Socket) => {
    if (clients.size >= connections - 1) findUnanswered(clients)?.destroy();
    clients.set(socket, undefined);
    socket.once('close', () => clients.delete(socket));
  });
  server.on('request', ({ socket }, answer) => {
    clients.delete(socket);
    clients.set(socket, answer);
  });
}

function findUnanswered(clients: ReadonlyMap<Socket, ServerResponse | undefined>): Socket | undefined {
  for (const [socket, answer] of clients) {
    const isAnswering = answer?.req.complete && !answer.writableEnded;
    if (!isAnswering) return socket;
  }
  return undefined;
}
