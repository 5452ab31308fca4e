import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readJson } from './records.ts';

/** Short id of the commit that a build was made from. A build replaces this name; without a build, it doesn't exist. */
declare const BUILD_COMMIT: string | undefined;

/** Version of this bot. `commit` is missing in a copy without Git. */
interface Version {
  version: string;
  commit: string | undefined;
}

/** Returns the version in `package.json`, and the commit that was built or, in a clone, is checked out. */
export function readVersion(root: URL = new URL('../../', import.meta.url)): Version {
  const version = readJson(z.object({ version: z.string() }), read(new URL('package.json', root)))?.version;
  if (version === undefined)
    throw new Error(
      `package.json is missing or damaged in ${fileURLToPath(root)}. Unpack the archive again.`,
    );
  const commit = typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : commitOf(new URL('.git/', root));
  return { version, commit: /^[\da-f]{8}/.exec(commit)?.[0] };
}

/** Returns a version as people read it: `0.1.0 (85f32eed)`. */
export function formatVersion({ version, commit }: Version): string {
  return commit ? `${version} (${commit})` : version;
}

/** Returns the commit that a repository has checked out, without Git: an image needn't have it. Otherwise returns ''. */
function commitOf(repository: URL): string {
  const head = read(new URL('HEAD', repository)).trim();
  const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
  if (branch === undefined) return head;
  const packed = read(new URL('packed-refs', repository)).split('\n');
  return read(new URL(branch, repository)) || (packed.find((line) => line.endsWith(` ${branch}`)) ?? '');
}

function read(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
