import { documentFormat } from './document-format.ts';
import type { Document, Media, MediaKind, Photo } from './media.ts';
import { photoFormat } from './photo-format.ts';
import { badRequest } from './refusal.ts';
import type { Upload } from './uploads.ts';

export interface Files {
  /** @throws Refusal for what Telegram doesn't take as such */
  keep(kind: MediaKind, upload: Upload): Media;
  byId(fileId: string): Media | undefined;
  byPath(path: string): Media | undefined;
}

/** The files that were uploaded. They outlive a reset, as they do in Telegram. */
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

  return {
    keep(kind, upload) {
      if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
      const number = files.length + 1;
      const kept = kind === 'photo' ? photo(upload, number) : document(upload, number);
      files.push(kept);
      return kept;
    },
    byId: (fileId) => files.find((file) => file.fileId === fileId),
    byPath: (path) => files.find((file) => file.path === path),
  };
}
