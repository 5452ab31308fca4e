import { LANGUAGES, type Language } from '../../texts/texts.ts';

/** Returns the chosen language, else the browser's preferred supported language (RFC 9110, 12.5.4), else English. */
export function pageLanguage(chosen: string | undefined, accepted: string | undefined): Language {
  return known(chosen) ?? bestOf(accepted ?? '') ?? 'en';
}

function known(name: string | undefined): Language | undefined {
  return LANGUAGES.find((language) => language === name);
}

function bestOf(accepted: string): Language | undefined {
  const wishes = accepted.split(',').flatMap((part) => {
    const [tag = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    const language = known(tag.split('-')[0]);
    const quality = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    return language && quality > 0 ? [{ language, quality }] : [];
  });
  return wishes.sort((one, other) => other.quality - one.quality)[0]?.language;
}
