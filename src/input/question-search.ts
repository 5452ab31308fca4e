import MiniSearch from 'minisearch';

/** Question of a help topic with its answer, as plain text. */
export interface AnsweredQuestion {
  topic: string;
  question: string;
  answer: string;
}

/** Words that say nothing about the subject of a question. */
const COMMON = new Set(
  (
    'a about after am an and any are at be been before but by can could did do does for from get go got had has have ' +
    'how i if in into is it its just long make me much my need no not now of on one or our please s should so still ' +
    'tell than that the their them then there they this to up us want was we what when where which who why will with ' +
    'work works would you your ' +
    'а без бы был была было быть в вам вас во вот вы где да для до его ее если есть еще же за и из или им как какая ' +
    'какие какой когда кто ли мне меня мой моя мои можно мы на надо нам не нет но ну нужно о об он она они от очень по ' +
    'почему при про с сейчас сколько скажите со так такое там то тоже только ты у уже хочу чего чем что чтобы это этот я'
  ).split(' '),
);

/** Number of letters by which a word is recognized, so that its endings don't matter: *withdrawal*, *withdraw*. */
const STEM_LETTERS = 5;

/** Minimum ratio of the best topic's score to that of the next one. */
const CLEAR_LEAD = 1.5;
const MAX_TOPICS = 3;

function stemOf(term: string): string | undefined {
  const word = term.toLowerCase().replaceAll('ё', 'е');
  return COMMON.has(word) || /^\d+$/.test(word) ? undefined : word.slice(0, STEM_LETTERS);
}

const tokensIn = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Creates a search for the topic that a user's question is about, by the words that it shares with known questions and their
 * answers. `best`: a topic that has most of the words and is far ahead. `near`: the likely topics, at most three, best first.
 */
export function createQuestionSearch(known: readonly AnsweredQuestion[]) {
  const index = new MiniSearch<AnsweredQuestion>({
    idField: 'topic',
    fields: ['question', 'answer'],
    tokenize: tokensIn,
    processTerm: stemOf,
    searchOptions: { boost: { question: 4 } },
  });
  index.addAll(known);

  return (text: string): { best?: string; near: string[] } => {
    const stems = new Set(tokensIn(text).flatMap((word) => stemOf(word) ?? []));
    const found = index.search(text);
    const near = found.slice(0, MAX_TOPICS).map(({ id }) => String(id));
    const [first, second] = found;
    if (first === undefined) return { near };
    const { queryTerms, match, score } = first;
    // A single word of an answer says too little.
    const isAsked =
      queryTerms.length > 1 || Object.values(match).some((fields) => fields.includes('question'));
    const isClear = score >= CLEAR_LEAD * (second?.score ?? 0);
    return isAsked && isClear && 2 * queryTerms.length > stems.size
      ? { best: String(first.id), near }
      : { near };
  };
}
