import type { Message } from './message.ts';
import type { Person } from './people.ts';

export interface Chat {
  readonly id: number;
  /** Whom the bot talks to here; nobody in a group. */
  readonly person?: Person;
  readonly messages: Map<number, Message>;
  lastMessageId: number;
  /** The person has written to the bot. */
  started: boolean;
  blocked: boolean;
  /** The person has deleted their account. */
  deactivated: boolean;
}

/** A chat in which nothing was said. */
export const emptyChat = (id: number, person?: Person): Chat => ({
  id,
  ...(person && { person }),
  messages: new Map(),
  lastMessageId: 0,
  started: false,
  blocked: false,
  deactivated: false,
});
