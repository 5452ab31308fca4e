import type { InlineKeyboardButton } from 'grammy/types';
import type { GivenAddress } from '../rental/given-address.ts';
import { shortened } from '../texts/formats.ts';
import { escapeHtml, type Words } from '../texts/texts.ts';
import { lines } from '../texts/view.ts';

/** Of those in one message; nobody means one of more than that. */
const MOST_EITHER = 4;
/** Of letters that are named. */
const MOST_LETTERS = 4;

/** Those of which one is meant, where they are few enough for a button each. */
export function eitherOf(given: GivenAddress): string[] {
  return given.kind === 'several' && given.addresses.length <= MOST_EITHER ? given.addresses : [];
}

/** A button for each, by the numbers under which {@link addressProblem} names them. */
export function eitherRows(
  addresses: readonly string[],
  dataOf: (address: string) => string,
): InlineKeyboardButton[][] {
  return addresses.map((address, at) => [
    { text: `${at + 1} · ${shortened(address)}`, callback_data: dataOf(address) },
  ]);
}

/** Why no address was taken, in Telegram's HTML. */
export function addressProblem(words: Words, given: Exclude<GivenAddress, { kind: 'address' }>): string {
  switch (given.kind) {
    case 'none':
      return words.html(`problem-address-${given.problem}`, { length: String(given.length) });
    case 'several':
      return eitherOf(given).length === 0
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
