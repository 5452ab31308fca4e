import { type ImageKind, readImage } from './image.ts';
import { badRequest } from './refusal.ts';

export interface Photo extends ImageKind {
  readonly fileId: string;
  readonly uniqueId: string;
  /** Relative to where files are served: `photos/file_1.png`. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Photos {
  /** @throws Refusal for what is no picture, or one larger than Telegram takes */
  keep(bytes: Uint8Array<ArrayBuffer>): Photo;
  byId(fileId: string): Photo | undefined;
  byPath(path: string): Photo | undefined;
}

const MAX_BYTES = 10 * 1024 * 1024;

export function createPhotos(): Photos {
  const photos: Photo[] = [];
  return {
    keep(bytes) {
      if (bytes.length === 0) throw badRequest('file must be non-empty');
      if (bytes.length > MAX_BYTES) throw badRequest('file is too big for a photo');
      const image = readImage(bytes);
      if (!image) throw badRequest('IMAGE_PROCESS_FAILED');
      const short = Math.min(image.width, image.height);
      const long = Math.max(image.width, image.height);
      if (short === 0 || short + long > 10_000 || long > 20 * short) {
        throw badRequest('PHOTO_INVALID_DIMENSIONS');
      }
      const number = photos.length + 1;
      const photo: Photo = {
        ...image,
        fileId: `AgACAgIAAxkBAAIB-sandbox-photo-${number}`,
        uniqueId: `AQADsandbox${number}`,
        path: `photos/file_${number}.${image.extension}`,
        bytes,
      };
      photos.push(photo);
      return photo;
    },
    byId: (fileId) => photos.find((photo) => photo.fileId === fileId),
    byPath: (path) => photos.find((photo) => photo.path === path),
  };
}
