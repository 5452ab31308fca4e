import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FluentBundle, FluentResource } from '@fluent/bundle';
import type { TextKey } from './keys.ts';

export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

export type Variables = Record<string, string | number>;

/** One language's texts. */
export interface Words {
  readonly language: Language;
  /** A text for Telegram's HTML; what is filled in is escaped. */
  html(key: TextKey, variables?: Variables): string;
  /** The same as plain text: for buttons and toasts, which know no HTML. */
  plain(key: TextKey, variables?: Variables): string;
}

export interface Texts {
  in(language: Language): Words;
}

/** A folder a language, and in it a file a feature. */
export const LOCALES = fileURLToPath(new URL('../../locales', import.meta.url));

/** Reads every language's Fluent files. `directories` are laid out like {@link LOCALES}, the default. */
export function createTexts({ directories = [LOCALES] }: { directories?: string[] | undefined } = {}): Texts {
  const bundles = LANGUAGES.map((language) => {
    const source = directories.flatMap((directory) => readAll(join(directory, language))).join('\n');
    // Isolation marks around what is filled in would be copied along with an address.
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

/** The language to begin with, from the one that a person's Telegram is set to (IETF tag). */
export function languageOf(tag: string | undefined): Language {
  const primary = tag?.split('-')[0];
  return LANGUAGES.find((language) => language === primary) ?? 'en';
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Texts of the first of these bundles that has them. */
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
