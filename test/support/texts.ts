import { createTexts, type Texts, type Words } from '../../src/i18n/texts.ts';
import { withPlainSpaces } from './plain-spaces.ts';

export const EXPLORER_URL = 'https://explorer.example/{kind}/{id}';

/** Returns texts whose English has ordinary spaces between numbers and units. `texts.test.ts` covers the no-break ones. */
export function plainEnglish(texts: Texts): Texts {
  const english = texts.in('en');
  const plain: Words = {
    ...english,
    html: (...text) => withPlainSpaces(english.html(...text)),
    plain: (...text) => withPlainSpaces(english.plain(...text)),
  };
  return { in: (language) => (language === 'en' ? plain : texts.in(language)) };
}

/** The bot's texts, parsed once for all tests of a worker. */
export const TEXTS = plainEnglish(createTexts({ explorerUrl: EXPLORER_URL }));
