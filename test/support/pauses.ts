import type { Sleep } from '../../src/telegram/fetch.ts';
import { eventually } from './eventually.ts';

/** Creates pauses that last until the test ends them, and records the requested durations. */
export function createPauses() {
  const asked: number[] = [];
  const waiting: { ms: number; end: () => void }[] = [];
  let skipped: (ms: number) => boolean = () => false;

  const sleep: Sleep = (ms, signal) =>
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
    /** Returns the number of pauses in progress. */
    lasting: () => waiting.length,
    /** Makes later pauses that match end immediately. */
    skip(which: (ms: number) => boolean): void {
      skipped = which;
    },
    /** Ends the pause of `ms` milliseconds as soon as it starts. */
    async end(ms: number): Promise<void> {
      await eventually(() => {
        const index = waiting.findIndex((pause) => pause.ms === ms);
        if (index < 0) throw new Error(`no pause of ${ms} ms, only of ${waiting.map((pause) => pause.ms)}`);
        waiting.splice(index, 1)[0]?.end();
      });
    },
  };
}
