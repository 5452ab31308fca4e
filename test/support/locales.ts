import { readdirSync, readFileSync } from 'node:fs';
import { FluentResource } from '@fluent/bundle';

const LOCALES = new URL('../../locales/', import.meta.url);

/** Text of a language, with its file, key and variable names. */
export interface LocaleText {
  file: string;
  key: string;
  variables: string[];
}

/** Returns all texts of a language, parsed with Fluent, file by file. */
export function localeTexts(language: string): LocaleText[] {
  const directory = new URL(`${language}/`, LOCALES);
  return readdirSync(directory)
    .filter((name) => name.endsWith('.ftl'))
    .sort()
    .flatMap((file) => {
      const { body } = new FluentResource(readFileSync(new URL(file, directory), 'utf8'));
      return body.map((message) => {
        const found = JSON.stringify(message).matchAll(/"type":"var","name":"(\w+)"/g);
        return {
          file,
          key: message.id,
          variables: [...new Set([...found].map(([, name = '']) => name))].sort(),
        };
      });
    });
}
