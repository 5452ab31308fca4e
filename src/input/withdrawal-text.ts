const VERB = /^(?:withdraw(?:al)?|вывести|выведи(?:те)?|вывод)\s+(.+)$/isu;
const AMOUNT = /^(all|вс[её]|\d[\d.,\s]*)(?:trx|трх)?(?:\s+|$)/iu;
const RECIPIENT = /^(?:(?:to|на)\s+(.+)|(T\S+))$/isu;
const ALL = /^(?:all|вс[её])$/iu;

/** Returns whether an amount means the whole balance. */
export const isAll = (amount: string): boolean => ALL.test(amount.trim());

/**
 * Reads a withdrawal in words as the text after the command `/withdraw`: `withdraw 10 to ADDRESS`, `вывести всё`. Returns
 * `undefined` for texts about anything else.
 */
export function readWithdrawalText(text: string): string | undefined {
  const [, said = ''] = VERB.exec(text.trim().replace(/[.!]+$/, '')) ?? [];
  const [given = '', amount = ''] = AMOUNT.exec(said) ?? [];
  const rest = said.slice(given.length);
  const [, named, address] = RECIPIENT.exec(rest) ?? [];
  const to = named ?? address;
  if (rest !== '' && to === undefined) return undefined;
  return [to, amount.trim()].filter(Boolean).join(' ') || undefined;
}
