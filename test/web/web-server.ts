import { onTestFinished } from 'vitest';
import { createWeb, type WebOptions } from '../../src/web/server.ts';
import { startHttpServer } from '../support/http-server.ts';
import { recordingLog } from '../support/log-lines.ts';

/** Readiness of a healthy replica. */
export const READY = {
  version: '1.2.3',
  isReady: true,
  isOpen: true,
  phase: 'running',
  failing: {},
} as const;

/** Starts the bot's web server with the given parts. It stops when the test ends. */
export async function serveWeb(parts: Partial<WebOptions>) {
  const lines = recordingLog();
  const server = await startHttpServer(createWeb({ log: lines.log, readiness: () => READY, ...parts }).fetch);
  onTestFinished(server.close);
  return {
    lines,
    get: (path: string) => fetch(server.origin + path),
    post: (path: string, body: RequestInit['body'], headers: Record<string, string> = {}) =>
      fetch(server.origin + path, { method: 'POST', body, headers }),
  };
}

/** Returns everything that a client can see of a response, except for the date. */
export async function visibleParts(response: Response) {
  const headers = Object.fromEntries(response.headers);
  delete headers.date;
  return { status: response.status, headers, body: await response.text() };
}
