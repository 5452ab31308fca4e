import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { readJsonFile } from './json-file.ts';
import { type Snapshot, snapshot } from './snapshot/snapshot.ts';
import type { World } from './world.ts';

/** In real time: changes that come close together are saved together. */
const DEBOUNCE_MS = 200;

/** What the file holds; `undefined` when there is none. @throws FileError that names what is wrong, and where. */
export function loadState(path: string): Snapshot | undefined {
  return existsSync(path) ? readJsonFile(path, snapshot) : undefined;
}

/** Saves the state to a file soon after each change; answers how to end that, with what isn't saved yet, once. */
export function keepSaved(world: World, path: string): () => void {
  let timer: NodeJS.Timeout | undefined;

  const save = () => {
    timer = undefined;
    const content = z.encode(snapshot, { version: 1, now: world.clock.now(), state: world.state });
    const draft = `${path}.new`;
    writeFileSync(draft, `${JSON.stringify(content)}\n`);
    renameSync(draft, path);
  };
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
