import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Maximum length of the lines that wait, in UTF-16 units. */
const LONGEST_WAITING = 2 ** 20;
const RETRY_MS = 100;

/**
 * Creates the destination of a log. It never fails and never blocks. Lines that can't be written now, for example to a
 * full disk or a pipe without a reader, wait in memory. If too many wait, further lines are lost, and one line reports
 * their number once writing works again. What still waits when the process exits gets one last attempt.
 */
export function createLogOutput({
  describeLoss,
  write = promisify(fs.write),
}: {
  /** Returns the line that reports `count` lost lines. */
  describeLoss: (count: number) => string;
  write?: (fd: number, buffer: Buffer) => Promise<{ bytesWritten: number }>;
}) {
  // This getter also makes a pipe non-blocking.
  const { fd } = process.stdout;
  let waiting = '';
  /** Taken from `waiting`, and not written yet. */
  let rest: Buffer = Buffer.alloc(0);
  let lost = 0;
  let isDraining = false;
  let isWriting = false;

  function takeWaiting(): Buffer {
    const text = lost > 0 ? waiting + describeLoss(lost) : waiting;
    waiting = '';
    lost = 0;
    return Buffer.from(text);
  }

  async function drain(): Promise<void> {
    isDraining = true;
    process.on('exit', writeLast);
    for (rest = takeWaiting(); rest.length > 0; rest = takeWaiting()) {
      while (rest.length > 0) {
        isWriting = true;
        const written = await write(fd, rest).catch(() => undefined);
        isWriting = false;
        if (written) rest = rest.subarray(written.bytesWritten);
        else await delay(RETRY_MS, undefined, { ref: false });
      }
    }
    process.off('exit', writeLast);
    isDraining = false;
  }

  function writeLast(): void {
    try {
      // A write that has begun is finished before the process ends.
      fs.writeSync(fd, Buffer.concat([isWriting ? Buffer.alloc(0) : rest, takeWaiting()]));
    } catch {
      // These lines are lost.
    }
  }

  return {
    write(line: string): void {
      if (waiting.length + line.length > LONGEST_WAITING) lost += 1;
      else waiting += line;
      if (!isDraining) void drain();
    },
  };
}
