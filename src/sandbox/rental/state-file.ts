import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { FileError, readJsonFile } from './json-file.ts';
import { type Snapshot, snapshot } from './snapshot/snapshot.ts';
import type { World } from './world.ts';

/** In real time: changes that come close together are saved together. */
const DEBOUNCE_MS = 200;

/** What the file holds; `undefined` when there is none. @throws FileError that names what is wrong, and where. */
export function loadState(path: string): Snapshot | undefined {
  return existsSync(path) ? readJsonFile(path, snapshot) : undefined;
}

/**
 * Saves the state to a file at once, and soon after each change; returns how to end that, with what isn't saved yet, once.
 * `report` is told what keeps a later save from being made, once for each reason: the sandbox goes on without it.
 * @throws FileError when the file can't be written at the start
 */
export function keepSaved(world: World, path: string, report: (problem: string) => void): () => void {
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
  const forget = world.onChange(() => {
    timer ??= setTimeout(save, DEBOUNCE_MS).unref();
  });

  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    forget();
    clearTimeout(timer);
    save();
  };
}

function problemOf(error: unknown): string {
  return `the state can't be saved: ${error instanceof Error ? error.message : String(error)}`;
}
