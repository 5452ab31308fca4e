import { rental } from '../api.js';
import { element } from '../element.js';
import { button, buttons, mono, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';
import { countdown } from './countdown.js';
import { isZeroAmount, total } from './money.js';
import { zeroRows } from './zero-fold.js';

const TONES = { active: 'good', paused: 'open' };
const USDT = '10';

/** Creates the list of subscriptions with their fees, and buttons that send USDT from their addresses. */
export function createSmartMode(list, run) {
  const send = ({ id }) =>
    button({
      text: `Send ${USDT} USDT`,
      label: `Send ${USDT} USDT from the address of subscription ${id}`,
      act: () => run(() => rental.sendWatched(id, USDT)),
    });

  const draw = (subscription) => {
    const { id, status, label, fees } = subscription;
    return element(
      'li',
      { class: 'card' },
      row(strong(label ?? `Subscription ${id}`), pill(status, TONES[status])),
      mono(subscription.address),
      row(
        quiet(`${id} · Account ${subscription.account_id}`),
        subscription.bw_guarantee ? pill('BW Guarantee') : undefined,
      ),
      status === 'active' && subscription.paid_until
        ? row(quiet('Paid day'), quiet(countdown(subscription.paid_until)))
        : undefined,
      ...fees.filter(({ trx }) => !isZeroAmount(trx)).map(fee),
      zeros(fees.filter(({ trx }) => isZeroAmount(trx)).map(fee)),
      status === 'deactivated' ? undefined : buttons(send(subscription)),
    );
  };

  const cards = createCardList(list, { key: ({ id }) => id, draw, none: 'No address is watched.' });
  return {
    show(subscriptions, { ledger = [] }) {
      cards.show(subscriptions.map((one) => ({ ...one, fees: feesOf(one, ledger) })));
    },
    count(subscriptions) {
      const active = subscriptions.filter(({ status }) => status === 'active').length;
      return active > 0 ? `${active} active` : String(subscriptions.length || '');
    },
  };
}

const fee = ({ words, trx }) => row(quiet(words), strong(`${trx} TRX`));

function zeros(rows) {
  if (rows.length === 0) return undefined;
  return element('details', {}, element('summary', { text: zeroRows(rows.length) }), ...rows);
}

function feesOf({ id }, ledger) {
  const charged = (kind) =>
    ledger
      .filter((entry) => entry.subscription_id === id && entry.kind === kind)
      .map((entry) => entry.amount_trx);
  const words = (number, one, more) => (number === 1 ? `1 ${one}` : `${number} ${more}`);
  const [days, transfers] = [charged('smart_mode_day'), charged('smart_mode_transfer')];
  return [
    { words: words(days.length, 'day', 'days'), trx: total(days) },
    { words: words(transfers.length, 'transfer', 'transfers'), trx: total(transfers) },
  ];
}
