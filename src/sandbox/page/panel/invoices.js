import { rental } from '../api.js';
import { element } from '../element.js';
import { exactTime } from '../time.js';
import { button, buttons, chip, mono, pill, quiet, row, strong } from './card.js';
import { countdown } from './countdown.js';
import { half, isZeroAmount, total } from './money.js';
import { resources } from './orders.js';
import { createRecentList } from './recent-list.js';

const TONES = { pending: 'open', paid: 'open', delegated: 'good', failed: 'bad' };

/** Creates the list of invoices, newest first. Each can be paid, also late or with too little. */
export function createInvoices(list, run, copy) {
  const pay = (invoice, text, label, payment) =>
    button({ text, label, act: () => run(() => rental.pay(invoice.invoice_id, payment)) });

  const decisions = (invoice) => {
    const { invoice_id, status, price_trx } = invoice;
    const name = `invoice ${invoice_id}`;
    if (status === 'pending') {
      return buttons(
        pay(invoice, 'Pay in TRX', `Pay in TRX: ${name}`, { currency: 'TRX' }),
        pay(invoice, 'Pay in USDT', `Pay in USDT: ${name}`, { currency: 'USDT' }),
        pay(invoice, 'Underpay', `Underpay ${name}`, { currency: 'TRX', amount: half(price_trx) }),
      );
    }
    if (status === 'paid') {
      return buttons(
        button({
          text: 'Delegate',
          label: `Delegate ${name}`,
          act: () => run(() => rental.delegate(invoice_id)),
        }),
        button({ text: 'Fail', label: `Fail ${name}`, act: () => run(() => rental.failInvoice(invoice_id)) }),
      );
    }
    if (status === 'expired') return buttons(pay(invoice, 'Pay late', `Pay late: ${name}`, {}));
    return undefined;
  };

  const draw = (invoice) =>
    element(
      'li',
      { class: 'card' },
      row(strong(`Invoice ${invoice.invoice_id}`), pill(invoice.status, TONES[invoice.status])),
      row(
        element('span', { text: resources(invoice) }),
        strong(`${invoice.price_trx} TRX or ${invoice.price_usdt} USDT`),
      ),
      mono(invoice.address),
      quiet('Pay to'),
      chip(invoice.payment_address, `where invoice ${invoice.invoice_id} is paid:`, copy),
      ...(invoice.payments ?? []).map((payment) => quiet(received(payment))),
      row(quiet(`Account ${invoice.account_id}`), times(invoice)),
      decisions(invoice),
    );

  return createRecentList(list, {
    isOpen: ({ status }) => status === 'pending' || status === 'paid',
    key: (invoice) => invoice.invoice_id,
    draw,
    none: 'No invoices were made yet.',
  });
}

const at = (iso) => exactTime(Date.parse(iso));

function times({ status, created_at, paid_at, delegated_at, expires_at }) {
  if (status === 'pending') return quiet(`Expires ${at(expires_at)}, `, countdown(expires_at));
  if (delegated_at) return quiet(`Delegated ${at(delegated_at)}`);
  if (paid_at) return quiet(`Paid ${at(paid_at)}`);
  return quiet(status === 'expired' ? `Expired ${at(expires_at)}` : at(created_at));
}

function received({ currency, amount, kept = amount, at: time }) {
  const words = `${amount} ${currency} came ${at(time)}`;
  const back = total([amount, `-${kept}`]);
  if (isZeroAmount(back)) return words;
  return isZeroAmount(kept) ? `${words}, all of it was sent back` : `${words}, ${back} of it was sent back`;
}
