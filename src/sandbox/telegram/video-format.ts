import { documentFormat } from './document-format.ts';
import type { Upload } from './uploads.ts';

/** Treats files without a video extension as MP4. @throws Refusal. https://core.telegram.org/bots/api#sendvideo */
export function videoFormat(upload: Upload): ReturnType<typeof documentFormat> {
  const format = documentFormat(upload);
  return format.mime.startsWith('video/') ? format : { ...format, mime: 'video/mp4', extension: 'mp4' };
}
