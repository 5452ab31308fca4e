import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';

/** Serves `fetch` on a free port of this machine. */
export async function startHttpServer(fetch: (request: Request) => Response | Promise<Response>) {
  return startListener(getRequestListener(fetch));
}

export async function startListener(listener: RequestListener) {
  const server = createServer(listener);
  // Prevents requests from failing because their idle connection is closed at the same time.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    server,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
