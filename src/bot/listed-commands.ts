import type { BotCommand } from 'grammy/types';
import type { Words } from '../texts/texts.ts';
import type { Command, Feature } from './features/feature.ts';

/** The one command that no feature has: it is about all of them. */
export const CANCEL = 'cancel';

/** What opens it. */
export function commandsOf({ command, alias }: Feature): Command[] {
  return [command, alias].filter((one) => one !== undefined);
}

/** Every command that there is for somebody, in the order of the features: for admins theirs too, below the others. */
export function commandList(
  words: Words,
  features: readonly Feature[],
  { isAdmin }: { isAdmin: boolean },
): BotCommand[] {
  const commands = features.flatMap(commandsOf);
  const admins = [
    ...features.flatMap(({ buttonCommands = {} }) =>
      Object.entries(buttonCommands).map(([name, { text }]) => ({ name, text })),
    ),
    ...commands.filter(({ admins }) => admins),
  ];
  const listed = [
    ...commands.filter((one) => !one.admins),
    { name: CANCEL, text: 'command-cancel' } as const,
    ...(isAdmin ? admins : []),
  ];
  return listed.map(({ name, text }) => ({ command: name, description: words.plain(text) }));
}
