import { posix } from 'node:path';

/** Reads one of the page's files, by its path in the folder. */
export type Read = (path: string) => string;

const IMPORT = /^import \{([^}]*)\} from '(\.[^']+)';$/gm;
const EXPORT = /^export ((?:async )?function|const) (\w+)/gm;
const LEFT = /^(?:import|export)\b.*/m;
const STYLE_IMPORT = /^@import "([^/"]+)" layer\((\w+)\);$/gm;

/**
 * A module and all that it imports as one, each in a scope of its own, in the order in which a browser would run them: dozens of
 * requests cost it more than all else that the page does at its start. Of imports and exports it knows those by name.
 */
export function joinModules(entry: string, read: Read): string {
  const met = new Set<string>();
  const scopes: string[] = [];

  const add = (path: string) => {
    if (met.has(path)) return;
    met.add(path);
    const exported: string[] = [];
    const body = read(path)
      .replace(IMPORT, (_, names: string, from: string) => {
        const target = posix.join(posix.dirname(path), from);
        add(target);
        return `const {${names.replaceAll(' as ', ': ')}} = modules['${target}'];`;
      })
      .replace(EXPORT, (_, kind: string, name: string) => {
        exported.push(name);
        return `${kind} ${name}`;
      });
    const left = LEFT.exec(body);
    if (left) throw new Error(`${path} can't be joined: ${left[0]}`);
    scopes.push(`modules['${path}'] = (() => {\n${body}\nreturn { ${exported.join(', ')} };\n})();\n`);
  };

  add(entry);
  return `const modules = {};\n${scopes.join('\n')}`;
}

/** A style sheet with those that it imports from beside it, each in the layer that it is imported into. */
export function joinStyles(entry: string, read: Read): string {
  return read(entry).replace(
    STYLE_IMPORT,
    (_, name: string, layer: string) => `@layer ${layer} {\n${read(posix.join(posix.dirname(entry), name))}}`,
  );
}
