import { rental } from '../api.js';
import { element } from '../element.js';
import { exactTime } from '../time.js';
import { button, buttons, mono, pill, quiet, row, strong } from './card.js';
import { createRecentList } from './recent-list.js';

const TONES = { pending: 'open', filled: 'good', failed: 'bad' };
const count = new Intl.NumberFormat('en');

/** Creates the list of orders, newest first. Pending ones can be filled or failed. */
export function createOrders(list, run) {
  const decisions = ({ order_id }) =>
    buttons(
      button({ text: 'Fill', label: `Fill order ${order_id}`, act: () => run(() => rental.fill(order_id)) }),
      button({ text: 'Fail', label: `Fail order ${order_id}`, act: () => run(() => rental.fail(order_id)) }),
    );

  const draw = (order) =>
    element(
      'li',
      { class: 'card' },
      row(strong(`Order ${order.order_id}`), pill(order.status, TONES[order.status])),
      row(element('span', { text: resources(order) }), strong(`${order.price_trx} TRX`)),
      mono(order.address),
      row(quiet(`Account ${order.account_id}`), quiet(exactTime(Date.parse(order.created_at)))),
      isOpen(order) ? decisions(order) : undefined,
    );

  return createRecentList(list, {
    isOpen,
    key: (order) => order.order_id,
    draw,
    none: 'Nothing was bought yet.',
  });
}

const isOpen = ({ status }) => status === 'pending';

/** Formats amount and duration: `65,000 energy, 1 h`. */
export function resources({ energy_amount, bandwidth_amount, duration_hours }) {
  const amount =
    energy_amount === undefined
      ? `${count.format(bandwidth_amount)} bandwidth`
      : `${count.format(energy_amount)} energy`;
  return `${amount}, ${duration_hours} h`;
}
