import { z } from 'zod';
import { LANGUAGES } from '../texts/texts.ts';

const cardSchema = z.object({ operation: z.string(), message: z.number() });

/** What was written before a chat could wait for more than one kind of secret. */
const awaitingKey = z.object({ awaitingKey: z.literal(true) }).transform(() => 'link');

/** Each field by itself: one that an older or a newer version wrote otherwise is left out, and the rest stays. */
const sessionSchema = z.object({
  /** Chosen in the settings; else the language of the person's Telegram holds. */
  language: z.enum(LANGUAGES).optional().catch(undefined),
  /** The feature for which the next message is a secret: it is deleted before anything else. */
  awaiting: z.string().optional().catch(undefined),
  /** The card whose one-time code that is, and until when it is waited for (epoch milliseconds). */
  code: cardSchema.extend({ until: z.number() }).optional().catch(undefined),
  /** Until then a lone six-digit message is taken for a code, and deleted (epoch milliseconds). */
  codesUntil: z.number().optional().catch(undefined),
  /** The message whose buttons answer what is asked at present. */
  question: z.number().optional().catch(undefined),
  /** The card that waits for *Confirm*, for who answers it in words. */
  card: cardSchema.optional().catch(undefined),
  /** Theirs by default; asked for each time where it isn't set. It decides about no money: each card says it. */
  hours: z
    .union([z.literal(1), z.literal(24)])
    .optional()
    .catch(undefined),
  /** The one card that can be confirmed, until another card or a question takes its place. */
  draft: cardSchema.optional().catch(undefined),
});

/** What a chat remembers between updates, apart from an open flow. */
export type Session = z.infer<typeof sessionSchema>;

/** Reads a stored session; whatever can't be read is nothing. */
export function readSession(text: string | undefined): Session {
  if (text === undefined) return {};
  const json = parse(text);
  const session = sessionSchema.safeParse(json).data ?? {};
  // Looked for only where it is: what doesn't fit costs zod ten times what does.
  const older = text.includes('awaitingKey') ? awaitingKey.safeParse(json).data : undefined;
  const awaiting = session.awaiting ?? older;
  return withoutGaps({ ...session, awaiting });
}

/** A session as it is stored; `undefined` where there is nothing to remember. */
export function sessionText(session: Session): string | undefined {
  const text = JSON.stringify(session);
  return text === '{}' ? undefined : text;
}

/** Whether a stored session is one at all, of whatever version. */
export function isSession(text: string): boolean {
  return sessionSchema.safeParse(parse(text)).success;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutGaps(session: Session): Session {
  return Object.fromEntries(Object.entries(session).filter(([, value]) => value !== undefined));
}
