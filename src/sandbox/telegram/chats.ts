import { badRequest, chatNotFound, forbidden } from './bot-api-error.ts';
import { type Chat, emptyChat } from './chat.ts';
import { LatestMessages } from './latest-messages.ts';
import { type Content, type Message, messageView, type NewMessage } from './messages.ts';
import { GROUP, type Person } from './people.ts';
import type { Feed } from './updates.ts';

export interface Chats {
  find(id: number): Chat | undefined;
  /** Returns the chat of a `chat_id` parameter. @throws BotApiError */
  resolve(chatId: number | string | undefined): Chat;
  /** Like `named`, but only if the bot may write there. @throws BotApiError */
  resolveWritable(chatId: number | string | undefined): Chat;
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
  const resolve = (chatId: number | string | undefined): Chat => {
    if (chatId === undefined || chatId === '') throw badRequest('chat_id is empty');
    const chat = find(Number(chatId));
    if (!chat) throw chatNotFound();
    return chat;
  };

  return {
    find,
    resolve,
    resolveWritable(chatId) {
      const chat = resolve(chatId);
      if (chat.deactivated) throw forbidden('user is deactivated');
      if (chat.blocked) throw forbidden('bot was blocked by the user');
      if (chat.person && !chat.started) throw forbidden("bot can't initiate conversation with a user");
      return chat;
    },
    add(chat, written) {
      chat.lastMessageId += 1;
      const message: Message = { ...written, id: chat.lastMessageId, sentAt: now() };
      chat.messages.set(message.id, message);
      feed.publish(chat.id, 'message', messageView(message));
      return message;
    },
    edit(chat, { id, sentAt, replyTo }, content) {
      const message: Message = { ...content, id, sentAt, replyTo, editedAt: now() };
      chat.messages.set(id, message);
      feed.publish(chat.id, 'edit', messageView(message));
      return message;
    },
    remove(chat, { id }) {
      chat.messages.delete(id);
      feed.publish(chat.id, 'delete', { message_id: id });
    },
    reset() {
      for (const chat of chats.values()) {
        chat.messages.clear();
        chat.started = false;
        chat.blocked = false;
        chat.deactivated = false;
        feed.publish(chat.id, 'chat', {});
      }
    },
  };
}

/** Range of users with consecutive ids. All have started the bot. */
interface CrowdPart {
  readonly firstId: number;
  readonly count: number;
  readonly languageCode: string;
  /** Every n-th user has blocked the bot or, with `deactivatedEvery`, deleted their account. */
  readonly blockedEvery?: number | undefined;
  readonly deactivatedEvery?: number | undefined;
}

interface CrowdFigures {
  count: number;
  /** Number of users with at least one message of the bot. */
  reached: number;
  messages: number;
  /** Users with more than one message: id and number of messages. At most 1,000. */
  more: [id: number, times: number][];
  /** Number of reachable users without a message. `missed` has the first 1,000 of their ids. */
  missedCount: number;
  missed: number[];
}

export interface Crowd {
  /** Returns false if one of the ids is already taken. */
  add(part: CrowdPart): boolean;
  find(id: number): Chat | undefined;
  figures(): CrowdFigures;
  /** Removes all users. */
  reset(): void;
}

interface Member extends Chat {
  readonly messages: LatestMessages;
}

const MAX_LISTED_IDS = 1_000;

/**
 * Creates a crowd: users that take little memory, so that the bot can write to a hundred thousand of them. A chat is created
 * on first access and stores only the latest messages. `taken` lists ids outside the crowd.
 */
export function createCrowd({ reservedIds }: { reservedIds: readonly number[] }): Crowd {
  const members = new Map<number, Member>();
  let parts: CrowdPart[] = [];

  return {
    add(part) {
      const { firstId, count } = part;
      const isTaken =
        reservedIds.some((id) => id >= firstId && id < firstId + count) ||
        parts.some((other) => firstId < other.firstId + other.count && other.firstId < firstId + count);
      if (!isTaken) parts = [...parts, part];
      return !isTaken;
    },
    find(id) {
      const existing = members.get(id);
      if (existing) return existing;
      const part = parts.find(({ firstId, count }) => id >= firstId && id < firstId + count);
      if (!part || !Number.isInteger(id)) return undefined;
      const member = memberOf(part, id);
      members.set(id, member);
      return member;
    },
    figures() {
      const figures: CrowdFigures = {
        count: 0,
        reached: 0,
        messages: 0,
        missedCount: 0,
        more: [],
        missed: [],
      };
      for (const part of parts) {
        figures.count += part.count;
        for (let id = part.firstId; id < part.firstId + part.count; id += 1) {
          const member = members.get(id);
          const received = member?.messages.received ?? 0;
          figures.messages += received;
          if (received > 0) figures.reached += 1;
          else if (isWritable(member ?? initialFlags(part, id))) {
            figures.missedCount += 1;
            if (figures.missed.length < MAX_LISTED_IDS) figures.missed.push(id);
          }
          if (received > 1 && figures.more.length < MAX_LISTED_IDS) figures.more.push([id, received]);
        }
      }
      return figures;
    },
    reset() {
      parts = [];
      members.clear();
    },
  };
}

const isWritable = ({ blocked, deactivated }: Pick<Chat, 'blocked' | 'deactivated'>) =>
  !blocked && !deactivated;

/** Returns the initial flags of a crowd member. */
function initialFlags({ firstId, blockedEvery, deactivatedEvery }: CrowdPart, id: number) {
  const isNth = (every: number | undefined) => every !== undefined && (id - firstId + 1) % every === 0;
  return { blocked: isNth(blockedEvery), deactivated: isNth(deactivatedEvery) };
}

function memberOf(part: CrowdPart, id: number): Member {
  const person: Person = {
    id,
    first_name: `Person ${id}`,
    username: `person_${id}`,
    language_code: part.languageCode,
    role: 'guest',
  };
  return {
    id,
    person,
    messages: new LatestMessages(),
    lastMessageId: 0,
    started: true,
    ...initialFlags(part, id),
  };
}
