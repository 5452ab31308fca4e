import type { InlineKeyboardButton } from 'grammy/types';
import { shortened } from '../i18n/formats.ts';
import { escapeHtml, type Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import type { GivenAddress } from '../rental-api/address.ts';

/** Maximum number of addresses in one message that the user can choose between. */
const MOST_EITHER = 4;
/** Maximum number of foreign letters that are named. */
const MOST_LETTERS = 4;

/** Returns the addresses to choose between. Empty unless several were given, and few enough for one button each. */
export function eitherOf(given: GivenAddress): string[] {
  return given.kind === 'several' && given.addresses.length <= MOST_EITHER ? given.addresses : [];
}

/** Returns one button per address, numbered as in {@link addressProblem}. */
export function eitherRows(
  addresses: readonly string[],
  dataOf: (address: string) => string,
): InlineKeyboardButton[][] {
  return addresses.map((address, at) => [
    { text: `${at + 1} · ${shortened(address)}`, callback_data: dataOf(address) },
  ]);
}

/** Returns why no address was accepted, in Telegram's HTML. */
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
