import { rental } from '../api.js';
import { element } from '../element.js';
import { exactTime } from '../time.js';
import { button, buttons, mono, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

const TONES = { pending: 'open', completed: 'good', failed: 'bad' };
const SHOWN = 50;

/** Creates the list of withdrawals. Pending ones can be completed or failed. */
export function createWithdrawals(list, run) {
  const decide = (text, act, { id }) =>
    button({ text, label: `${text} withdrawal ${id}`, act: () => run(() => act(id)) });

  const draw = (withdrawal) =>
    element(
      'li',
      { class: 'card' },
      row(strong(`Withdrawal ${withdrawal.id}`), pill(withdrawal.status, TONES[withdrawal.status])),
      row(quiet(`${withdrawal.fee_trx} TRX fee`), strong(`${withdrawal.amount_trx} TRX`)),
      mono(withdrawal.to_address),
      row(quiet(`Account ${withdrawal.account_id}`), quiet(exactTime(Date.parse(withdrawal.created_at)))),
      withdrawal.status === 'pending'
        ? buttons(
            decide('Complete', rental.completeWithdrawal, withdrawal),
            decide('Fail', rental.failWithdrawal, withdrawal),
          )
        : undefined,
    );

  const cards = createCardList(list, { key: ({ id }) => id, draw, none: 'Nothing was withdrawn yet.' });
  return { show: (withdrawals) => cards.show(withdrawals.slice(0, SHOWN)) };
}
