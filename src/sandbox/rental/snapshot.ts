import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { time } from './record.ts';
import { stateSchema } from './state.ts';
import type { World } from './world.ts';

/** Content of a state file. */
const snapshot = z.strictObject({
  version: z.literal(1),
  /** Time of the sandbox's clock. */
  now: time,
  state: stateSchema,
});

/** Error of an invalid or unusable file. The message has a line for each fault. */
class FileError extends Error {
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

/** Delay of saving after a change, in real time. Changes within it are saved together. */
const DEBOUNCE_MS = 200;

/** Reads a state file. Returns `undefined` if it doesn't exist. @throws FileError that names each fault and its path. */
export function loadState(path: string): z.output<typeof snapshot> | undefined {
  return existsSync(path) ? readJsonFile(path, snapshot) : undefined;
}

/**
 * Saves the state to a file at once and soon after each change. Returns a function that saves a last time and stops saving.
 * If a later save fails, calls `report`, but not again for the same reason in a row, and continues.
 * @throws FileError if the first save fails
 */
export function startAutosave(world: World, path: string, report: (problem: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let reported: string | undefined;

  const write = () => {
    const content = z.encode(snapshot, { version: 1, now: world.clock.now(), state: world.state });
    const draft = `${path}.new`;
    writeFileSync(draft, `${JSON.stringify(content)}\n`);
    renameSync(draft, path);
  };
  const save = () => {
    timer = undefined;
    try {
      write();
      reported = undefined;
    } catch (error) {
      const problem = problemOf(error);
      if (problem !== reported) report(`${path}: ${problem}`);
      reported = problem;
    }
  };

  try {
    write();
  } catch (error) {
    throw new FileError(path, [problemOf(error)]);
  }
  const unsubscribe = world.onChange(() => {
    timer ??= setTimeout(save, DEBOUNCE_MS).unref();
  });

  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    unsubscribe();
    clearTimeout(timer);
    save();
  };
}

function problemOf(error: unknown): string {
  return `the state can't be saved: ${error instanceof Error ? error.message : String(error)}`;
}
