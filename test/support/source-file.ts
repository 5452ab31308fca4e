import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

export interface SourceFile {
  /** Path from the project's root, with slashes. */
  path: string;
  text: string;
  /** Text without comments and template literals. */
  code: string;
  imports: SourceImport[];
}

export interface SourceImport {
  /** Module specifier as it is written. */
  from: string;
  /** Resolved path from the project's root, or undefined for a package. */
  path: string | undefined;
  typeOnly: boolean;
}

/** Reads all files below `folder` of the project whose names match `ending`. */
export function readSources(folder: string, ending: RegExp): SourceFile[] {
  const root = join(import.meta.dirname, '../..');
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => sourceFile(relative(root, file).split(sep).join('/'), readFileSync(file, 'utf8')));
}

export function sourceFile(path: string, text: string): SourceFile {
  const code = text.replace(TOKEN, (token) => {
    if (token.startsWith('/*') || token.startsWith('//')) return '';
    return token.startsWith('`') ? '``' : token;
  });
  return { path, text, code, imports: importsOf(path, code) };
}

/** Matches comments, strings, templates and regular expressions. Each can contain what looks like the start of another. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^\\`])*`|(?<=[=(,:[!&|?{};\n]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/g;

const IMPORT =
  /^(?:import|export)\b(?<type>\s+type\b(?!\s*from\b))?(?:[^'";=()]*?\bfrom)?\s*['"](?<from>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

function importsOf(path: string, code: string): SourceImport[] {
  return [...code.matchAll(IMPORT)].map(({ groups }) => {
    const from = groups?.from ?? groups?.dynamic ?? '';
    return {
      from,
      path: from.startsWith('.') ? posix.join(dirname(path), from) : undefined,
      typeOnly: groups?.type !== undefined,
    };
  });
}
