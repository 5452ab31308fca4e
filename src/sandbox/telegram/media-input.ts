import type { Files } from './files.ts';
import type { Media, MediaKind, VideoShape } from './media.ts';
import { badRequest } from './refusal.ts';
import type { Upload, Uploads } from './uploads.ts';

const ATTACHED = 'attach://';

/**
 * Resolves a file of a request: `attach://` and the name of its part, a `file_id`, or a URL. An empty value means the part
 * that is named like the kind. Returns `undefined` if the part is missing. https://core.telegram.org/bots/api#sending-files
 * @throws Refusal
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
