import { createLog, type Log } from '../../src/platform/log.ts';

/** Creates a log that records its lines. */
export function recordingLog(options: { level?: string; secrets?: string[] } = {}) {
  const texts: string[] = [];
  const stream = { write: (line: string) => void texts.push(line) };
  return {
    log: createLog({ level: 'debug', ...options, stream }),
    texts,
    lines: (): Record<string, unknown>[] => texts.map((text) => JSON.parse(text)),
  };
}

const SILENT = createLog({ level: 'silent' });

/** Returns a log without output. It is shared, because thousands of tests need one. */
export const silentLog = (): Log => SILENT;
