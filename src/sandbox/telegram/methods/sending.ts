import { messageObject } from '../bot-objects.ts';
import type { Chat } from '../chat.ts';
import { type Content, type Message, sameContent } from '../message.ts';
import { badRequest } from '../refusal.ts';
import type { World } from '../world.ts';

interface Reply {
  message_id: number;
  allow_sending_without_reply?: boolean | undefined;
}

/** Sends a message of the bot, if the chat, its user and the rate limits allow it. Returns its API object. @throws Refusal */
export function send(
  world: World,
  chatId: number | string | undefined,
  content: Content,
  reply: Reply | undefined,
): unknown {
  const chat = world.chats.writable(chatId);
  return messageObject(chat, put(world, chat, content, reply));
}

/** Like `send`, but for a chat that was checked to be writable. Returns the message. @throws Refusal */
export function put({ chats, pace }: World, chat: Chat, content: Content, reply: Reply | undefined): Message {
  const isReplyFound = reply !== undefined && chat.messages.has(reply.message_id);
  if (reply && !isReplyFound && !reply.allow_sending_without_reply) {
    throw badRequest('message to be replied not found');
  }
  pace.admit(chat.id);
  return chats.add(chat, { ...content, replyTo: isReplyFound ? reply.message_id : undefined });
}

/** Edits a message of the bot. `change` receives the message and returns its new content. @throws Refusal */
export function edit(
  { chats }: World,
  { chat_id, message_id }: { chat_id?: number | string | undefined; message_id?: number | undefined },
  change: (message: Message) => Content,
): unknown {
  const chat = chats.writable(chat_id);
  const message = findMessage(chat, message_id, 'message to edit not found');
  if (message.author) throw badRequest("message can't be edited");
  const content = change(message);
  if (sameContent(message, content)) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  }
  return messageObject(chat, chats.edit(chat, message, content));
}

/** Returns a message of a chat. @throws Refusal with the text `notFound` if it is missing */
export function findMessage(chat: Chat, id: number | undefined, notFound: string): Message {
  if (id === undefined) throw badRequest('message identifier is not specified');
  const message = chat.messages.get(id);
  if (!message) throw badRequest(notFound);
  return message;
}
