/** Writes a line to the standard output. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs a script and exits with the code that it returns, or with 2 if it throws. Exits immediately on SIGINT or
 * SIGTERM, so that exit handlers can end its child processes.
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
