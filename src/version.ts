import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Returns the version of this bot from `package.json`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
