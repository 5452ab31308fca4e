import { z } from 'zod';
import { badRequest } from '../refusal.ts';
import { integer, parsed } from './fields.ts';
import { method } from './method.ts';

export const setChatMenuButton = method(
  'setChatMenuButton',
  {
    chat_id: integer.default(0),
    menu_button: parsed(z.looseObject({ type: z.string() })).default({ type: 'default' }),
  },
  ({ chat_id, menu_button }, { chats, profile }) => {
    if (chat_id !== 0) chats.named(chat_id);
    if (!['commands', 'web_app', 'default'].includes(menu_button.type)) {
      throw badRequest("can't parse MenuButton: unsupported type specified");
    }
    profile.menuButtons.set(chat_id, menu_button);
    return true;
  },
);

export const getChatMenuButton = method(
  'getChatMenuButton',
  { chat_id: integer.default(0) },
  ({ chat_id }, { profile }) =>
    profile.menuButtons.get(chat_id) ?? profile.menuButtons.get(0) ?? { type: 'commands' },
);
