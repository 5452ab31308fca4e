import { type ImageKind, readImage } from './image.ts';
import { badRequest } from './refusal.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** @throws Refusal if it isn't an image or exceeds Telegram's limits. https://core.telegram.org/bots/api#sendphoto */
export function photoFormat(bytes: Uint8Array): ImageKind {
  if (bytes.length > MAX_BYTES) throw badRequest('file is too big for a photo');
  const image = readImage(bytes);
  if (!image) throw badRequest('IMAGE_PROCESS_FAILED');
  const short = Math.min(image.width, image.height);
  const long = Math.max(image.width, image.height);
  if (short === 0 || short + long > 10_000 || long > 20 * short) throw badRequest('PHOTO_INVALID_DIMENSIONS');
  return image;
}
