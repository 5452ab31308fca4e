import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Returns a function that reads the warnings of Node in this process since the call, such as about too many listeners. */
export function recordProcessWarnings(): () => Promise<string[]> {
  const warnings: string[] = [];
  const record = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
  process.on('warning', record);
  onTestFinished(() => void process.off('warning', record));
  return async () => {
    // Node emits them in the next tick.
    await setImmediate();
    return warnings;
  };
}
