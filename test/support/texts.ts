import { createTexts } from '../../src/i18n/texts.ts';

/** The bot's texts, parsed once for all tests of a worker. */
export const TEXTS = createTexts();
