import { rental } from '../api.js';
import { element } from '../element.js';
import { exactTime } from '../time.js';
import { button, buttons, onSubmit, pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

const TONES = { pending: 'open', confirmed: 'good' };
const SHOWN = 50;

/**
 * Creates the list of deposits. Pending ones can be credited or expired. The form makes a deposit.
 * @param {{ form: HTMLFormElement, list: HTMLUListElement }} parts
 */
export function createDeposits({ form, list }, run) {
  const { account, amount, currency, pending } = form.elements;
  let offered;

  const offer = (accounts = []) => {
    const choices = JSON.stringify(accounts.map(({ id, key }) => [id, key]));
    if (choices === offered) return;
    offered = choices;
    const chosen = account.value;
    account.replaceChildren(...accounts.map(({ id, key }) => element('option', { value: id, text: key })));
    if (accounts.some(({ id }) => String(id) === chosen)) account.value = chosen;
  };
  onSubmit(form, () => {
    const money = { amount: amount.value, currency: currency.value, confirm: !pending.checked };
    return run(() => rental.deposit(account.value, money));
  });

  const decide = (text, act, { id }) =>
    button({ text, label: `${text} #${id}`, act: () => run(() => act(id)) });

  const draw = (deposit) =>
    element(
      'li',
      { class: 'card' },
      row(strong(`Deposit #${deposit.id}`), pill(deposit.status, TONES[deposit.status])),
      row(quiet('Came in'), strong(`${deposit.amount} ${deposit.currency}`)),
      deposit.currency === 'TRX' ? undefined : row(quiet('Counts as'), strong(`${deposit.amount_trx} TRX`)),
      row(quiet(`Account ${deposit.account_id}`), quiet(exactTime(Date.parse(deposit.created_at)))),
      deposit.status === 'pending'
        ? buttons(
            decide('Credit', rental.confirmDeposit, deposit),
            decide('Expire', rental.expireDeposit, deposit),
          )
        : undefined,
    );
  const cards = createCardList(list, { key: ({ id }) => id, draw, none: 'Nothing came in yet.' });

  return {
    show(deposits, { accounts }) {
      offer(accounts);
      cards.show(deposits.slice(0, SHOWN));
    },
  };
}
