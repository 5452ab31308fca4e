import { z } from 'zod';
import type { Chats } from '../chats.ts';
import type { BotCommand, CommandScope } from '../profile.ts';
import { badRequest, chatNotFound } from '../refusal.ts';
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

const OF_A_CHAT = ['chat', 'chat_administrators', 'chat_member'];

const target = {
  scope: parsed(z.object({ type: z.string(), chat_id: chatId, user_id: integer.optional() })).default({
    type: 'default',
  }),
  language_code: languageCode,
};

interface Target {
  scope: CommandScope;
  language_code?: string | undefined;
}

/** Returns the valid scope (its chat must be known to the bot) and the language of a command list. @throws Refusal */
function checkTarget({ scope, language_code }: Target, chats: Chats): [CommandScope, string] {
  const { type, chat_id, user_id } = scope;
  if (!SCOPES.includes(type)) throw badRequest("can't parse BotCommandScope: unsupported type specified");
  const language = checkLanguage(language_code);
  if (!OF_A_CHAT.includes(type)) return [{ type }, language];
  const chat = chats.named(chat_id);
  if (chat.person && !chat.started) throw chatNotFound();
  if (type === 'chat') return [{ type, chat_id: chat.id }, language];
  if (chat.person) throw badRequest(`can't change commands of ${type} in private chats`);
  return [{ type, chat_id: chat.id, ...(type === 'chat_member' && { user_id }) }, language];
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
  (params, { profile, chats }) => {
    profile.setCommands(...checkTarget(params, chats), checkCommands(params.commands));
    return true;
  },
);

export const getMyCommands = method('getMyCommands', target, (params, { profile, chats }) =>
  profile.commands(...checkTarget(params, chats)),
);

export const deleteMyCommands = method('deleteMyCommands', target, (params, { profile, chats }) => {
  profile.setCommands(...checkTarget(params, chats), []);
  return true;
});
