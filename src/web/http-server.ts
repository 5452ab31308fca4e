import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

/** How long a client may take, in milliseconds, and how many there may be. */
export interface ServerLimits {
  /** For the whole request: its headers and its body. */
  requestMs: number;
  /** How often what is overdue is looked for. */
  lookMs: number;
  keepAliveMs: number;
  connections: number;
}

const LIMITS: ServerLimits = {
  // Telegram and the service send some kilobytes at once.
  requestMs: 3_000,
  lookMs: 1_000,
  // Longer than the 60 s for which proxies keep theirs, so that none sends into a connection that is being closed.
  keepAliveMs: 65_000,
  // Four times the 40 that Telegram opens at most: half-sent events of 64 KB take a third of a megabyte each, as Node reads
  // them, and 1,500 of them are to leave the process below 200 MB (`npm run forge`).
  connections: 180,
};

/** Node's HTTP server for this app, which nobody fills with half-sent requests. */
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
 * Keeps a place for who comes next: a client whose request isn't whole, or who asks nothing, goes for it, never one whose
 * request is being answered. Who began longest ago goes first: who sends a request at once is heard before its turn comes.
 */
function keepPlace(server: Server, connections: number): void {
  /** Each with the answer to its latest request, in the order in which those began. */
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
