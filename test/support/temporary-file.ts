import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Returns the path of a file that doesn't exist yet, in a folder that is removed after the running test. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rental-bot-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}
