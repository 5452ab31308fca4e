import { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';

/** Destroys the connection of a request. Responds with 500 if there is none (`app.fetch` without a server). */
export function cut(c: Context): Response {
  const outgoing = outgoingOf(c);
  if (!outgoing) return c.json({ detail: 'No connection to cut: serve this with @hono/node-server' }, 500);
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Resolves when the client has disconnected or `signal` is aborted. */
export async function untilGone(c: Context, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const end of [c.req.raw.signal, signal]) {
      if (end.aborted) resolve();
      end.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}

function outgoingOf(c: Context): ServerResponse | undefined {
  const { outgoing } = (c.env ?? {}) as { outgoing?: unknown };
  return outgoing instanceof ServerResponse ? outgoing : undefined;
}
