/** Says a line to who started the script. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs it to its end as the process, which then ends with what it answers; with 2 where it throws.
 * A signal ends it at once, so that what it started ends with it.
 */
export function asProcess(run: () => Promise<number>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  run().then(
    (code) => process.exit(code),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(2);
    },
  );
}
