import { element } from '../element.js';
import { exactTime } from '../time.js';
import { pill, quiet, row, strong } from './card.js';
import { createCardList } from './card-list.js';

const SHOWN = 50;

/** Creates the list of webhook deliveries and their responses. */
export function createWebhooks(list) {
  const draw = (entry) =>
    element(
      'li',
      { class: 'card' },
      row(strong(entry.event_type), answer(entry.response_status)),
      row(
        quiet(`Account ${entry.account_id}`),
        quiet(`${attempts(entry)} · ${exactTime(Date.parse(entry.created_at))}`),
      ),
      element(
        'details',
        {},
        element('summary', { text: 'What was sent' }),
        element('pre', { text: JSON.stringify(entry.payload, null, 2), tabindex: '0' }),
      ),
    );

  const cards = createCardList(list, { key: (entry) => entry.id, draw, none: 'Nothing was delivered yet.' });
  return { show: (entries) => cards.show(entries.slice(0, SHOWN)) };
}

const attempts = ({ attempts: n }) => (n === 1 ? '1 attempt' : `${n} attempts`);

function answer(status) {
  if (!status) return pill('no answer', 'bad');
  return pill(String(status), status < 300 ? 'good' : 'bad');
}
