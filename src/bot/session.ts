import { z } from 'zod';
import { LANGUAGES } from '../i18n/texts.ts';
import type { StoredData } from '../platform/records.ts';

/** `ChatTransactions` reads and writes this record. */
export const CHAT = {
  keys: 'chat:{user}',
  content: 'Session (language, open card), lease, ids of handled updates',
  expiry: '180 days without an update; 2 days if the session is empty',
  retained: { own: 'kept-handled' },
} as const satisfies StoredData;

/** `ChatTransactions` reads and writes this record. */
export const CONVERSATION = {
  keys: 'conversation:{user}',
  content: "State of the open flow's question",
  expiry: '30 days',
  // The question of an admin's flow can name another user.
  retained: { elsewhere: 'kept-others' },
} as const satisfies StoredData;

const cardSchema = z.object({ operation: z.string(), message: z.number() });

/** Each field is validated separately. One in the format of another version is dropped. */
export const sessionSchema = z.object({
  /** Chosen in the settings. Without it, the language of the user's Telegram applies. */
  language: z.enum(LANGUAGES).optional().catch(undefined),
  /** Feature that expects a secret in the next message. The message is deleted before anything else. */
  awaiting: z.string().optional().catch(undefined),
  /** Name of the question whether another account replaces the linked one. Its key is erased when the question ends. */
  pendingLink: z.string().optional().catch(undefined),
  /** Whether a user without an account asked to sell. Once one is linked, the user is offered seller mode. */
  asksToSell: z.literal(true).optional().catch(undefined),
  /** Account that was in seller mode when the user unlinked it. Linking it again turns seller mode on. */
  soldWith: z.number().optional().catch(undefined),
  /** Card that expects a one-time code, until a time in epoch milliseconds. */
  code: cardSchema.extend({ until: z.number() }).optional().catch(undefined),
  /** Time in epoch milliseconds until which a message with only six digits is treated as a code and deleted. */
  codesUntil: z.number().optional().catch(undefined),
  /** Message with the last reply to a code. */
  codeReply: z.number().optional().catch(undefined),
  /** Message with the buttons of the current question. */
  question: z.number().optional().catch(undefined),
  /** Card that waits for *Confirm*, used for typed answers. */
  card: cardSchema.optional().catch(undefined),
  /** Feature whose screen was shown last, if that reads typed text (`onScreenText`). */
  screen: z.string().optional().catch(undefined),
  /** Address whose menu was shown last, to which typed terms of an order belong. */
  menuAddress: z.string().optional().catch(undefined),
  /** Time at which a list whose buttons confirm was shown, in epoch milliseconds. 0 once a button was used. */
  listShownAt: z.number().optional().catch(undefined),
  /** The user's default duration if it isn't 1 hour, with which an order of energy begins. Bandwidth asks without it. */
  hours: z.literal(24).optional().catch(undefined),
  /**
   * The only card that can be confirmed, until another card or a question replaces it, and when Telegram accepted the
   * message or edit that showed it.
   */
  draft: cardSchema.extend({ shownAt: z.number().optional() }).optional().catch(undefined),
});

/** State of a chat between updates, apart from an open flow. */
export type Session = z.infer<typeof sessionSchema>;
