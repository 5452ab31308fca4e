import { element } from '../element.js';
import { exactTime } from '../time.js';
import { quiet, row, strong } from './card.js';
import { isZeroAmount } from './money.js';
import { createZeroFold } from './zero-fold.js';

const SHOWN = 50;
const ABOUT = ['order', 'deposit', 'withdrawal', 'invoice', 'subscription'];

/** Creates the list of ledger entries. */
export function createLedger(list) {
  const draw = (entry) => {
    const about = ABOUT.filter((name) => entry[`${name}_id`] !== undefined);
    const what = [entry.kind.replaceAll('_', ' '), ...about.map((name) => `${name} ${entry[`${name}_id`]}`)];
    const money = entry.paid ? `${entry.paid.amount} ${entry.paid.currency}` : `${entry.amount_trx} TRX`;
    return element(
      'li',
      { class: 'card' },
      row(element('span', { text: what.join(' · ') }), strong(money)),
      row(
        quiet(`Account ${entry.account_id} · ${exactTime(Date.parse(entry.at))}`),
        quiet(`left ${entry.balance_trx}`),
      ),
    );
  };

  const cards = createZeroFold(list, {
    isZero: (entry) => isZeroAmount(entry.paid?.amount ?? entry.amount_trx),
    key: (entry) => entry.id,
    draw,
    none: 'No money moved yet.',
  });
  return { show: (entries) => cards.show(entries.slice(0, SHOWN)) };
}
