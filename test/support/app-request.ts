import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { App } from '../../src/app.ts';

/** Passes a request to the app without a server. */
export async function requestApp(app: App, request: Request): Promise<Response> {
  const { method } = request;
  const url = new URL(request.url).pathname;
  const headers = Object.fromEntries(request.headers);
  const body = Buffer.from(await request.clone().arrayBuffer());
  const incoming = Object.assign(Readable.from([body]), { method, url, headers });
  return new Promise((resolve) => {
    let response: ResponseInit;
    const outgoing = {
      writeHead(status: number, headers: Record<string, string>) {
        response = { status, headers };
        return outgoing;
      },
      end: () => resolve(new Response(null, response)),
    };
    const isUpdate = app.receiveUpdate?.(
      incoming as unknown as IncomingMessage,
      outgoing as unknown as ServerResponse,
    );
    if (!isUpdate) resolve(app.fetch(request));
  });
}
