import { BOT_USER, chatObject, messageObject, userObject } from './bot-objects.ts';
import type { Chat } from './chat.ts';
import type { Entity } from './html.ts';
import type { NewMessage } from './messages.ts';
import { BOT, type Person } from './people.ts';
import type { World } from './world.ts';

/** Actions of people in their Telegram client. An update id is undefined if the bot doesn't receive the update. */
export interface UserActions {
  write(
    chat: Chat,
    author: Person,
    message: Omit<NewMessage, 'author'>,
  ): { messageId: number; updateId: number | undefined };
  /** Taps a button of the message. `data` isn't checked against the keyboard, because clients may send any data. */
  tap(
    chat: Chat,
    person: Person,
    messageId: number,
    data: string,
  ): { updateId: number | undefined; callbackId: string } | undefined;
  remove(chat: Chat, messageId: number): boolean;
  block(chat: Chat, person: Person, isBlocked: boolean): number | undefined;
  /** Sends an inline query: the bot's username followed by `query`. */
  query(person: Person, query: string): { updateId: number | undefined; queryId: string };
}

export function createUserActions({ clock, chats, updates, callbacks }: World): UserActions {
  let lastQuery = 4_000_000_000_000_000;
  return {
    write(chat, author, written) {
      chat.started = true;
      const message = chats.add(chat, { ...written, author });
      const isForBot = chat.person !== undefined || addressesBot(written.text, written.entities);
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
    query(person, query) {
      lastQuery += 1;
      const queryId = String(lastQuery);
      const payload = { id: queryId, from: userObject(person), query, offset: '', chat_type: 'private' };
      return { updateId: updates.add('inline_query', payload), queryId };
    },
  };
}

/** In privacy mode, a bot in a group receives mentions and messages that start with a command for it or for any bot. */
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
