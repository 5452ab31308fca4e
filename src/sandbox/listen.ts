import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Fetch } from './server.ts';

/** Nobody outside of this machine is to spend the play money. */
export const HOST = '127.0.0.1';

/** Serves `fetch` to this machine alone; port 0 is any free one. */
export async function listen(fetch: Fetch, port: number): Promise<{ port: number; server: Server }> {
  const server = createAdaptorServer({ fetch }) as Server;
  server.listen(port, HOST);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}
