import { readAddress } from '../../rental/address.ts';
import type { DepositInfo } from '../../rental/resources/deposit-info.ts';
import { callbackData } from '../../texts/callback-data.ts';
import type { Words } from '../../texts/texts.ts';
import { button, notice, type View } from '../../texts/view.ts';
import { screen } from '../screen.ts';
import type { CreateFeature } from './feature.ts';

const NAME = 'deposit';

/** The account's deposit address. */
export const createDeposit: CreateFeature = (deps) =>
  screen(deps, {
    name: NAME,
    menu: { button: 'button-deposit', place: 'balance', for: 'linked' },
    read: (rental, apiKey) => rental.depositInfo(apiKey),
    view: depositCard,
  });

function depositCard(words: Words, { deposit_address, usdt_to_trx_rate: rate }: DepositInfo): View {
  // Money is sent there: an address with a wrong checksum is worse than none.
  const read = readAddress(deposit_address);
  if (!read.ok) {
    const again = button(words, 'button-try-again', callbackData(NAME, 'open'));
    return notice(words, words.html('deposit-unreadable'), [again]);
  }
  const { address } = read;
  const copy = { text: words.plain('button-copy-address'), copy_text: { text: address } };
  return notice(words, words.html('deposit-card', { rate, address }), [copy]);
}
