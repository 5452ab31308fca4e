import type { Photo, Photos } from './photos.ts';
import { badRequest } from './refusal.ts';

/** The files of a multipart request, by the name of their part. */
export type Uploads = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/**
 * A photo as a request names it: an upload (by the part's name, or `attach://name`), a `file_id` or a URL.
 * @throws Refusal
 */
export async function readPhoto(value: string, uploads: Uploads, photos: Photos): Promise<Photo> {
  if (value === '') throw badRequest('there is no photo in the request');
  const upload = uploads.get(value.replace(/^attach:\/\//, ''));
  if (upload) return photos.keep(upload);
  const known = photos.byId(value);
  if (known) return known;
  if (!/^https?:\/\//.test(value)) {
    throw badRequest('wrong remote file identifier specified: Wrong string length');
  }
  const bytes = await download(value);
  if (!bytes) throw badRequest('failed to get HTTP URL content');
  return photos.keep(bytes);
}

async function download(url: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
  } catch {
    return undefined;
  }
}
