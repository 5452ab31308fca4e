import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { Hono } from 'hono';

/** Font file of a package and the characters that it is used for. */
interface Part {
  name: string;
  ranges: string;
  path: string;
  /** Local fonts that are preferred. */
  instead?: readonly string[];
}

/** Common family name, as used in `style/base.css`. */
const FAMILY = 'Page Symbols';
/** Package whose font is split into files. Its style sheet lists the characters of each file. */
const EMOJI = '@fontsource/noto-emoji';
/** Local colour fonts. Without a `unicode-range` they would also draw digits and spaces, much too wide. */
const COLOURED = ['Apple Color Emoji', 'Segoe UI Emoji', 'Noto Color Emoji'];
/** Fonts of symbols that aren't emoji: arrows, operators and shapes. */
const SHAPES = [
  {
    packageName: '@fontsource/noto-sans-math',
    name: 'noto-sans-math-latin-400-normal.woff2',
    ranges: 'U+2190-22FF,U+27C0-27EF,U+2900-2AFF',
  },
  {
    packageName: '@fontsource/noto-sans-symbols-2',
    name: 'noto-sans-symbols-2-symbols-400-normal.woff2',
    ranges: 'U+2300-23FF,U+25A0-27BF,U+2B00-2BFF',
  },
];
/** First code point of symbols. Lower ones use the font of the text. */
const FIRST_SYMBOL = 0x2100;
/** Emoji variation selector. All files contain it, so each use would load all of them. */
const VARIATION = 0xfe0f;

interface SymbolFonts {
  /** Style sheet with a rule for each file. */
  css: string;
  names: string[];
  read(name: string): Uint8Array<ArrayBuffer>;
}

/** Returns the fallback fonts for symbols. A browser loads only the files that it needs, usually none. */
export function symbolFonts(): SymbolFonts {
  const { resolve } = createRequire(import.meta.url);
  const shapes = SHAPES.map(({ packageName, ...part }) => ({
    ...part,
    path: resolve(`${packageName}/files/${part.name}`),
  }));
  /* If two fonts have a character, the browser uses the later one. */
  const parts = [...shapes, ...emoji(resolve)];
  const paths = new Map(parts.map(({ name, path }) => [name, path]));
  return {
    css: parts.map(face).join('\n'),
    names: [...paths.keys()],
    read: (name) => new Uint8Array(readFileSync(paths.get(name) ?? name)),
  };
}

function emoji(resolve: (path: string) => string): Part[] {
  const sheet = readFileSync(resolve(`${EMOJI}/400.css`), 'utf8');
  const faces = sheet.matchAll(/url\(\.\/files\/([\w-]+\.woff2)\)[^}]*unicode-range:\s*([^;}]+)/g);
  return [...faces].map(([, name = '', all = '']) => ({
    name,
    ranges: all.split(',').filter(isOfSymbols).join(','),
    path: resolve(`${EMOJI}/files/${name}`),
    instead: COLOURED,
  }));
}

function isOfSymbols(range: string): boolean {
  const first = Number.parseInt(range.replace(/^\s*U\+/i, ''), 16);
  return first >= FIRST_SYMBOL && first !== VARIATION;
}

/** Returns the `@font-face` rule. `font-display: block` hides a symbol until its font is loaded. */
function face({ name, ranges, instead = [] }: Part): string {
  const sources = [
    ...instead.map((font) => `local("${font}")`),
    `url("/page/fonts/${name}") format("woff2")`,
  ];
  return `@font-face{font-family:"${FAMILY}";font-display:block;src:${sources.join()};unicode-range:${ranges}}`;
}

const bundled = new Map<string, string>();

/**
 * Bundles a module or style sheet of this folder with its imports. Otherwise dozens of requests would dominate the page's
 * load time. The bundle is built on first use.
 */
function bundle(path: string): string {
  const text = bundled.get(path) ?? build(path);
  bundled.set(path, text);
  return text;
}

function build(path: string): string {
  const entry = fileURLToPath(new URL(path, import.meta.url));
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    charset: 'utf8',
    external: ['/page/*'],
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

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
