import { z } from 'zod';
import { LANGUAGES } from '../i18n/texts.ts';
import type { StoredData } from '../platform/stored-data.ts';

/** Record of a chat. `ChatTransactions` reads and writes it. */
export const CHAT = {
  keys: 'chat:{user}',
  content: 'Session (language, open card), lease, ids of handled updates',
  expiry: '180 days without an update; 2 days if the session is empty',
  retained: { own: 'kept-handled' },
} as const satisfies StoredData;

/** Open flow of a chat. `ChatTransactions` reads and writes it. */
export const CONVERSATION = {
  keys: 'conversation:{user}',
  content: "State of the open flow's question",
  expiry: '30 days',
  // The question of an admin's flow can name another user.
  retained: { elsewhere: 'kept-others' },
} as const satisfies StoredData;

const cardSchema = z.object({ operation: z.string(), message: z.number() });

/** Layout of sessions from when a chat could only wait for one kind of secret. */
const awaitingKey = z.object({ awaitingKey: z.literal(true) }).transform(() => 'link');

/** Validates each field separately. A field in the format of another version is dropped, and the others remain. */
const sessionSchema = z.object({
  /** Chosen in the settings. Without it, the language of the user's Telegram applies. */
  language: z.enum(LANGUAGES).optional().catch(undefined),
  /** Feature for which the next message is a secret, which is deleted before anything else. */
  awaiting: z.string().optional().catch(undefined),
  /** Card that expects a one-time code, and when it stops expecting it (epoch milliseconds). */
  code: cardSchema.extend({ until: z.number() }).optional().catch(undefined),
  /** Until then a message with only a number of six digits is treated as a code and deleted (epoch milliseconds). */
  codesUntil: z.number().optional().catch(undefined),
  /** Message with the buttons of the current question. */
  question: z.number().optional().catch(undefined),
  /** Card that waits for *Confirm*, used for typed answers. */
  card: cardSchema.optional().catch(undefined),
  /** The user's default duration; without it, each purchase asks. Every card shows the duration that applies. */
  hours: z
    .union([z.literal(1), z.literal(24)])
    .optional()
    .catch(undefined),
  /** The only card that can be confirmed, until another card or a question replaces it. */
  draft: cardSchema.optional().catch(undefined),
});

/** State of a chat between updates, apart from an open flow. */
export type Session = z.infer<typeof sessionSchema>;

/** Parses a stored session. Drops everything that is invalid. */
export function readSession(text: string | undefined): Session {
  if (text === undefined) return {};
  const json = parseJson(text);
  const session = sessionSchema.safeParse(json).data ?? {};
  // Checked only if present, because invalid input takes zod ten times as long as valid input.
  const awaitingOfOlderVersion = text.includes('awaitingKey') ? awaitingKey.safeParse(json).data : undefined;
  const awaiting = session.awaiting ?? awaitingOfOlderVersion;
  return withoutUndefined({ ...session, awaiting });
}

/** Serializes a session for storage. Returns `undefined` if there is nothing to store. */
export function sessionText(session: Session): string | undefined {
  const text = JSON.stringify(session);
  return text === '{}' ? undefined : text;
}

/** Returns whether a stored text is a session of any version. */
export function isSession(text: string): boolean {
  return sessionSchema.safeParse(parseJson(text)).success;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutUndefined(session: Session): Session {
  return Object.fromEntries(Object.entries(session).filter(([, value]) => value !== undefined));
}
