import { mediaSending } from './media-sending.ts';

/** https://core.telegram.org/bots/api#sendphoto */
export const sendPhoto = mediaSending('sendPhoto', 'photo');
