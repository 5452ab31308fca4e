import { onTestFinished } from 'vitest';
import { createWeb, type WebOptions } from '../../src/web/server.ts';
import { startListener } from '../support/http-server.ts';
import { recordingLog } from '../support/log-lines.ts';

/** Readiness of a healthy replica. */
export const READY = {
  version: '1.2.3',
  isReady: true,
  phase: 'running',
  failing: {},
} as const;

/** Starts the bot's web server with the given parts. It stops when the test ends. */
export async function serveWeb(parts: Partial<WebOptions>) {
  const lines = recordingLog();
  const defaults = { log: lines.log, readiness: () => READY, isOpen: () => true };
  const server = await startListener(createWeb({ ...defaults, ...parts }).listener);
  onTestFinished(server.close);
  return {
    lines,
    get: (path: string) => fetch(server.origin + path),
    post: (path: string, body: RequestInit['body'], headers: Record<string, string> = {}) =>
      fetch(server.origin + path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit),
  };
}

/** Returns everything that a client can see of a response, except for the date. */
export async function visibleParts(response: Response) {
  const headers = Object.fromEntries(response.headers);
  delete headers.date;
  return { status: response.status, headers, body: await response.text() };
}
