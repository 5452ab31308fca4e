import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';

const NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** Pages that links from other sites may open. The linking site can't read them. */
const DOCUMENTS = ['/', '/api/docs'];
const CONTROL = '/sandbox/';
const MESSAGES = /^\/sandbox\/telegram\/chats\/[^/]+\/messages$/;

/**
 * Middleware that rejects requests of other sites in the same browser:
 * - Rejects unknown host names (DNS rebinding) and other origins.
 * - Requires JSON bodies for the control API, because forms can't send them. A message with a file is an exception.
 *
 * Clients other than browsers send neither `Origin` nor `Sec-Fetch-Site` and are accepted.
 */
export const ownPagesOnly: MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> = async (c, next) => {
  const { protocol, host, hostname, port } = new URL(c.req.url);
  // Decoded, as the router uses it.
  const pathname = c.req.path;
  const listening = c.env.incoming?.socket.localPort;
  if (!NAMES.includes(hostname) || (listening !== undefined && Number(port || 80) !== listening)) {
    return c.json({ error: `The sandbox answers to ${NAMES.join(', ')} and its port only.` }, 403);
  }
  const origin = c.req.header('origin');
  const isForeign = origin !== undefined && origin !== `${protocol}//${host}`;
  if (isForeign || !(isOwnFetch(c) || opensDocument(c, pathname))) {
    return c.json({ error: 'The sandbox answers to its own pages only.' }, 403);
  }
  if (pathname.startsWith(CONTROL) && hasBody(c) && !isJson(c) && !isMessageWithFile(c, pathname)) {
    return c.json({ error: 'Expected a body of the type application/json.' }, 415);
  }
  return next();
};

/** https://www.w3.org/TR/fetch-metadata/ */
function isOwnFetch(c: Context): boolean {
  return ['same-origin', 'none'].includes(c.req.header('sec-fetch-site') ?? 'none');
}

function opensDocument(c: Context, path: string): boolean {
  const isNavigation =
    c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document';
  return c.req.method === 'GET' && isNavigation && DOCUMENTS.includes(path);
}

function hasBody(c: Context): boolean {
  return Number(c.req.header('content-length') ?? 0) > 0 || c.req.header('transfer-encoding') !== undefined;
}

function isMessageWithFile(c: Context, path: string): boolean {
  return MESSAGES.test(path) && /^multipart\/form-data\s*;/i.test(c.req.header('content-type') ?? '');
}

function isJson(c: Context): boolean {
  return /^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '');
}
