import type { SourceFile, SourceImport } from './source-file.ts';

/** Returns the violations of a rule, one per line, each beginning with the file's path. */
export type Rule = (files: SourceFile[]) => string[];

/** Module layers, lowest first. Imports go to lower layers. From the third layer on, types of the same layer are allowed too. */
const RANKS = [
  ['platform'],
  ['config'],
  ['shutdown'],
  ['rental-api', 'telegram', 'i18n', 'pictures'],
  ['input', 'views'],
  ['accounts', 'operations', 'invoices'],
  ['notifications', 'broadcasts'],
  ['account-events', 'health', 'bot', 'web'],
  ['features'],
  ['stored-data'],
  ['metrics'],
  ['composition', 'rotate-keys'],
  ['app', 'doctor'],
  ['main', 'sandbox'],
];
/** Modules that the top layer may import. The sandbox has its own schemas, so that it can't hide a mistake of the client. */
const FOR_THE_TOP = ['app', 'config', 'platform', 'shutdown'];
const STARTS = [
  'src/main.ts',
  'src/doctor.ts',
  'src/rotate-keys.ts',
  'src/sandbox/demo.ts',
  'src/sandbox/run.ts',
];
/** Composition root, which creates all services. */
const COMPOSITION = 'src/composition.ts';
/** Folder of features that contains what several of them show. */
const SHARED_VIEWS = 'views';
const EMPTY_NAMES = /^(utils?|helpers?|common|managers?|services?|types)$/;

export const rules: Record<string, Rule> = {
  'modules import lower layers only': eachImport(({ path }, target, { typeOnly }) => {
    const [from, to] = [moduleOf(path), moduleOf(target)];
    if (from === to) return undefined;
    const [above, below] = [rankOf(from), rankOf(to)];
    if (above < 0 || below < 0) return `imports ${target}, but one of the two modules is in no layer`;
    const isTop = above === RANKS.length - 1;
    if (isTop) return FOR_THE_TOP.includes(to) ? undefined : `imports ${target}, but may import the app only`;
    if (below < above || (below === above && above > 1 && typeOnly)) return undefined;
    return `imports ${target}, which is not below it`;
  }),

  'there are no import cycles, not even of types': (files) => {
    const targets = new Map(files.map(({ path, imports }) => [path, imports.map((one) => one.path ?? '')]));
    const finished = new Set<string>();
    const follow = (path: string, trail: string[]): string[] => {
      if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(' → ')];
      if (finished.has(path)) return [];
      const circles = (targets.get(path) ?? []).flatMap((target) => follow(target, [...trail, path]));
      finished.add(path);
      return circles;
    };
    return files.flatMap(({ path }) => follow(path, []));
  },

  'imports name an existing file with its extension': (files) => {
    const paths = new Set(files.map(({ path }) => path));
    return eachImport((_, target) =>
      paths.has(target) ? undefined : `imports ${target}, which does not exist`,
    )(files);
  },

  'features do not import each other': eachImport(({ path }, target) => {
    const [from, to] = [featureOf(path), featureOf(target)];
    const isAllowed = from === undefined || to === undefined || to === from || to === SHARED_VIEWS;
    return isAllowed ? undefined : `imports ${target}`;
  }),

  'comments do not refer to documents outside of the repository': eachFile(({ text }) => {
    const named = text.match(/[\w./-]*\b(?:design|facts|architecture|security|operating)\.md\b/g) ?? [];
    return named.filter((name) => !name.startsWith('docs/')).map((name) => `names ${name}`);
  }),

  'bot/context.ts contains only types': eachFile((file) => {
    if (file.path !== 'src/bot/context.ts') return [];
    const values = file.code
      .split('\n')
      .filter((line) => !/^(import type|export type|(export )?(interface|type)|\s|[)}\]]|$)/.test(line));
    return values.map((line) => `holds ${line}`);
  }),

  'only config.ts reads the environment': eachFile(({ path, code }) =>
    path !== 'src/config.ts' && /\bprocess\s*\.\s*env\b|\benv\b[^;]*\bfrom 'node:process'/.test(code)
      ? ['reads process.env']
      : [],
  ),

  'files and folders have meaningful names in kebab-case': (files) =>
    files.flatMap(({ path }) => {
      const names = path.split('/').map((name) => name.replace(/\.(ts|js)$/, ''));
      const wrong = names.filter(
        (name) =>
          !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ||
          name === 'index' ||
          (EMPTY_NAMES.test(name.split('-').at(-1) ?? '') && path !== COMPOSITION),
      );
      return wrong.map((name) => `${path}: ${name} is not a valid name`);
    }),

  'there are no default exports and no `export *`': eachFile(({ code }) => [
    ...(/^export default\b|^export \{[^}]*\bas default\b/m.test(code) ? ['has a default export'] : []),
    ...(/^export (type )?\*/m.test(code) ? ['re-exports another file with *'] : []),
  ]),

  'imports have no side effects': eachFile(({ path, code }) => {
    if (STARTS.includes(path)) return [];
    return code
      .split('\n')
      .filter(acts)
      .map((line) => `has a side effect at import: ${line}`);
  }),
};

/** Returns whether an unindented line is not a declaration. A formatted file indents everything else. */
function acts(line: string): boolean {
  const isDeclaration =
    /^(import\b(?!\s*['"(])|export (?!let\b|var\b)|const\b|(async )?function\b|(abstract )?class\b|interface\b|type\b|declare\b)/;
  if (/^(export )?const [^=]*=\s*await\b/.test(line)) return true;
  return !/^(\s|[)}\]]|$)/.test(line) && !isDeclaration.test(line);
}

function eachFile(violations: (file: SourceFile) => string[]): Rule {
  return (files) =>
    files
      .filter(({ path }) => path.endsWith('.ts'))
      .flatMap((file) => violations(file).map((text) => `${file.path}: ${text}`));
}

function eachImport(
  violation: (file: SourceFile, target: string, one: SourceImport) => string | undefined,
): Rule {
  return eachFile((file) =>
    file.imports.flatMap((one) => (one.path && violation(file, one.path, one)) || []),
  );
}

function moduleOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

/** Returns the file or folder of a feature, or `undefined` for other modules and for the list of all features. */
function featureOf(path: string): string | undefined {
  const name = /^src\/features\/([^/]+)/.exec(path)?.[1]?.replace(/\.ts$/, '');
  return name === 'features' ? undefined : name;
}

function rankOf(module: string): number {
  return RANKS.findIndex((modules) => modules.includes(module));
}
