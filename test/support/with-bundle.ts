import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './bundles.ts';
import { say } from './script.ts';

/** Bundles a bot for a script, prints where its output goes, and removes the bundle after `work`. */
export async function withBundle<Result>(
  entry: string,
  work: (about: {
    file: string;
    progress: (line: string) => void;
    onOutput: (text: string) => void;
  }) => Promise<Result>,
): Promise<Result> {
  const log = join(await mkdtemp(join(tmpdir(), 'rental-bot-')), 'bot.log');
  say(`the bot's log is ${log}`);
  const { paths, remove } = await bundle({ bot: entry });
  try {
    return await work({ file: paths.bot, progress: say, onOutput: (text) => void appendFile(log, text) });
  } finally {
    await remove();
  }
}
