import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Received {
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/**
 * Starts a server that receives webhooks. It responds with `statuses` in turn and then repeats the last one. 0 means
 * no response.
 */
export async function receiveWebhooks(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    if (status === 0) return;
    response.writeHead(status ?? 200, { location: '/elsewhere' }).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received };
}
