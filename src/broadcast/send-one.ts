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

const AWAY_MS = 3_000;
const FAILED_MS = 1_000;

/**
 * Sends a broadcast to one of its audience, who may have gone or opted out since that was fixed. `mayBegin` is asked last
 * of all: nothing is sent once it says no.
 */
export type SendOne = (
  broadcast: Pick<Broadcast, 'contents' | 'audience'>,
  user: number,
  mayBegin: () => boolean,
) => Promise<Attempt>;

export function createSendOne(deps: {
  copier: Copier;
  people: Pick<People, 'find' | 'gone'>;
  /** The way to opt out, below each copy. */
  optOut: (language: Language) => InlineKeyboardButton[];
}): SendOne {
  const { copier, people, optOut } = deps;

  return async ({ contents, audience }, user, mayBegin) => {
    const person = await people.find(user);
    // A test goes to who makes it, whatever they have chosen.
    if (person === undefined || !(audience.who === 'me' || takesNews(person))) return settled('skipped');
    if (!mayBegin()) return { kind: 'again', afterMs: 0, isTry: false };
    const { chat, message, buttons } = contentIn(contents, person.language);
    const keyboard = [...buttons.map((one) => [one]), optOut(person.language)];
    // Whatever happens from here on, they may have it.
    const copied = await copier.copy(user, { chat, message }, keyboard).catch(unclear);
    // It is known by the next message at the latest: not worth sending this one again.
    if (copied.kind === 'unwritable') await people.gone(user, copied.why).catch(() => undefined);
    return attemptOf(copied);
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

const settled = (as: Result) => ({ kind: 'settled' as const, as });
