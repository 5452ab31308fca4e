import { createTexts } from '../../src/i18n/texts.ts';

export const EXPLORER_URL = 'https://explorer.example/{kind}/{id}';

/** The bot's texts, parsed once for all tests of a worker. */
export const TEXTS = createTexts({ explorerUrl: EXPLORER_URL });
