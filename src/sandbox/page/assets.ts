import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Hono } from 'hono';
import { symbolFonts } from './fonts.ts';
import { joinModules, joinStyles, type Read } from './join.ts';

const FOLDER = new URL('./', import.meta.url);

/** What a browser may have of this folder. */
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

/** What the page asks for itself; all other modules and style sheets are in these. */
const JOINED: Readonly<Record<string, (path: string, read: Read) => string>> = {
  'main.js': joinModules,
  'style/page.css': joinStyles,
};

/** The chat page at `/` and its files at `/page/…`, read once, but for its fonts: few are asked for, and then kept. */
export function servePage(): Hono {
  const page = new Hono();
  const read: Read = (path) => readFileSync(new URL(path, FOLDER), 'utf8');
  const index = read('index.html');
  page.get('/', (c) => c.html(index, 200, HEADERS));
  for (const path of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const type = CONTENT_TYPES[extname(path)];
    if (type === undefined) continue;
    const content = JOINED[path]?.(path, read) ?? read(path);
    page.get(`/page/${path}`, (c) => c.body(content, 200, { ...HEADERS, 'content-type': type }));
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
