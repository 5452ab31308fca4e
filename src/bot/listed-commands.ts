import type { BotCommand } from 'grammy/types';
import type { Words } from '../i18n/texts.ts';
import type { Command, Feature } from './features/feature.ts';

/** The only command that belongs to no feature. */
export const CANCEL = 'cancel';

/** Returns the commands that open a feature. */
export function commandsOf({ command, alias }: Feature): Command[] {
  return [command, alias].filter((one) => one !== undefined);
}

/** Returns all commands of a user in the order of the features. An admin's additional commands come last. */
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
