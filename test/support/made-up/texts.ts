import { fileURLToPath } from 'node:url';
import { createTexts, LOCALES } from '../../../src/i18n/texts.ts';
import { EXPLORER_URL, plainEnglish } from '../texts.ts';

/** The bot's texts with those of the made-up features. */
export const MADE_UP_TEXTS = plainEnglish(
  createTexts({
    directories: [LOCALES, fileURLToPath(new URL('locales', import.meta.url))],
    explorerUrl: EXPLORER_URL,
  }),
);
