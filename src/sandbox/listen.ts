import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Fetch } from './server.ts';

/** Loopback only, so that other machines can't access the sandbox. */
export const HOST = '127.0.0.1';

/** Serves `fetch` on loopback. Port 0 means any free port. */
export async function listen(fetch: Fetch, port: number): Promise<{ port: number; server: Server }> {
  const server = createAdaptorServer({ fetch }) as Server;
  server.listen(port, HOST);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}
