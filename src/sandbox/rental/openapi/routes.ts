import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { openApiDocument } from '../openapi.ts';

const FOLDER = new URL('./page/', import.meta.url);

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const FILES = [
  ['/docs', 'docs.html', 'text/html; charset=utf-8'],
  ['/docs/docs.css', 'docs.css', 'text/css; charset=utf-8'],
  ['/docs/docs.js', 'docs.js', 'text/javascript; charset=utf-8'],
  ['/docs/schema.js', 'schema.js', 'text/javascript; charset=utf-8'],
] as const;

/** Serves the OpenAPI document at `/openapi.json` and its page at `/docs`. Neither requires an API key. */
export function serveOpenApi(): Hono {
  const routes = new Hono();
  // Created on first request: most sandboxes never need it, and creating it takes longer than the rest of the startup.
  let document: ReturnType<typeof openApiDocument> | undefined;
  routes.get('/openapi.json', (c) => {
    document ??= openApiDocument();
    return c.json(document, 200, HEADERS);
  });
  for (const [path, name, type] of FILES) {
    const content = readFileSync(new URL(name, FOLDER), 'utf8');
    routes.get(path, (c) => c.body(content, 200, { ...HEADERS, 'content-type': type }));
  }
  return routes;
}
