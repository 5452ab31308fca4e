import { BOT_USER, chatObject, messageObject, userObject } from './bot-objects.ts';
import type { Chat } from './chats.ts';
import { type Entity, withFoundEntities } from './entities.ts';
import { BOT, type Person } from './people.ts';
import type { World } from './world.ts';

/** What a person does in Telegram's client. Update ids are undefined where the bot isn't told. */
export interface Acts {
  write(chat: Chat, author: Person, text: string): { messageId: number; updateId: number | undefined };
  /** Taps a button of the message; `data` may be anything, as a client may send anything. */
  tap(
    chat: Chat,
    person: Person,
    messageId: number,
    data: string,
  ): { updateId: number | undefined; callbackId: string } | undefined;
  remove(chat: Chat, messageId: number): boolean;
  block(chat: Chat, person: Person, isBlocked: boolean): number | undefined;
}

export function createActs({ clock, chats, updates, callbacks }: World): Acts {
  return {
    write(chat, author, text) {
      chat.started = true;
      const entities = withFoundEntities(text, []);
      const message = chats.add(chat, { text, entities, author });
      const isForBot = chat.person !== undefined || addressesBot(text, entities);
      const updateId = isForBot ? updates.add('message', messageObject(chat, message)) : undefined;
      return { messageId: message.id, updateId };
    },
    tap(chat, person, messageId, data) {
      const message = chat.messages.get(messageId);
      if (!message) return undefined;
      const callbackId = callbacks.open(chat.id);
      const updateId = updates.add('callback_query', {
        id: callbackId,
        from: userObject(person),
        message: messageObject(chat, message),
        chat_instance: String(8_000_000_000_000_000 + chat.id),
        data,
      });
      return { updateId, callbackId };
    },
    remove(chat, messageId) {
      const message = chat.messages.get(messageId);
      if (message) chats.remove(chat, message);
      return message !== undefined;
    },
    block(chat, person, isBlocked) {
      if (chat.blocked === isBlocked) return undefined;
      chat.blocked = isBlocked;
      const member = (blocked: boolean) =>
        blocked ? { user: BOT_USER, status: 'kicked', until_date: 0 } : { user: BOT_USER, status: 'member' };
      return updates.add('my_chat_member', {
        chat: chatObject(chat),
        from: userObject(person),
        date: Math.floor(clock.now() / 1_000),
        old_chat_member: member(!isBlocked),
        new_chat_member: member(isBlocked),
      });
    },
  };
}

/** In privacy mode a bot in a group sees what begins with a command for it (or for nobody by name), and mentions. */
function addressesBot(text: string, entities: readonly Entity[]): boolean {
  return entities.some(({ type, offset, length }) => {
    const [, name] = text
      .slice(offset, offset + length)
      .toLowerCase()
      .split('@');
    if (type === 'bot_command') return offset === 0 && (name === undefined || name === BOT.username);
    return type === 'mention' && name === BOT.username;
  });
}
