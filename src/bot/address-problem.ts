import type { GivenAddress } from '../rental/given-address.ts';
import { escapeHtml, type Words } from '../texts/texts.ts';
import { lines } from '../texts/view.ts';

/** Of those in one message; nobody means one of more than that. */
export const MOST_EITHER = 4;
/** Of letters that are named. */
const MOST_LETTERS = 4;

/** Why no address was taken, in Telegram's HTML. */
export function addressProblem(words: Words, given: Exclude<GivenAddress, { kind: 'address' }>): string {
  switch (given.kind) {
    case 'none':
      return words.html(`problem-address-${given.problem}`, { length: String(given.length) });
    case 'several':
      return given.addresses.length > MOST_EITHER
        ? words.html('problem-address-many')
        : lines(
            words.html('problem-address-several'),
            ...given.addresses.map((address, at) => `${at + 1}. <code>${escapeHtml(address)}</code>`),
          );
    case 'foreign': {
      const named = given.letters
        .slice(0, MOST_LETTERS)
        .map(({ letter, place, script }) => words.plain('foreign-letter', { letter, place, script }));
      return words.html('problem-address-foreign', {
        letters: named.join(', '),
        more: given.letters.length > MOST_LETTERS ? 'yes' : 'no',
        count: given.letters.length,
      });
    }
  }
}
