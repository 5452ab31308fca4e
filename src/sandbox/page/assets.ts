import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Hono } from 'hono';
import { bundle } from './bundle.ts';
import { symbolFonts } from './fonts.ts';

const FOLDER = new URL('./', import.meta.url);

/** Content types of the served files. Other files of this folder aren't served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Entry files that are bundled with their imports. */
const BUNDLED: ReadonlySet<string> = new Set(['main.js', 'style/page.css']);

/** Serves the chat page at `/` and its files at `/page/…`. Files are read once, except fonts, which browsers cache. */
export function servePage(): Hono {
  const page = new Hono();
  const read = (path: string) => readFileSync(new URL(path, FOLDER), 'utf8');
  const index = read('index.html');
  page.get('/', (c) => c.html(index, 200, HEADERS));
  for (const path of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const type = CONTENT_TYPES[extname(path)];
    if (type === undefined) continue;
    const headers = { ...HEADERS, 'content-type': type };
    if (BUNDLED.has(path)) page.get(`/page/${path}`, (c) => c.body(bundle(path), 200, headers));
    else {
      const content = read(path);
      page.get(`/page/${path}`, (c) => c.body(content, 200, headers));
    }
  }
  return page.route('/page/fonts', serveFonts());
}

function serveFonts(): Hono {
  const served = new Hono();
  const fonts = symbolFonts();
  served.get('/symbols.css', (c) =>
    c.body(fonts.css, 200, { ...HEADERS, 'content-type': 'text/css; charset=utf-8' }),
  );
  for (const name of fonts.names) {
    const headers = { ...HEADERS, 'content-type': 'font/woff2', 'cache-control': 'max-age=86400' };
    served.get(`/${name}`, (c) => c.body(fonts.read(name), 200, headers));
  }
  return served;
}
