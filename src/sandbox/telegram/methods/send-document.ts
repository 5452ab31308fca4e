import { mediaSending } from './media-sending.ts';

/** https://core.telegram.org/bots/api#senddocument */
export const sendDocument = mediaSending('sendDocument', 'document');
