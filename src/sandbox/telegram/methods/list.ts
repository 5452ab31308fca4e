import { z } from 'zod';
import { badRequest, chatNotFound, conflict } from '../bot-api-error.ts';
import { BOT_USER, chatObject } from '../bot-objects.ts';
import type { Chats } from '../chats.ts';
import type { BotCommand, CommandScope } from '../profile.ts';
import {
  answerCallbackQuery,
  copyMessage,
  deleteMessage,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  editMessageText,
  sendChatAction,
  sendDocument,
  sendMessage,
  sendPhoto,
  sendVideo,
} from './messages.ts';
import {
  chatId,
  checkLanguage,
  flag,
  integer,
  languageCode,
  type Method,
  method,
  parsed,
  text,
} from './method.ts';

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

/** Returns the valid scope (its chat must be known to the bot) and the language of a command list. @throws BotApiError */
function checkTarget({ scope, language_code }: Target, chats: Chats): [CommandScope, string] {
  const { type, chat_id, user_id } = scope;
  if (!SCOPES.includes(type)) throw badRequest("can't parse BotCommandScope: unsupported type specified");
  const language = checkLanguage(language_code);
  if (!OF_A_CHAT.includes(type)) return [{ type }, language];
  const chat = chats.resolve(chat_id);
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

const setMyCommands = method(
  'setMyCommands',
  { ...target, commands: parsed(z.array(z.object({ command: z.string(), description: z.string() }))) },
  (params, { profile, chats }) => {
    profile.setCommands(...checkTarget(params, chats), checkCommands(params.commands));
    return true;
  },
);

const getMyCommands = method('getMyCommands', target, (params, { profile, chats }) =>
  profile.commands(...checkTarget(params, chats)),
);

const deleteMyCommands = method('deleteMyCommands', target, (params, { profile, chats }) => {
  profile.setCommands(...checkTarget(params, chats), []);
  return true;
});

const setMyDescription = method(
  'setMyDescription',
  { description: text.default(''), language_code: languageCode },
  ({ description, language_code }, { profile }) => {
    if (description.length > 512) throw badRequest('description is too long');
    profile.descriptions.set(checkLanguage(language_code), description);
    return true;
  },
);

const getMyDescription = method(
  'getMyDescription',
  { language_code: languageCode },
  ({ language_code }, { profile }) => ({
    description: profile.descriptions.get(checkLanguage(language_code)) ?? '',
  }),
);

const setMyShortDescription = method(
  'setMyShortDescription',
  { short_description: text.default(''), language_code: languageCode },
  ({ short_description, language_code }, { profile }) => {
    if (short_description.length > 120) throw badRequest('short description is too long');
    profile.shortDescriptions.set(checkLanguage(language_code), short_description);
    return true;
  },
);

const getMyShortDescription = method(
  'getMyShortDescription',
  { language_code: languageCode },
  ({ language_code }, { profile }) => ({
    short_description: profile.shortDescriptions.get(checkLanguage(language_code)) ?? '',
  }),
);

const setChatMenuButton = method(
  'setChatMenuButton',
  {
    chat_id: integer.default(0),
    menu_button: parsed(z.looseObject({ type: z.string() })).default({ type: 'default' }),
  },
  ({ chat_id, menu_button }, { chats, profile }) => {
    if (chat_id !== 0) chats.resolve(chat_id);
    if (!['commands', 'web_app', 'default'].includes(menu_button.type)) {
      throw badRequest("can't parse MenuButton: unsupported type specified");
    }
    profile.menuButtons.set(chat_id, menu_button);
    return true;
  },
);

const getChatMenuButton = method(
  'getChatMenuButton',
  { chat_id: integer.default(0) },
  ({ chat_id }, { profile }) =>
    profile.menuButtons.get(chat_id) ?? profile.menuButtons.get(0) ?? { type: 'commands' },
);

/** Returns a chat. A private chat doesn't exist for the bot until its user has written to the bot. */
const getChat = method('getChat', { chat_id: chatId }, ({ chat_id }, { chats }) => {
  const chat = chats.resolve(chat_id);
  if (chat.person && !chat.started) throw chatNotFound();
  return { ...chatObject(chat), accent_color_id: 0, max_reaction_count: 11 };
});

const getFile = method('getFile', { file_id: text.default('') }, ({ file_id }, { files }) => {
  const file = files.byId(file_id);
  if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
  const { fileId, uniqueId, bytes, path } = file;
  return { file_id: fileId, file_unique_id: uniqueId, file_size: bytes.length, file_path: path };
});

const getMe = method('getMe', {}, () => ({
  ...BOT_USER,
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
}));

const MAX_TIMEOUT_S = 50;

const getUpdates = method(
  'getUpdates',
  {
    offset: integer.default(0),
    limit: integer.default(100),
    timeout: integer.default(0),
    allowed_updates: parsed(z.array(z.string())).optional(),
  },
  ({ offset, limit, timeout, allowed_updates }, { updates, polling, delivery }, { signal }) => {
    if (delivery.webhook()) {
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    if (allowed_updates) updates.allow(allowed_updates);
    return polling.poll(
      {
        offset,
        limit: limit >= 1 && limit <= 100 ? limit : 100,
        timeoutMs: Math.min(timeout, MAX_TIMEOUT_S) * 1_000,
      },
      signal,
    );
  },
);

const getWebhookInfo = method('getWebhookInfo', {}, (_, { updates, delivery }) => {
  const webhook = delivery.webhook();
  const error = delivery.lastError();
  const allowed = updates.allowed();
  return {
    url: webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: updates.waiting().length,
    ...(webhook && { max_connections: webhook.maxConnections }),
    ...(error && {
      last_error_date: Math.floor(error.at / 1_000),
      last_error_message: error.message,
    }),
    ...(allowed.length > 0 && { allowed_updates: allowed }),
  };
});

const PORTS = ['', '443', '80', '88', '8443'];

const setWebhook = method(
  'setWebhook',
  {
    url: text.default(''),
    secret_token: text.optional(),
    max_connections: integer.default(40),
    allowed_updates: parsed(z.array(z.string())).optional(),
    drop_pending_updates: flag.default(false),
  },
  (
    { url, secret_token, max_connections, allowed_updates, drop_pending_updates },
    { updates, polling, delivery },
  ) => {
    if (url !== '') checkUrl(url);
    if (secret_token && secret_token.length > 256) throw badRequest('secret token is too long');
    if (secret_token && !/^[A-Za-z0-9_-]+$/.test(secret_token)) {
      throw badRequest('secret token contains unallowed characters');
    }
    if (drop_pending_updates) updates.clear();
    if (allowed_updates) updates.allow(allowed_updates);
    if (url === '') {
      delivery.use(undefined);
    } else {
      polling.interrupt('setWebhook request');
      const maxConnections = Math.min(100, Math.max(1, max_connections));
      delivery.use({ url, maxConnections, secretToken: secret_token || undefined });
    }
    return true;
  },
);

/** Requires https on one of Telegram's four ports. On loopback, which Telegram can't reach, allows http and any port. */
function checkUrl(text: string): void {
  if (!URL.canParse(text)) throw badRequest('invalid webhook URL specified');
  const { protocol, hostname, port } = new URL(text);
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) && /^https?:$/.test(protocol)) return;
  if (protocol !== 'https:') throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (!PORTS.includes(port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
}

const deleteWebhook = method(
  'deleteWebhook',
  { drop_pending_updates: flag.default(false) },
  ({ drop_pending_updates }, { updates, delivery }) => {
    if (drop_pending_updates) updates.clear();
    delivery.use(undefined);
    return true;
  },
);

/** Bot API methods that the sandbox supports. */
export const METHODS: readonly Method[] = [
  getMe,
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  sendMessage,
  sendPhoto,
  sendDocument,
  sendVideo,
  copyMessage,
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  deleteMessage,
  answerCallbackQuery,
  sendChatAction,
  getChat,
  getFile,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  setMyDescription,
  getMyDescription,
  setMyShortDescription,
  getMyShortDescription,
  setChatMenuButton,
  getChatMenuButton,
];
