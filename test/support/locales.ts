import { readdirSync, readFileSync } from 'node:fs';
import { FluentResource } from '@fluent/bundle';
import type { TextKey } from '../../src/i18n/keys.ts';
import type { Language } from '../../src/i18n/texts.ts';

const LOCALES = new URL('../../locales/', import.meta.url);

/** Text of a language, with its file, key and variable names. */
export interface LocaleText {
  file: string;
  key: string;
  variables: string[];
}

/** Returns all texts of a language, parsed with Fluent, file by file. */
export function localeTexts(language: string): LocaleText[] {
  return messagesIn(language).map(({ file, message }) => {
    const found = JSON.stringify(message).matchAll(/"type":"var","name":"(\w+)"/g);
    return {
      file,
      key: message.id,
      variables: [...new Set([...found].map(([, name = '']) => name))].sort(),
    };
  });
}

function messagesIn(language: string) {
  const directory = new URL(`${language}/`, LOCALES);
  return readdirSync(directory)
    .filter((name) => name.endsWith('.ftl'))
    .sort()
    .flatMap((file) => {
      const { body } = new FluentResource(readFileSync(new URL(file, directory), 'utf8'));
      return body.map((message) => ({ file, message }));
    });
}

/**
 * Returns the longest part of a text that is the same whatever its variables are, by which programs recognize the text in a
 * chat: without HTML, on one line. Throws a `RangeError` for a text without such a part.
 */
export function fixedPart(key: TextKey, language: Language = 'en'): string {
  const [longest] = fixedParts(key, language).toSorted((one, other) => other.length - one.length);
  if (longest === undefined) throw new RangeError(`${key} has no part without variables`);
  return longest;
}

/** Returns the beginning of a text, without HTML and up to the first variable. */
export function beginningOf(key: TextKey): string {
  const [first = ''] = textOf(key, 'en')
    .replaceAll(/<[^>]+>/g, '')
    .split(VARIABLE);
  return first.trim();
}

/** Stands for what is inserted into a text. */
const VARIABLE = '\u0000';

function fixedParts(key: TextKey, language: Language): string[] {
  const parts = textOf(key, language)
    .replaceAll(/<[^>]+>|\n/g, VARIABLE)
    .split(VARIABLE);
  return parts.flatMap((part) => part.trim() || []);
}

function textOf(key: TextKey, language: Language): string {
  const elements = [textsOf(language).get(key) ?? ''].flat();
  return elements.map((element) => (typeof element === 'string' ? element : VARIABLE)).join('');
}

const parsed = new Map<Language, Map<string, Pattern>>();

function textsOf(language: Language): Map<string, Pattern> {
  const known = parsed.get(language);
  if (known) return known;
  const texts = new Map(messagesIn(language).map(({ message: { id, value } }) => [id, value]));
  parsed.set(language, texts);
  return texts;
}

/** Place in a text where a variable is inserted. */
export interface LocalePlaceable {
  key: string;
  name: string;
  /** Name of the function that formats the variable, if any. */
  calls: string | undefined;
  isCode: boolean;
  /** Neighbouring text of the same variant. Other variables appear as `{name}`. */
  before: string;
  after: string;
}

/** Returns every place where a text of a language inserts a variable, in each variant of a selection. */
export function localePlaceables(language: string): LocalePlaceable[] {
  return messagesIn(language).flatMap(({ message: { id, value } }) => placeablesOf(id, value));
}

type Pattern = FluentResource['body'][number]['value'];
type Element = Exclude<Pattern, string | null>[number];

function placeablesOf(key: string, pattern: Pattern): LocalePlaceable[] {
  if (pattern === null || typeof pattern === 'string') return [];
  const texts = pattern.map(elementText);
  return pattern.flatMap((element, at) => {
    if (typeof element === 'object' && element.type === 'select')
      return element.variants.flatMap(({ value }) => placeablesOf(key, value));
    const name = variableOf(element);
    if (name === undefined) return [];
    const [before, after] = [texts.slice(0, at).join(''), texts.slice(at + 1).join('')];
    const isCode = before.lastIndexOf('<code>') > before.lastIndexOf('</code>');
    const calls = typeof element === 'object' && element.type === 'func' ? element.name : undefined;
    return [{ key, name, calls, isCode, before, after }];
  });
}

function elementText(element: Element): string {
  return typeof element === 'string' ? element : `{${variableOf(element) ?? ''}}`;
}

function variableOf(element: Element): string | undefined {
  if (typeof element !== 'object') return undefined;
  if (element.type === 'var') return element.name;
  const [argument] = element.type === 'func' ? element.args : [];
  return argument?.type === 'var' ? argument.name : undefined;
}
