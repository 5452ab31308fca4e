import { element } from '../element.js';
import { exactTime } from '../time.js';
import { chip, mono, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';
import { countdown } from './countdown.js';
import { isZeroAmount } from './money.js';
import { createZeroFold } from './zero-fold.js';

const count = new Intl.NumberFormat('en');
const SHOWN = 20;

/**
 * Creates the lists of addresses, with empty ones folded, and of the latest transactions.
 * @param {{ list: HTMLUListElement, transactions: HTMLUListElement }} parts
 */
export function createChain({ list, transactions }, copy) {
  const draw = (wallet) =>
    element(
      'li',
      { class: 'card' },
      row(
        strong(titled(wallet.name ?? 'Somebody’s address')),
        wallet.active === false ? pill('not activated', 'open') : undefined,
      ),
      chip(wallet.address, 'the address', copy),
      holdsSomething(wallet) ? undefined : quiet('Holds nothing'),
      isZeroAmount(wallet.trx) ? undefined : row(quiet('Balance'), strong(`${wallet.trx} TRX`)),
      isZeroAmount(wallet.usdt) ? undefined : row(quiet('Balance'), strong(`${wallet.usdt} USDT`)),
      ...(wallet.delegations ?? []).map(({ resource, amount, expires_at }) =>
        row(element('span', { text: `${count.format(amount)} ${resource}` }), quiet(countdown(expires_at))),
      ),
    );
  const drawTransaction = (transaction) =>
    element(
      'li',
      { class: 'card' },
      row(strong(what(transaction)), quiet(exactTime(Date.parse(transaction.at)))),
      quiet('From ', mono(transaction.from)),
      quiet('To ', mono(transaction.to)),
    );

  const cards = createZeroFold(list, {
    isZero: (wallet) => !holdsSomething(wallet),
    key: ({ address }) => address,
    draw,
    none: 'No address holds anything.',
  });
  const latest = createCardList(transactions, {
    key: ({ tx_hash }) => tx_hash,
    draw: drawTransaction,
    none: 'Nothing moved yet.',
  });

  return {
    /** Shows unnamed addresses first. */
    show({ addresses, transactions = [] }) {
      cards.show([...addresses.filter(({ name }) => !name), ...addresses.filter(({ name }) => name)]);
      latest.show(transactions.slice(0, SHOWN));
    },
  };
}

const titled = (name) => name[0].toUpperCase() + name.slice(1);

const holdsSomething = ({ trx, usdt, delegations = [] }) =>
  !isZeroAmount(trx) || !isZeroAmount(usdt) || delegations.length > 0;

function what({ kind, amount, currency, memo }) {
  if (kind === 'delegation') return memo ?? kind;
  return kind === 'transfer' ? `${amount} ${currency}` : kind;
}
