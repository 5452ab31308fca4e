import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A font file of a package, and the characters that it is asked for. */
interface Part {
  name: string;
  ranges: string;
  path: string;
  /** Fonts of the machine that are taken instead. */
  instead?: readonly string[];
}

/** As `style/base.css` calls all of them together. */
const FAMILY = 'Page Symbols';
/** It is cut in parts, whose style sheet says which character is in which. */
const EMOJI = '@fontsource/noto-emoji';
/** They have colours. Of their own accord they would draw digits and spaces as well, much too wide. */
const COLOURED = ['Apple Color Emoji', 'Segoe UI Emoji', 'Noto Color Emoji'];
/** What isn't an emoji: arrows and operators, and the many shapes after them. */
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
/** Letters, digits and punctuation are the business of the text's own font. */
const FIRST_SYMBOL = 0x2100;
/** It makes an emoji of the character before it. Every part has it, and all would be loaded for its sake. */
const VARIATION = 0xfe0f;

export interface SymbolFonts {
  /** The style sheet that names them. */
  css: string;
  names: string[];
  read(name: string): Uint8Array<ArrayBuffer>;
}

/**
 * The fonts that draw symbols where the machine can't. A browser asks only for those parts of them that it needs, which on most
 * machines is none.
 */
export function symbolFonts(): SymbolFonts {
  const { resolve } = createRequire(import.meta.url);
  const shapes = SHAPES.map(({ packageName, ...part }) => ({
    ...part,
    path: resolve(`${packageName}/files/${part.name}`),
  }));
  /* Of two that have a character the latter draws it. */
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

/** Until its font is there a symbol leaves its place empty: a box that turns into a symbol would be worse. */
function face({ name, ranges, instead = [] }: Part): string {
  const sources = [
    ...instead.map((font) => `local("${font}")`),
    `url("/page/fonts/${name}") format("woff2")`,
  ];
  return `@font-face{font-family:"${FAMILY}";font-display:block;src:${sources.join()};unicode-range:${ranges}}`;
}
