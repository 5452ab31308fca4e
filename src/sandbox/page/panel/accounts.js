import { rental } from '../api.js';
import { element } from '../element.js';
import { button, buttons, chip, pill, quiet, row, strong } from './card.js';
import { isZeroAmount } from './money.js';
import { createZeroFold } from './zero-fold.js';

const AMOUNT = '100';

/** Creates the list of accounts with keys and balances, and buttons that make a deposit or empty the balance. */
export function createAccounts(list, run, copy) {
  const add = ({ id, key }, currency) =>
    button({
      text: `+${AMOUNT} ${currency}`,
      label: `+${AMOUNT} ${currency} for ${key}`,
      act: () => run(() => rental.deposit(id, { amount: AMOUNT, currency })),
    });

  const draw = (account) => {
    const { id, key, email, webhook, totp_secret: secret, totp_code: code } = account;
    return element(
      'li',
      { class: 'card' },
      row(chip(key, 'the key', copy), strong(`${account.balance_trx} TRX`)),
      row(
        quiet(`${id} · ${email}`),
        code ? pill('2FA') : undefined,
        code ? chip(code, `the current code of ${key}:`, copy) : undefined,
      ),
      webhook ? quiet(`Events go to ${webhook.url}`) : undefined,
      element(
        'details',
        {},
        element('summary', { text: 'Addresses' }),
        element(
          'div',
          { class: 'addresses' },
          quiet('Money comes in at'),
          chip(account.deposit_address, `where ${key} is paid:`, copy),
          quiet('Its own'),
          chip(account.chain_address, `the address of ${key}:`, copy),
          ...(secret
            ? [quiet('Secret of its one-time codes'), chip(secret, `the secret of ${key}:`, copy)]
            : []),
        ),
      ),
      buttons(
        add(account, 'TRX'),
        add(account, 'USDT'),
        button({ text: 'Empty', label: `Empty ${key}`, act: () => run(() => rental.setBalance(id, '0')) }),
      ),
    );
  };

  return createZeroFold(list, {
    isZero: (account) => isZeroAmount(account.balance_trx),
    keepsSeen: true,
    key: (account) => account.id,
    draw,
    none: 'No account has a balance.',
  });
}
