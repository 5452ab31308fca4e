import type { Message } from 'grammy/types';
import type { TextKey } from '../i18n/keys.ts';
import { talkIn } from '../input/small-talk.ts';
import { normalizeLabel } from '../input/words.ts';
import { findAddressInput } from '../rental-api/tron.ts';
import { textOf, USER_CONTENT } from '../telegram/message-content.ts';
import { HELP_BUTTONS, HELP_FEATURE } from '../views/help-buttons.ts';
import type { Aside, NamedFeature } from './context.ts';
import { type Feature, type Handler, handlerOf } from './feature.ts';

type Content = (typeof USER_CONTENT)[number];
/** Replies to messages without text. */
const REPLIES: Partial<Record<Content, TextKey>> = {
  sticker: 'talk-emoji',
  dice: 'talk-emoji',
  animation: 'talk-emoji',
  voice: 'talk-voice',
  audio: 'talk-voice',
  video_note: 'talk-voice',
  photo: 'talk-picture',
};

/** Number of words up to which a text can name a feature among other words. */
const MAX_WORDS = 10;
const MAX_PHRASE = 4;
const QUESTION_MARK = '?';

/** Finds the feature that is called by these words, if it is available to the user. `isWhole`: the text has no others. */
type FindNamed = (
  words: string,
  isWhole?: true,
) => { feature: Feature; button: string; open: Handler; keepsFlow: boolean } | undefined;

/** Returns what a message says beside the subject, or `undefined` if it has an address, an amount, or other words only. */
export function readAside(message: Message, find: FindNamed): Aside | undefined {
  const text = textOf(message).trim();
  if (text === '') {
    const content = USER_CONTENT.find((field) => message[field] !== undefined);
    return { kind: 'talk', reply: (content && REPLIES[content]) ?? 'talk-file', isExact: true };
  }
  if (findAddressInput(text) !== undefined) return undefined;
  const words = normalizeLabel(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const isQuestion = /[?？]$/.test(text);
  if (words.length === 0) {
    if (isQuestion) return named(find(QUESTION_MARK), true);
    return /\p{Extended_Pictographic}/u.test(text)
      ? { kind: 'talk', reply: 'talk-emoji', isExact: true }
      : undefined;
  }
  const said = talkIn(words);
  // *Hello?* is a greeting; *ok?* asks something.
  const talk = isQuestion && !(said?.kind === 'hello' && said.isExact) ? undefined : said;
  const exact = named(find(words.join(' '), true), true);
  if (exact) return exact;
  if (talk) return { kind: 'talk', reply: `talk-${talk.kind}`, isExact: talk.isExact };
  const found = words.length <= MAX_WORDS ? namedIn(words, find) : undefined;
  // *How do I withdraw?* asks for an explanation.
  if (isQuestion && found?.keepsFlow !== true) return named(find(QUESTION_MARK), false);
  return named(found, false);
}

function named(found: ReturnType<FindNamed>, isExact: boolean): NamedFeature | undefined {
  if (found === undefined) return undefined;
  const { feature, button, open, keepsFlow } = found;
  const [entry] = [feature.menu ?? []].flat();
  const atQuestion =
    feature.name === HELP_FEATURE && button === 'open' && isExact
      ? handlerOf(feature.buttons?.[HELP_BUTTONS.atQuestion])
      : undefined;
  return {
    kind: 'feature',
    name: feature.name,
    menuButton: entry?.button,
    hasFlow: feature.flow !== undefined,
    open,
    keepsFlow,
    isExact,
    ...(atQuestion && { explain: (topic) => (ctx) => atQuestion(ctx, topic, 0) }),
  };
}

/** Returns the feature with the longest name in the text, preferably one that only shows something. */
function namedIn(words: readonly string[], find: FindNamed): ReturnType<FindNamed> {
  const found = Array.from({ length: MAX_PHRASE }, (_, at) => MAX_PHRASE - at).flatMap((length) =>
    words.flatMap((_, at) =>
      at + length > words.length ? [] : (find(words.slice(at, at + length).join(' ')) ?? []),
    ),
  );
  return found.find(({ keepsFlow }) => keepsFlow) ?? found[0];
}
