import type { Pause } from '../../src/telegram/pause.ts';
import { eventually } from './eventually.ts';

/** Pauses that last until they are let go, and the lengths that were asked for. */
export function createPauses() {
  const asked: number[] = [];
  const waiting: { ms: number; end: () => void }[] = [];
  let skipped: (ms: number) => boolean = () => false;

  const sleep: Pause = (ms, signal) =>
    new Promise((resolve, reject) => {
      asked.push(ms);
      if (signal?.aborted) return reject(new Error('aborted'));
      if (skipped(ms)) return resolve();
      const pause = { ms, end: resolve };
      waiting.push(pause);
      signal?.addEventListener('abort', () => {
        waiting.splice(waiting.indexOf(pause), 1);
        reject(new Error('aborted'));
      });
    });

  return {
    sleep,
    asked,
    /** How many last at the moment. */
    lasting: () => waiting.length,
    /** From now on these pass at once. */
    skip(which: (ms: number) => boolean): void {
      skipped = which;
    },
    /** Ends the pause of `ms` as soon as there is one. */
    async end(ms: number): Promise<void> {
      await eventually(() => {
        const index = waiting.findIndex((pause) => pause.ms === ms);
        if (index < 0)
          throw new Error(`nobody waits for ${ms} ms, but for ${waiting.map((pause) => pause.ms)}`);
        waiting.splice(index, 1)[0]?.end();
      });
    },
  };
}
