import type { Message } from 'grammy/types';
import type { TextKey } from '../i18n/keys.ts';
import { findAddressInput } from '../rental-api/tron.ts';
import { textOf, USER_CONTENT } from '../telegram/message-content.ts';
import { HELP_BUTTONS, HELP_FEATURE } from '../views/help-buttons.ts';
import type { Aside, NamedFeature, Talk } from './context.ts';
import { normalizeLabel } from './dialogue.ts';
import { type Feature, type Handler, handlerOf } from './feature.ts';

/** Words of small talk in lower case. A text counts by the first kind of which it has a word. */
const TALK = {
  thanks: 'thanks thank thx ty tnx cheers спасибо спс благодарю пасиб спасибки',
  hello: 'hello hi hey hallo hola yo morning evening привет здравствуйте здравствуй приветствую хай салют',
  bye: 'bye goodbye cya пока прощайте прощай',
  ok: 'ok okay k okey yes yep yeah sure fine good great cool nice perfect awesome super done understood got ок окей ладно хорошо понял поняла понятно ясно да ага угу супер отлично класс круто готово',
} as const satisfies Record<string, string>;
/** Words beside small talk that change nothing about it. */
const FILLERS = new Set(
  'a all and bot bro dear for friend good it lot man many much of see sir so team that the there to u very you your добрый доброе день утро вечер большое огромное всем вам тебе бот вас всё все очень и за до свидания встречи'.split(
    ' ',
  ),
);
/** Phrases whose words alone are fillers. */
const PHRASES = new Map<string, keyof typeof TALK>([
  ['good morning', 'hello'],
  ['good day', 'hello'],
  ['good evening', 'hello'],
  ['добрый день', 'hello'],
  ['доброе утро', 'hello'],
  ['добрый вечер', 'hello'],
  ['see you', 'bye'],
  ['до свидания', 'bye'],
]);
const KINDS_OF_TALK = Object.entries(TALK).map(
  ([kind, words]) => [kind as keyof typeof TALK, new Set(words.split(' '))] as const,
);

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
const MAX_WORDS = 7;
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
  const talk = isQuestion ? undefined : talkIn(words);
  const exact = named(find(words.join(' '), true), true);
  if (exact ?? talk) return exact ?? talk;
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
    feature.name === HELP_FEATURE && button === 'open'
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

function talkIn(words: readonly string[]): Talk | undefined {
  const phrase = PHRASES.get(words.join(' '));
  const kind = phrase ?? KINDS_OF_TALK.find(([, own]) => words.some((word) => own.has(word)))?.[0];
  if (kind === undefined) return undefined;
  const isExact =
    phrase !== undefined ||
    words.every((word) => FILLERS.has(word) || KINDS_OF_TALK.some(([, own]) => own.has(word)));
  // Thanks come with all kinds of words. Others are small talk only by themselves.
  if (!isExact && (kind !== 'thanks' || words.length > MAX_WORDS)) return undefined;
  return { kind: 'talk', reply: `talk-${kind}`, isExact };
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
