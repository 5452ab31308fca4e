import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** Error of an invalid or unusable file. The message has a line for each fault. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(path: string, faults: string[]) {
    super(faults.map((fault) => `${path}: ${fault}`).join('\n'));
  }
}

/** Reads and validates a JSON file. @throws FileError that names each fault and its path. */
export function readJsonFile<Content>(path: string, schema: z.ZodType<Content>): Content {
  const result = schema.safeParse(parse(path));
  if (result.success) return result.data;
  throw new FileError(
    path,
    result.error.issues.map(({ path: field, message }) => `${field.join('.') || 'the whole'}: ${message}`),
  );
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new FileError(path, [error instanceof Error ? error.message : String(error)]);
  }
}
