import { extname } from 'node:path/posix';
import { Refusal } from './refusal.ts';
import type { Upload } from './uploads.ts';

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
 * @throws Refusal if the document is larger than Telegram allows. https://core.telegram.org/bots/api#senddocument
 */
export function documentFormat({ bytes, filename }: Upload): {
  name: string;
  mime: string;
  extension: string;
} {
  if (bytes.length > MAX_BYTES) throw new Refusal(413, 'Request Entity Too Large');
  const [last = ''] = filename.split(/[\\/]/).slice(-1);
  const name =
    last
      .replace(/\p{Cc}/gu, '')
      .trim()
      .slice(-LONGEST_NAME) || 'file';
  const extension = /^[a-z0-9]{1,8}$/.exec(extname(name).slice(1).toLowerCase())?.[0] ?? '';
  return { name, extension, mime: MIMES[extension] ?? 'application/octet-stream' };
}
