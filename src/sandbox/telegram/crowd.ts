import type { Chat } from './chat.ts';
import { LatestMessages } from './latest-messages.ts';
import type { Person } from './people.ts';

/** People with ids one after another, who have all started the bot. */
export interface CrowdPart {
  readonly firstId: number;
  readonly count: number;
  readonly languageCode: string;
  /** Every so many have blocked the bot, or deleted their account. */
  readonly blockedEvery?: number | undefined;
  readonly deactivatedEvery?: number | undefined;
}

export interface CrowdFigures {
  count: number;
  /** How many got a message of the bot at least. */
  reached: number;
  messages: number;
  /** The first thousand of those who got more than one: their id, and how many. */
  more: [id: number, times: number][];
  /** How many could be written to and got none, and the first thousand of them. */
  missedCount: number;
  missed: number[];
}

export interface Crowd {
  /** Whether it could be: an id may be somebody's already. */
  add(part: CrowdPart): boolean;
  find(id: number): Chat | undefined;
  figures(): CrowdFigures;
  /** Nobody is left. */
  reset(): void;
}

interface Member extends Chat {
  readonly messages: LatestMessages;
}

const LISTED = 1_000;

/**
 * Very many people of whom little is kept, so that a hundred thousand can be written to: a chat is made when it is first
 * looked for, and keeps the latest messages alone. `taken` are ids that are somebody else's.
 */
export function createCrowd({ taken }: { taken: readonly number[] }): Crowd {
  const met = new Map<number, Member>();
  let parts: CrowdPart[] = [];

  return {
    add(part) {
      const { firstId, count } = part;
      const isTaken =
        taken.some((id) => id >= firstId && id < firstId + count) ||
        parts.some((other) => firstId < other.firstId + other.count && other.firstId < firstId + count);
      if (!isTaken) parts = [...parts, part];
      return !isTaken;
    },
    find(id) {
      const known = met.get(id);
      if (known) return known;
      const part = parts.find(({ firstId, count }) => id >= firstId && id < firstId + count);
      if (!part || !Number.isInteger(id)) return undefined;
      const member = memberOf(part, id);
      met.set(id, member);
      return member;
    },
    figures() {
      const figures: CrowdFigures = {
        ...{ count: 0, reached: 0, messages: 0, missedCount: 0 },
        ...{ more: [], missed: [] },
      };
      for (const part of parts) {
        figures.count += part.count;
        for (let id = part.firstId; id < part.firstId + part.count; id += 1) {
          const member = met.get(id);
          const received = member?.messages.received ?? 0;
          figures.messages += received;
          if (received > 0) figures.reached += 1;
          else if (isWritable(member ?? beginning(part, id))) {
            figures.missedCount += 1;
            if (figures.missed.length < LISTED) figures.missed.push(id);
          }
          if (received > 1 && figures.more.length < LISTED) figures.more.push([id, received]);
        }
      }
      return figures;
    },
    reset() {
      parts = [];
      met.clear();
    },
  };
}

const isWritable = ({ blocked, deactivated }: Pick<Chat, 'blocked' | 'deactivated'>) =>
  !blocked && !deactivated;

/** How somebody of the crowd stands before anything has happened. */
function beginning({ firstId, blockedEvery, deactivatedEvery }: CrowdPart, id: number) {
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
    ...beginning(part, id),
  };
}
