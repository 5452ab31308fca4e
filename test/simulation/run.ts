import { runCommand, UsageError } from './command.ts';

const exitCode = await runCommand(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return 2;
});
// Exiting drops output that a pipe hasn't taken yet.
await new Promise<void>((written) => process.stdout.write('', () => written()));
process.exit(exitCode);
