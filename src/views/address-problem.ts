import type { InlineKeyboardButton } from 'grammy/types';
import { escapeHtml, lines, shortenAddress, type Words } from '../i18n/texts.ts';
import { type AddressInput, contractNameOf } from '../rental-api/tron.ts';

const MAX_ADDRESS_CHOICES = 4;
const MAX_NAMED_LETTERS = 4;

/** Returns the addresses to choose between, or none unless several were given and each fits a button. */
export function addressChoicesOf(given: AddressInput): string[] {
  return given.kind === 'several' && given.addresses.length <= MAX_ADDRESS_CHOICES ? given.addresses : [];
}

/** Returns one button per address, numbered as in {@link addressProblem}. */
export function addressChoiceRows(
  words: Words,
  addresses: readonly string[],
  dataOf: (address: string) => string,
): InlineKeyboardButton[][] {
  return addresses.map((address, at) => {
    const name = contractNameOf(address);
    const contract = name === undefined ? [] : [words.plain('address-contract', { name })];
    const text = [at + 1, shortenAddress(address), ...contract].join(' · ');
    return [{ text, callback_data: dataOf(address) }];
  });
}

/** Returns why no address was accepted, in Telegram's HTML. */
export function addressProblem(words: Words, given: Exclude<AddressInput, { kind: 'address' }>): string {
  switch (given.kind) {
    case 'none':
      return words.html(`problem-address-${given.problem}`, { length: String(given.length) });
    case 'several':
      return addressChoicesOf(given).length === 0
        ? words.html('problem-address-many')
        : lines(
            words.html('problem-address-several'),
            ...given.addresses.map((address, at) => {
              const name = contractNameOf(address);
              const contract = name === undefined ? '' : ` · ${words.html('address-contract', { name })}`;
              return `${at + 1}. <code>${escapeHtml(address)}</code>${contract}`;
            }),
          );
    case 'other-chain':
      return words.html('problem-address-other-chain', { chain: given.chain });
    case 'contract':
      return words.html('problem-address-contract', { name: given.name ?? 'none' });
    case 'foreign': {
      const named = given.letters
        .slice(0, MAX_NAMED_LETTERS)
        .map(({ letter, place }) => words.plain('foreign-letter', { letter, place }));
      const more = given.letters.length > MAX_NAMED_LETTERS ? ['…'] : [];
      return words.html('problem-address-foreign', { letters: [...named, ...more].join(', ') });
    }
  }
}
