import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

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

export interface SymbolFonts {
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
