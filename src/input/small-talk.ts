/** Words of small talk in lower case. A text counts by the first kind of which it has a word. */
const TALK = {
  thanks: 'thanks thank thx ty tnx cheers спасибо спс благодарю пасиб спасибки',
  hello:
    'hello hi hey hallo hola yo morning evening привет здравствуйте здравствуй приветствую хай салют алло',
  bye: 'bye goodbye cya пока прощайте прощай',
  ok: 'ok okay k okey yes yep yeah sure fine good great cool nice perfect awesome super done understood got ок окей ладно хорошо понял поняла понятно ясно да ага угу супер отлично класс круто готово',
} as const satisfies Record<string, string>;
/** Words beside small talk that change nothing about it. */
const FILLERS = new Set(
  'a all and anybody anyone bot bro dear for friend good here it lot man many much of see sir so team that the there to u very you your добрый доброе день утро вечер большое огромное всем вам тебе бот вас всё все очень и за до свидания встречи есть кто кто-нибудь нибудь тут здесь'.split(
    ' ',
  ),
);
/** Phrases whose words alone are no small talk. */
const PHRASES = new Map<string, keyof typeof TALK>([
  ['good morning', 'hello'],
  ['good day', 'hello'],
  ['good evening', 'hello'],
  ['добрый день', 'hello'],
  ['доброе утро', 'hello'],
  ['добрый вечер', 'hello'],
  ['how are you', 'hello'],
  ['how are you doing', 'hello'],
  ['как дела', 'hello'],
  ['как ваши дела', 'hello'],
  ['как поживаете', 'hello'],
  ['see you', 'bye'],
  ['до свидания', 'bye'],
]);
const KINDS_OF_TALK = Object.entries(TALK).map(
  ([kind, words]) => [kind as keyof typeof TALK, new Set(words.split(' '))] as const,
);

/** Number of words up to which thanks among others are small talk. */
const MAX_WORDS = 7;

/** Returns the kind of small talk that the words are, or `undefined`. `isExact`: there are no other words. */
export function talkIn(words: readonly string[]): { kind: keyof typeof TALK; isExact: boolean } | undefined {
  const phrase = PHRASES.get(words.join(' '));
  const kind = phrase ?? KINDS_OF_TALK.find(([, own]) => words.some((word) => own.has(word)))?.[0];
  if (kind === undefined) return undefined;
  const isExact =
    phrase !== undefined ||
    words.every((word) => FILLERS.has(word) || KINDS_OF_TALK.some(([, own]) => own.has(word)));
  // Thanks come with all kinds of words. Others are small talk only by themselves.
  return isExact || (kind === 'thanks' && words.length <= MAX_WORDS) ? { kind, isExact } : undefined;
}
