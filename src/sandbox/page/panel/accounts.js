import { rental } from '../api.js';
import { element, icon } from '../element.js';
import { button, mono, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

const DEPOSIT_TRX = '100';

/** The accounts with their keys and balances; a deposit arrives, or the balance runs out. */
export function createAccounts(list, run, copy) {
  const copyKey = (account) => {
    const label = `Copy the key ${account.key}`;
    return element(
      'button',
      { type: 'button', class: 'chip', 'aria-label': label, onclick: () => copy(account.key) },
      mono(account.key),
      icon('copy'),
    );
  };

  const draw = (account) => {
    const deposit = () => run(() => rental.deposit(account.id, DEPOSIT_TRX));
    const empty = () => run(() => rental.setBalance(account.id, '0'));
    return element(
      'li',
      { class: 'card' },
      row(copyKey(account), strong(`${account.balance_trx} TRX`)),
      row(quiet(`${account.id} · ${account.email}`), account.totp_enabled ? pill('2FA') : undefined),
      account.webhook ? quiet(`Events go to ${account.webhook.url}`) : undefined,
      element(
        'div',
        { class: 'buttons' },
        button({
          text: `+${DEPOSIT_TRX} TRX`,
          label: `+${DEPOSIT_TRX} TRX for ${account.key}`,
          act: deposit,
        }),
        button({ text: 'Empty', label: `Empty ${account.key}`, act: empty }),
      ),
    );
  };

  return createCardList(list, { key: (account) => account.id, draw, none: 'No accounts.' });
}
