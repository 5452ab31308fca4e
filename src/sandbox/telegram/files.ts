import { documentFormat } from './document-format.ts';
import type { Document, Media, MediaKind, Photo, Video, VideoShape } from './media.ts';
import { photoFormat } from './photo-format.ts';
import { badRequest } from './refusal.ts';
import type { Upload } from './uploads.ts';
import { videoFormat } from './video-format.ts';

export interface Files {
  /** Stores a file. `shape` applies to videos. @throws Refusal if Telegram wouldn't accept the file as this kind */
  keep(kind: MediaKind, upload: Upload, shape?: VideoShape): Media;
  byId(fileId: string): Media | undefined;
  byPath(path: string): Media | undefined;
}

const UNKNOWN: VideoShape = { width: 0, height: 0, duration: 0 };

/** Creates the store of uploaded files. A reset keeps them, as Telegram keeps files of deleted messages. */
export function createFiles(): Files {
  const files: Media[] = [];

  const photo = ({ bytes }: Upload, number: number): Photo => {
    const { extension, ...format } = photoFormat(bytes);
    return {
      ...{ kind: 'photo', ...format, bytes },
      fileId: `AgACAgIAAxkBAAIB-sandbox-photo-${number}`,
      uniqueId: `AQADsandbox${number}`,
      path: `photos/file_${number}.${extension}`,
    };
  };
  const document = (upload: Upload, number: number): Document => {
    const { extension, ...format } = documentFormat(upload);
    return {
      ...{ kind: 'document', ...format, bytes: upload.bytes },
      fileId: `BQACAgIAAxkBAAIB-sandbox-document-${number}`,
      uniqueId: `AgADsandbox${number}`,
      path: `documents/file_${number}${extension && `.${extension}`}`,
    };
  };
  const video = (upload: Upload, number: number, shape: VideoShape): Video => {
    const { extension, ...format } = videoFormat(upload);
    return {
      ...{ kind: 'video', ...format, ...shape, bytes: upload.bytes },
      fileId: `BAACAgIAAxkBAAIB-sandbox-video-${number}`,
      uniqueId: `AgADsandbox${number}`,
      path: `videos/file_${number}.${extension}`,
    };
  };
  const made = (kind: MediaKind, upload: Upload, shape: VideoShape): Media => {
    const number = files.length + 1;
    if (kind === 'photo') return photo(upload, number);
    return kind === 'video' ? video(upload, number, shape) : document(upload, number);
  };

  return {
    keep(kind, upload, shape = UNKNOWN) {
      if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
      const kept = made(kind, upload, shape);
      files.push(kept);
      return kept;
    },
    byId: (fileId) => files.find((file) => file.fileId === fileId),
    byPath: (path) => files.find((file) => file.path === path),
  };
}
