import type { InlineKeyboardButton } from 'grammy/types';
import type { People } from '../accounts/people.ts';
import type { Copied, Copier } from '../telegram/copier.ts';
import type { Result } from '../texts/broadcast-counts.ts';
import type { Language } from '../texts/texts.ts';
import { takesNews } from './audience.ts';
import type { Broadcast, Contents } from './broadcast.ts';

/**
 * `again`: nothing was sent, and it is tried once more after that time; `isTry`: but not for ever. `halt`: nothing was sent,
 * nor will be to anybody else.
 */
export type Attempt =
  | { kind: 'settled'; as: Result; reason?: string }
  | { kind: 'later'; afterMs: number }
  | { kind: 'again'; afterMs: number; isTry: boolean }
  | { kind: 'halt'; pause: NonNullable<Broadcast['pause']> };

/** Result of checking a recipient: a message that may be sent, or an attempt that ended without a request. */
export type Prepared = { kind: 'ready'; send: () => Promise<Attempt> } | Attempt;

const AWAY_MS = 3_000;
const FAILED_MS = 1_000;

/**
 * Checks whether a user may still be sent the broadcast, and prepares their copy. Sends nothing: that is done by `send` of
 * the result, which is called once.
 */
export type PrepareCopy = (
  broadcast: Pick<Broadcast, 'contents' | 'audience'>,
  user: number,
) => Promise<Prepared>;

export function createPrepareCopy(deps: {
  copier: Copier;
  people: Pick<People, 'find' | 'gone'>;
  /** The way to opt out, below each copy. */
  optOut: (language: Language) => InlineKeyboardButton[];
}): PrepareCopy {
  const { copier, people, optOut } = deps;

  return async ({ contents, audience }, user) => {
    const person = await people.find(user);
    // A test goes to who makes it, whatever they have chosen.
    if (person === undefined || !(audience.who === 'me' || takesNews(person))) return settled('skipped');
    const { chat, message, buttons } = contentIn(contents, person.language);
    const keyboard = [...buttons.map((one) => [one]), optOut(person.language)];
    return {
      kind: 'ready',
      async send() {
        // Whatever happens from here on, they may have it.
        const copied = await copier.copy(user, { chat, message }, keyboard).catch(unclear);
        // It is known by the next message at the latest: not worth sending this one again.
        if (copied.kind === 'unwritable') await people.gone(user, copied.why).catch(() => undefined);
        return attemptOf(copied);
      },
    };
  };
}

const unclear = (): Copied => ({ kind: 'unclear' });

function contentIn(contents: Contents, language: Language) {
  return contents[language] ?? contents.default;
}

function attemptOf(copied: Copied): Attempt {
  switch (copied.kind) {
    case 'sent':
      return settled('sent');
    case 'unclear':
      return settled('unknown');
    case 'unwritable':
      return copied.why === 'unreachable'
        ? { ...settled(copied.why), reason: 'not found' }
        : settled(copied.why);
    case 'no-source':
      return { kind: 'halt', pause: { why: 'gone' } };
    case 'no-bot':
      return { kind: 'halt', pause: { why: 'refused', reason: copied.reason } };
    case 'refused':
      return { ...settled('failed'), reason: copied.reason };
    case 'away':
      return { kind: 'again', afterMs: AWAY_MS, isTry: false };
    case 'failed':
      return { kind: 'again', afterMs: FAILED_MS, isTry: true };
    default:
      return copied;
  }
}

/** Returns whether it is certain that this attempt sent nothing, and that a later one may. */
export const isRepeatable = (attempt: Attempt): boolean =>
  attempt.kind !== 'settled' || attempt.as === 'failed';

const settled = (as: Result) => ({ kind: 'settled' as const, as });
