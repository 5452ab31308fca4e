import { rental } from '../api.js';
import { element, icon } from '../element.js';
import { button, mono, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

const DEPOSIT_TRX = '100';

/** The accounts with their keys and balances; a deposit arrives, or the balance runs out. */
export function createAccounts(list, notices) {
  const copyKey = (account) => {
    const copy = async () => {
      await navigator.clipboard.writeText(account.key).then(
        () => notices.toast('Key copied to the clipboard'),
        () => notices.alert(account.key),
      );
    };
    const label = `Copy the key ${account.key}`;
    return element(
      'button',
      { type: 'button', class: 'chip', 'aria-label': label, onclick: copy },
      mono(account.key),
      icon('copy'),
    );
  };

  const draw = (account) => {
    const deposit = () => rental.deposit(account.id, DEPOSIT_TRX);
    const empty = () => rental.setBalance(account.id, '0');
    const whose = `account ${account.id}`;
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
          text: `Deposit ${DEPOSIT_TRX}`,
          label: `Deposit ${DEPOSIT_TRX} TRX to ${whose}`,
          act: deposit,
          notices,
        }),
        button({ text: 'Empty', label: `Empty ${whose}`, act: empty, notices }),
      ),
    );
  };

  return createCardList(list, { key: (account) => account.id, draw, none: 'No accounts.' });
}
