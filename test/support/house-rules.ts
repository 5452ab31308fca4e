import type { SourceFile, SourceImport } from './source-file.ts';

/** What breaks a rule, a line each, beginning with the file's path. */
export type Rule = (files: SourceFile[]) => string[];

/** Who may import whom: downward only, and of the same rank types alone. */
const RANKS = [
  ['config-fields', 'connect', 'keyed-queue', 'or-timeout', 'quiet', 'recent-calls', 'version'],
  ['config', 'log'],
  ['stopping', 'weak-settings'],
  ['rental', 'storage', 'jobs', 'telegram', 'texts'],
  ['accounts', 'operations', 'invoices'],
  ['notices', 'broadcast', 'bot', 'web'],
  ['surroundings'],
  ['renewals'],
  ['incoming', 'foundation', 'forget-me', 'format-check'],
  ['services', 'renew-secrets'],
  ['app'],
  ['main', 'sandbox'],
];
/** The sandbox has its own schemas, so that a mistake of the client can't hide in it. */
const FOR_THE_TOP = ['app', 'config', 'log', 'stopping'];
const STARTS = ['src/main.ts', 'src/renew-secrets.ts', 'src/sandbox/demo.ts', 'src/sandbox/run.ts'];
/** The composition root: all of the services. */
const COMPOSITION = 'src/services.ts';
const EMPTY_NAMES = /^(utils?|helpers?|common|managers?|services?|types)$/;

export const rules: Record<string, Rule> = {
  'rooms import downward only': eachImport(({ path }, target, { typeOnly }) => {
    const [from, to] = [roomOf(path), roomOf(target)];
    if (from === to) return undefined;
    const [above, below] = [rankOf(from), rankOf(to)];
    if (above < 0 || below < 0) return `imports ${target}, and one of both is in a room without a rank`;
    const isTop = above === RANKS.length - 1;
    if (isTop) return FOR_THE_TOP.includes(to) ? undefined : `imports ${target}, but may import the app only`;
    if (below < above || (below === above && above > 1 && typeOnly)) return undefined;
    return `imports ${target}, which is not below it`;
  }),

  'nothing imports itself in a circle, not even for types': (files) => {
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

  'imports name a file that is there, with its ending': (files) => {
    const paths = new Set(files.map(({ path }) => path));
    return eachImport((_, target) =>
      paths.has(target) ? undefined : `imports ${target}, which is not there`,
    )(files);
  },

  'features import neither the bot nor each other': eachImport(({ path }, target) => {
    const isFeature = /^src\/bot\/features\/(?!features\.ts|feature\.ts|feature-deps\.ts)/;
    const isOther = isFeature.test(target) || target === 'src/bot/features/features.ts';
    return isFeature.test(path) && (target === 'src/bot/bot.ts' || isOther) ? `imports ${target}` : undefined;
  }),

  'comments point at no document outside of the repository': eachFile(({ text }) => {
    const named = text.match(/[\w./-]*\b(?:design|facts|architecture|security|operating)\.md\b/g) ?? [];
    return named.filter((name) => !name.startsWith('docs/')).map((name) => `names ${name}`);
  }),

  'bot/context.ts holds types only': eachFile((file) => {
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

  'files and folders are named in kebab-case, by what they hold': (files) =>
    files.flatMap(({ path }) => {
      const names = path.split('/').map((name) => name.replace(/\.(ts|js)$/, ''));
      const wrong = names.filter(
        (name) =>
          !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ||
          name === 'index' ||
          (EMPTY_NAMES.test(name.split('-').at(-1) ?? '') && path !== COMPOSITION),
      );
      return wrong.map((name) => `${path}: ${name} is no name`);
    }),

  'exports have names, and no file passes on all of another': eachFile(({ code }) => [
    ...(/^export default\b|^export \{[^}]*\bas default\b/m.test(code) ? ['has a default export'] : []),
    ...(/^export (type )?\*/m.test(code) ? ['passes on all of another file'] : []),
  ]),

  'nothing happens at import': eachFile(({ path, code }) => {
    if (STARTS.includes(path)) return [];
    return code
      .split('\n')
      .filter(acts)
      .map((line) => `does something at import: ${line}`);
  }),
};

/** Whether a line that isn't indented is anything but a declaration. A formatted file indents all the rest. */
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

function roomOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

function rankOf(room: string): number {
  return RANKS.findIndex((rooms) => rooms.includes(room));
}
