import { extname } from 'node:path/posix';
import { BotApiError, badRequest } from './bot-api-error.ts';

const MAX_BYTES = 50 * 1024 * 1024;
const LONGEST_NAME = 128;

const MIMES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  jpg: 'image/jpeg',
  json: 'application/json',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  webm: 'video/webm',
  zip: 'application/zip',
};

/**
 * Returns name and type of a document. The name is the sender's without folders; its extension decides the type.
 * @throws BotApiError if the document is larger than Telegram allows. https://core.telegram.org/bots/api#senddocument
 */
function documentFormat({ bytes, filename }: Upload): {
  name: string;
  mime: string;
  extension: string;
} {
  if (bytes.length > MAX_BYTES) throw new BotApiError(413, 'Request Entity Too Large');
  const [last = ''] = filename.split(/[\\/]/).slice(-1);
  const name =
    last
      .replace(/\p{Cc}/gu, '')
      .trim()
      .slice(-LONGEST_NAME) || 'file';
  const extension = /^[a-z0-9]{1,8}$/.exec(extname(name).slice(1).toLowerCase())?.[0] ?? '';
  return { name, extension, mime: MIMES[extension] ?? 'application/octet-stream' };
}

const MAX_PHOTO_BYTES = 10 * 1024 * 1024;

/** @throws BotApiError if it isn't an image or exceeds Telegram's limits. https://core.telegram.org/bots/api#sendphoto */
function photoFormat(bytes: Uint8Array): ImageKind {
  if (bytes.length > MAX_PHOTO_BYTES) throw badRequest('file is too big for a photo');
  const image = readImage(bytes);
  if (!image) throw badRequest('IMAGE_PROCESS_FAILED');
  const short = Math.min(image.width, image.height);
  const long = Math.max(image.width, image.height);
  if (short === 0 || short + long > 10_000 || long > 20 * short) throw badRequest('PHOTO_INVALID_DIMENSIONS');
  return image;
}

/** Treats files without a video extension as MP4. @throws BotApiError. https://core.telegram.org/bots/api#sendvideo */
function videoFormat(upload: Upload): ReturnType<typeof documentFormat> {
  const format = documentFormat(upload);
  return format.mime.startsWith('video/') ? format : { ...format, mime: 'video/mp4', extension: 'mp4' };
}

interface ImageKind {
  extension: 'png' | 'jpg';
  mime: 'image/png' | 'image/jpeg';
  width: number;
  height: number;
}

/** Reads kind and size of an image from its header. Returns undefined for anything but PNG and JPEG. */
function readImage(bytes: Uint8Array): ImageKind | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readPng(view) ?? readJpeg(view);
}

function readPng(view: DataView): ImageKind | undefined {
  const isPng = view.byteLength >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a;
  if (!isPng) return undefined;
  return { extension: 'png', mime: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** Skips segments until the frame header (SOF0 to SOF15, without DHT, JPG and DAC). */
function readJpeg(view: DataView): ImageKind | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return {
        extension: 'jpg',
        mime: 'image/jpeg',
        width: view.getUint16(at + 7),
        height: view.getUint16(at + 5),
      };
    }
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

export interface Files {
  /** Stores a file. `shape` applies to videos. @throws BotApiError if Telegram wouldn't accept the file as this kind */
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
      kind: 'photo',
      ...format,
      bytes,
      fileId: `AgACAgIAAxkBAAIB-sandbox-photo-${number}`,
      uniqueId: `AQADsandbox${number}`,
      path: `photos/file_${number}.${extension}`,
    };
  };
  const document = (upload: Upload, number: number): Document => {
    const { extension, ...format } = documentFormat(upload);
    return {
      kind: 'document',
      ...format,
      bytes: upload.bytes,
      fileId: `BQACAgIAAxkBAAIB-sandbox-document-${number}`,
      uniqueId: `AgADsandbox${number}`,
      path: `documents/file_${number}${extension && `.${extension}`}`,
    };
  };
  const video = (upload: Upload, number: number, shape: VideoShape): Video => {
    const { extension, ...format } = videoFormat(upload);
    return {
      kind: 'video',
      ...format,
      ...shape,
      bytes: upload.bytes,
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
      const stored = made(kind, upload, shape);
      files.push(stored);
      return stored;
    },
    byId: (fileId) => files.find((file) => file.fileId === fileId),
    byPath: (path) => files.find((file) => file.path === path),
  };
}

/** File of a multipart request. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Name given by the sender, possibly empty. */
  readonly filename: string;
}

/** Files of a multipart request by part name. */
export type Uploads = ReadonlyMap<string, Upload>;

interface Part {
  name: string;
  /** Name of a file, possibly empty. Undefined if the part isn't a file. */
  filename: string | undefined;
  content: Uint8Array<ArrayBuffer>;
}

/**
 * Parses a multipart/form-data body. Returns undefined if it is malformed. Node's `formData()` rejects grammY's headers
 * (`content-disposition:form-data;name="x"`, without spaces), which Telegram accepts.
 */
export function readMultipart(contentType: string, body: Uint8Array<ArrayBuffer>): Part[] | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = `--${boundary}`;
  const parts: Part[] = [];
  let start = bytes.indexOf(delimiter);
  while (start >= 0) {
    start += delimiter.length;
    if (bytes.toString('latin1', start, start + 2) === '--') return parts;
    const headersEnd = bytes.indexOf('\r\n\r\n', start);
    const end = bytes.indexOf(`\r\n${delimiter}`, headersEnd);
    if (headersEnd < 0 || end < 0) return undefined;
    const headers = bytes.toString('utf8', start, headersEnd);
    const name = /^content-disposition:.*?[;\s]name="([^"]*)"/im.exec(headers)?.[1];
    if (name === undefined) return undefined;
    const content = new Uint8Array(bytes.subarray(headersEnd + 4, end));
    parts.push({ name, filename: readFilename(headers), content });
    start = end + 2;
  }
  return undefined;
}

/** Parses a file name: quoted, with `%22` escapes as browsers send it, or bare to the end of the line, as grammY sends it. */
function readFilename(headers: string): string | undefined {
  const found = /^content-disposition:.*?[;\s]filename=(?:"((?:\\.|[^"\\])*)"|([^\r\n]*))/im.exec(headers);
  if (!found) return undefined;
  const [, quoted, bare = ''] = found;
  return (
    quoted?.replace(/\\(.)/g, '$1').replace(/%(?:22|0d|0a)/gi, (sign) => decodeURIComponent(sign)) ??
    bare.trim()
  );
}

const ATTACHED = 'attach://';

/**
 * Resolves a file of a request: `attach://` and the name of its part, a `file_id`, or a URL. An empty value means the part
 * that is named like the kind. Returns `undefined` if the part is missing. https://core.telegram.org/bots/api#sending-files
 * @throws BotApiError
 */
export async function readMedia(
  { kind, value, shape }: { kind: MediaKind; value: string; shape?: VideoShape },
  uploads: Uploads,
  files: Files,
): Promise<Media | undefined> {
  if (value === '' || value.startsWith(ATTACHED)) {
    const upload = uploads.get(value.slice(ATTACHED.length) || kind);
    return upload && files.keep(kind, upload, shape);
  }
  const known = files.byId(value);
  if (known && known.kind !== kind) {
    throw badRequest(`can't use file of type ${named(known.kind)} as ${named(kind)}`);
  }
  if (known) return known;
  if (!/^https?:\/\//.test(value)) {
    throw badRequest('wrong remote file identifier specified: Wrong string length');
  }
  // Telegram accepts few document types by URL. The sandbox supports none of them.
  const upload = kind === 'document' ? undefined : await download(value);
  if (!upload) throw badRequest('failed to get HTTP URL content');
  return files.keep(kind, upload, shape);
}

const named = (kind: MediaKind) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;

async function download(url: string): Promise<Upload | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? { bytes: new Uint8Array(await response.arrayBuffer()), filename: '' } : undefined;
  } catch {
    return undefined;
  }
}

interface StoredFile {
  readonly fileId: string;
  readonly uniqueId: string;
  /** Path relative to the base path of files, for example `photos/file_1.png`. */
  readonly path: string;
  readonly mime: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** https://core.telegram.org/bots/api#photosize */
interface Photo extends StoredFile {
  readonly kind: 'photo';
  readonly width: number;
  readonly height: number;
}

/** https://core.telegram.org/bots/api#document */
interface Document extends StoredFile {
  readonly kind: 'document';
  readonly name: string;
}

/** Size and duration as given by the sender. Nothing is read from the file. */
interface VideoShape {
  readonly width: number;
  readonly height: number;
  /** In seconds. */
  readonly duration: number;
}

/** https://core.telegram.org/bots/api#video */
interface Video extends StoredFile, VideoShape {
  readonly kind: 'video';
  readonly name: string;
}

/** File of a message. */
export type Media = Photo | Document | Video;
export type MediaKind = Media['kind'];
