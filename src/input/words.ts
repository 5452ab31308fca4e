/** Words that are understood in every language, whatever the labels of the buttons are. */
export const CONTROL_WORDS = new Map<string, ControlWord>([
  ['confirm', 'confirm'],
  ['подтвердить', 'confirm'],
  ['yes', 'confirm'],
  ['да', 'confirm'],
  ['back', 'back'],
  ['назад', 'back'],
  ['cancel', 'cancel'],
  ['отмена', 'cancel'],
  ['stop', 'cancel'],
  ['стоп', 'cancel'],
]);

type ControlWord = 'confirm' | 'back' | 'cancel';

export function controlWordOf(text: string): ControlWord | undefined {
  return CONTROL_WORDS.get(normalizeLabel(text));
}

/** Returns whether a text contains these words, also a Russian name with another ending: *Вася* for *Васи*. */
export function containsWords(text: string, sought: string): boolean {
  const [whole, words] = [text.toLowerCase(), sought.toLowerCase()];
  const stems = stemsOf(whole);
  return (
    whole.includes(words) || (CYRILLIC.test(words) && stemsOf(words).every((one) => stems.includes(one)))
  );
}

const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Endings of Russian names by case. */
const ENDING = /(?<=\p{Script=Cyrillic}{2})(?:ой|ей|ом|ем|[аеёиоуыюяьй])$/u;

const stemsOf = (text: string) =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(ENDING, ''));

/** Normalizes a label to what a user would type: without price, capitals and signs at its ends. */
export function normalizeLabel(label: string): string {
  const [name = ''] = label.split(' · ');
  return name
    .toLowerCase()
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
}
