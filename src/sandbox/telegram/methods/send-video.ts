import { mediaSending } from './media-sending.ts';

/** https://core.telegram.org/bots/api#sendvideo */
export const sendVideo = mediaSending('sendVideo', 'video');
