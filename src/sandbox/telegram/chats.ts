import { type Chat, emptyChat } from './chat.ts';
import type { Crowd } from './crowd.ts';
import type { Feed } from './feed.ts';
import type { Content, Message, NewMessage } from './message.ts';
import { messageView } from './message-view.ts';
import { GROUP, type Person } from './people.ts';
import { badRequest, chatNotFound, forbidden } from './refusal.ts';

export interface Chats {
  find(id: number): Chat | undefined;
  /** Returns the chat of a `chat_id` parameter. @throws Refusal */
  named(chatId: number | string | undefined): Chat;
  /** Like `named`, but only if the bot may write there. @throws Refusal */
  writable(chatId: number | string | undefined): Chat;
  add(chat: Chat, message: NewMessage): Message;
  edit(chat: Chat, message: Message, content: Content): Message;
  remove(chat: Chat, message: Message): void;
  reset(): void;
}

/** Creates the chats and their messages. Message ids increase per chat, for both sides, and don't restart after a reset. */
export function createChats({
  people,
  now,
  feed,
  crowd,
}: {
  people: readonly Person[];
  now: () => number;
  feed: Feed;
  /** Source of chats that aren't in `people`. */
  crowd: Pick<Crowd, 'find'>;
}): Chats {
  const chats = new Map<number, Chat>(people.map((person) => [person.id, emptyChat(person.id, person)]));
  chats.set(GROUP.id, emptyChat(GROUP.id));

  const find = (id: number) => chats.get(id) ?? crowd.find(id);
  const named = (chatId: number | string | undefined): Chat => {
    if (chatId === undefined || chatId === '') throw badRequest('chat_id is empty');
    const chat = find(Number(chatId));
    if (!chat) throw chatNotFound();
    return chat;
  };

  return {
    find,
    named,
    writable(chatId) {
      const chat = named(chatId);
      if (chat.deactivated) throw forbidden('user is deactivated');
      if (chat.blocked) throw forbidden('bot was blocked by the user');
      if (chat.person && !chat.started) throw forbidden("bot can't initiate conversation with a user");
      return chat;
    },
    add(chat, written) {
      chat.lastMessageId += 1;
      const message: Message = { ...written, id: chat.lastMessageId, sentAt: now() };
      chat.messages.set(message.id, message);
      feed.tell(chat.id, 'message', messageView(message));
      return message;
    },
    edit(chat, { id, sentAt, replyTo }, content) {
      const message: Message = { ...content, id, sentAt, replyTo, editedAt: now() };
      chat.messages.set(id, message);
      feed.tell(chat.id, 'edit', messageView(message));
      return message;
    },
    remove(chat, { id }) {
      chat.messages.delete(id);
      feed.tell(chat.id, 'delete', { message_id: id });
    },
    reset() {
      for (const chat of chats.values()) {
        chat.messages.clear();
        chat.started = false;
        chat.blocked = false;
        chat.deactivated = false;
        feed.tell(chat.id, 'chat', {});
      }
    },
  };
}
