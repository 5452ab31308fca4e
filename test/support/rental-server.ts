import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';

export interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
  /** Number of the connection, from 1. */
  connection: number;
}

/** Responds to a request. `answered`: number of earlier requests. */
export type Answer = (res: ServerResponse, request: Received, answered: number) => void;

export interface RentalServer {
  baseUrl: string;
  requests: Received[];
  /** Returns the number of open connections. */
  connections(): Promise<number>;
  /** Returns the number of connections so far. */
  opened(): number;
  closeConnections(): void;
  answerWith(answer: Answer): void;
  close(): Promise<void>;
}

/** Starts a rental service with configurable responses that records its requests. */
export async function startRentalServer(first: Answer): Promise<RentalServer> {
  let answer = first;
  const requests: Received[] = [];
  const connections = new WeakMap<object, number>();
  let opened = 0;
  const server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const connection = connections.get(req.socket) ?? 0;
    const body = Buffer.concat(chunks).toString('utf8');
    const received = { method: req.method, path: req.url, headers: req.headers, body, connection };
    requests.push(received);
    answer(res, received, requests.length - 1);
  });
  server.on('connection', (socket) => {
    opened += 1;
    connections.set(socket, opened);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    requests,
    connections: promisify(server.getConnections.bind(server)),
    opened: () => opened,
    closeConnections: () => server.closeAllConnections(),
    answerWith(next) {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Responds with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return raw(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

/** Responds with exactly this body and these headers. */
export function raw(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (res) => res.writeHead(status, headers).end(body);
}

/** Resets the connection before the first byte of the response. */
export const cutBeforeHead: Answer = (res) => res.socket?.resetAndDestroy();

/** Sends less than the announced content length and closes the connection. */
export const cutMidBody: Answer = (res) => {
  res.writeHead(200, { 'content-length': '500' });
  res.write('{"order_id":', () => res.socket?.destroy());
};

/** Never responds. */
export const hang: Answer = () => {};

/**
 * Returns a URL that refuses connections. An open connection occupies its port as the client's end, so that no other
 * server can listen there.
 */
export async function closedPort(): Promise<string> {
  const server = createTcpServer().unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
  await once(client, 'connect');
  return `http://127.0.0.1:${client.localPort}/api`;
}
