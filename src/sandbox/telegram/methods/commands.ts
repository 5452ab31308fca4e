import { z } from 'zod';
import type { BotCommand } from '../profile.ts';
import { badRequest } from '../refusal.ts';
import { chatId, integer, languageCode, parsed } from './fields.ts';
import { checkLanguage } from './languages.ts';
import { method } from './method.ts';

const SCOPES = [
  'default',
  'all_private_chats',
  'all_group_chats',
  'all_chat_administrators',
  'chat',
  'chat_administrators',
  'chat_member',
];

const target = {
  scope: parsed(z.object({ type: z.string(), chat_id: chatId, user_id: integer.optional() })).default({
    type: 'default',
  }),
  language_code: languageCode,
};

function checkTarget({
  scope,
  language_code,
}: {
  scope: { type: string };
  language_code?: string | undefined;
}) {
  if (!SCOPES.includes(scope.type))
    throw badRequest("can't parse BotCommandScope: unsupported type specified");
  return checkLanguage(language_code);
}

function checkCommands(commands: readonly BotCommand[]): readonly BotCommand[] {
  if (commands.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  return commands.map(({ command, description }) => {
    const name = command.replace(/^\//, '');
    if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest('BOT_COMMAND_INVALID');
    if (description.trim() === '' || description.length > 256) {
      throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
    }
    return { command: name, description };
  });
}

export const setMyCommands = method(
  'setMyCommands',
  { ...target, commands: parsed(z.array(z.object({ command: z.string(), description: z.string() }))) },
  (params, { profile }) => {
    profile.setCommands(params.scope, checkTarget(params), checkCommands(params.commands));
    return true;
  },
);

export const getMyCommands = method('getMyCommands', target, (params, { profile }) =>
  profile.commands(params.scope, checkTarget(params)),
);

export const deleteMyCommands = method('deleteMyCommands', target, (params, { profile }) => {
  profile.setCommands(params.scope, checkTarget(params), []);
  return true;
});
