import { element } from '../element.js';
import { exactTime } from '../time.js';
import { quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

/** Every movement of money. */
export function createLedger(list) {
  const draw = (entry) => {
    const what = entry.order_id === undefined ? entry.kind : `${entry.kind} · order ${entry.order_id}`;
    const when = exactTime(Date.parse(entry.at));
    return element(
      'li',
      { class: 'card' },
      row(element('span', { text: what }), strong(`${entry.amount_trx} TRX`)),
      row(quiet(`Account ${entry.account_id} · ${when}`), quiet(`left ${entry.balance_trx}`)),
    );
  };

  return createCardList(list, { key: (entry) => entry.id, draw, none: 'No money moved yet.' });
}
