import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FluentBundle, FluentResource } from '@fluent/bundle';
import type { TextKey } from './keys.ts';

export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

export type Variables = Record<string, string | number>;

/** Texts of one language. */
export interface Words {
  readonly language: Language;
  /** Returns a text in Telegram's HTML. Escapes the variables. */
  html(key: TextKey, variables?: Variables): string;
  /** Returns a text as plain text, for buttons and toasts. */
  plain(key: TextKey, variables?: Variables): string;
}

export interface Texts {
  in(language: Language): Words;
}

/** Folder with one subfolder per language and one file per feature. */
export const LOCALES = fileURLToPath(new URL('../../locales', import.meta.url));

/** Reads every language's Fluent files. `directories` are laid out like {@link LOCALES}, the default. */
export function createTexts({ directories = [LOCALES] }: { directories?: string[] | undefined } = {}): Texts {
  const bundles = LANGUAGES.map((language) => {
    const source = directories.flatMap((directory) => readAll(join(directory, language))).join('\n');
    // Isolation marks around variables would be copied together with an address.
    const bundle = new FluentBundle(language, { useIsolating: false });
    const faults = bundle.addResource(new FluentResource(source), { allowOverrides: true });
    if (faults.length > 0) throw new AggregateError(faults, `the texts in ${language} can not be read`);
    return bundle;
  });
  const [english] = bundles;
  const words = new Map(
    LANGUAGES.map((language, at) => [language, wordsOf(language, [bundles[at], english])]),
  );
  return { in: (language) => words.get(language) ?? wordsOf('en', [english]) };
}

function readAll(directory: string): string[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.ftl'));
  return files.map((name) => readFileSync(join(directory, name), 'utf8'));
}

/** Returns the initial language of a user from Telegram's `language_code` (IETF tag). */
export function languageOf(tag: string | undefined): Language {
  const primary = tag?.split('-')[0];
  return LANGUAGES.find((language) => language === primary) ?? 'en';
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Looks up each text in the first bundle that contains it. */
function wordsOf(language: Language, bundles: (FluentBundle | undefined)[]): Words {
  function text(key: TextKey, variables: Variables): string {
    for (const bundle of bundles) {
      const pattern = bundle?.getMessage(key)?.value;
      if (pattern) return bundle?.formatPattern(pattern, variables) ?? '';
    }
    return `{${key}}`;
  }
  return {
    language,
    html: (key, variables = {}) => text(key, escaped(variables)),
    plain: (key, variables = {}) => text(key, variables),
  };
}

function escaped(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? escapeHtml(value) : value,
    ]),
  );
}
