import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export const WEBHOOK_PATH = '/updates';

/** Returns the arguments of a peer: `<file> <port> <Redis URL> <URL of the stand-ins>`. */
export function readArguments() {
  const [port, redisUrl = '', standIns = ''] = process.argv.slice(2);
  return {
    port: Number(port),
    redisUrl,
    telegramRoot: `${standIns}/telegram`,
    rentalRoot: `${standIns}/api/v1`,
  };
}

/** Serves a framework's webhook handler. Tells the parent process when it is listening, and ends with it. */
export function serveWebhook(
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): void {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      process.stderr.write(`${error.message}\n`);
      if (!response.writableEnded) response.writeHead(500).end();
    });
  });
  server.listen(port, '127.0.0.1', () => process.send?.('listening'));
  process.once('disconnect', () => process.exit(0));
}
