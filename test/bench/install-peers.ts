import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { say } from '../support/script.ts';

/** Bots with other frameworks that are compared with the app. */
const PEERS = ['telegraf', 'grammy'] as const;
export type Peer = (typeof PEERS)[number];

const FOLDER = fileURLToPath(new URL('peers', import.meta.url));
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'];
const TIMEOUT_MS = 180_000;

/** Installs the packages of the peers if they are missing. Returns the peers, or none if that isn't possible. */
export async function installPeers(): Promise<Peer[]> {
  try {
    // npm writes this file at the end of an installation.
    if (!existsSync(`${FOLDER}/node_modules/.package-lock.json`)) {
      await promisify(execFile)('npm', ['ci', '--prefix', FOLDER, ...QUIETLY], { timeout: TIMEOUT_MS });
    }
    return [...PEERS];
  } catch {
    say('The peers are not measured, because `npm ci --prefix test/bench/peers` failed.\n');
    return [];
  }
}
