import { rental } from '../api.js';
import { element } from '../element.js';
import { exactTime } from '../time.js';
import { button, mono, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

const TONES = { pending: 'open', filled: 'good', failed: 'bad' };
const count = new Intl.NumberFormat('en');

/** What was bought, newest first; a pending order can be filled or failed. */
export function createOrders(list, run) {
  const decisions = (order) => {
    const name = `order ${order.order_id}`;
    return element(
      'div',
      { class: 'buttons' },
      button({ text: 'Fill', label: `Fill ${name}`, act: () => run(() => rental.fill(order.order_id)) }),
      button({ text: 'Fail', label: `Fail ${name}`, act: () => run(() => rental.fail(order.order_id)) }),
    );
  };

  const draw = (order) =>
    element(
      'li',
      { class: 'card' },
      row(strong(`Order ${order.order_id}`), pill(order.status, TONES[order.status])),
      row(element('span', { text: what(order) }), strong(`${order.price_trx} TRX`)),
      mono(order.address),
      row(quiet(`Account ${order.account_id}`), quiet(exactTime(Date.parse(order.created_at)))),
      order.status === 'pending' ? decisions(order) : undefined,
    );

  return createCardList(list, { key: (order) => order.order_id, draw, none: 'Nothing was bought yet.' });
}

function what(order) {
  const amount =
    order.energy_amount === undefined
      ? `${count.format(order.bandwidth_amount)} bandwidth`
      : `${count.format(order.energy_amount)} energy`;
  return `${amount}, ${order.duration_hours} h`;
}
