import { isOrderWord } from './energy-terms.ts';
import { separateAddresses } from './order-text.ts';
import { isAll } from './withdrawal-text.ts';

/** Maximum number of characters of each part. A complete request has fewer. */
const MAX_LENGTH = 200;
const AMOUNT = /^(?:\d[\d.,'’]*[a-zа-я]?|trx)$/iu;

/** Returns whether a word of a command isn't a name, but an amount or belongs to one. */
const isAmount = (word: string) => AMOUNT.test(word) || isAll(word) || isOrderWord(word);

/** Finds the name of an address at either end of a text. `rest`: the other words. */
type FindName = (text: string) => { address: string; rest: string } | undefined;

/** Separates the text after a command into addresses or the name of one (`to`) and other words. */
export function readCommandText(text: string, findName: FindName): { said: string; to?: string } {
  const { to, said } = separateAddresses(text);
  const given = to === '' ? readName(said, findName) : { said, to };
  return {
    said: given.said.slice(0, MAX_LENGTH),
    ...(given.to !== undefined && { to: given.to.slice(0, MAX_LENGTH) }),
  };
}

/** Reads a name. If none is known, words other than amounts count as an unknown name, so that no default replaces it. */
function readName(said: string, findName: FindName): { said: string; to?: string } {
  const found = findName(said);
  if (found) return { said: found.rest, to: found.address };
  const words = said.split(' ');
  if (said === '' || words.every(isAmount)) return { said };
  const name = words.filter((word) => !isAmount(word)).join(' ');
  return { said: words.filter(isAmount).join(' '), to: name };
}
