import { expect, test } from 'vitest';
import { LANGUAGES, withoutTags } from '../../src/i18n/texts.ts';
import { invoiceCard, invoiceFollowUp, invoiceHeadline } from '../../src/invoices/card.ts';
import {
  type CheckedInvoice,
  type DisplayedState,
  displayedStateOf,
  wasPaid,
} from '../../src/invoices/invoice.ts';
import { OPERATOR_ACCOUNT } from '../../src/rental-api/client.ts';
import { invoiceScreen, readPageAssets } from '../../src/web/invoice-page/document.ts';
import { TEXTS } from '../support/texts.ts';
import { INVOICE_AT, invoiceOf } from './invoices-setup.ts';

const { createdAt, expiresAt } = INVOICE_AT;
const ASSETS = readPageAssets();
const CONTACTS = { bot: 'a_bot', supportUrl: undefined };
const LINKS = {
  token: 'A'.repeat(32),
  chat: 'https://t.me/a_bot?start=invoice-A',
  page: 'https://a.example/i/A',
};

/** An invoice in each state. The compiler asks for a new one. */
const STATES: Record<DisplayedState, Partial<CheckedInvoice> & { now?: number }> = {
  open: { openedAt: createdAt },
  ending: { now: expiresAt - 60_000 },
  over: { now: expiresAt, checkedAt: expiresAt },
  unreported: { now: expiresAt },
  paid: { status: 'paid', paidAt: createdAt },
  late: { status: 'paid', paidAt: expiresAt + 1 },
  delivered: { status: 'delegated', delegatedAt: createdAt },
  ended: { status: 'delegated', delegatedAt: createdAt, now: createdAt + 24 * 3600_000 },
  partial: { status: 'delegated', delivered: 32_500 },
  failed: { status: 'failed' },
  unchecked: { unchecked: true },
  unrecognized: { status: 'underpaid' },
  stale: { isStale: true },
};

/** Invoices of guests and of merchants have a share token. */
const SHARED = { share: 'sealed', shared: true, note: '17' };
const READERS = {
  'a guest': { isForMaker: true, share: 'sealed', shared: false, account: OPERATOR_ACCOUNT },
  'an account holder who pays': { isForMaker: true, share: 'sealed', shared: false },
  'a merchant': { isForMaker: true, ...SHARED },
  'a merchant on the operator account': { isForMaker: true, ...SHARED, account: OPERATOR_ACCOUNT },
  'a payer': { isForMaker: false, ...SHARED },
} as const;

type Reader = keyof typeof READERS;

/** Words that a reader's texts never contain. */
const FOREIGN: Record<Reader, RegExp> = {
  'a guest':
    /customer|payer|seller|merchant|your note|account|\bkey|linked|покупател|плательщик|продав|аккаунт|(?<![а-я])ключ|привязан/i,
  'an account holder who pays': /customer|payer|seller|merchant|your note|покупател|плательщик|продав/i,
  'a merchant': /seller|payer|продав|плательщик/i,
  'a merchant on the operator account': /seller|продав|account|\bkey|linked|аккаунт|(?<![а-я])ключ|привязан/i,
  'a payer':
    /customer|payer|merchant|your note|account|\bkey|linked|покупател|плательщик|ваш комментарий|аккаунт|(?<![а-я])ключ|привязан/i,
};
const ORDERS_TO_PAYER =
  /don't pay|already paid\?|(?<!can )\bpay by|\bpay \d|не оплачивайте|не платите|заплатили|оплатите|к оплате/i;
/** States in which a merchant reads what the customer can, shouldn't or has to do. */
const ABOUT_CUSTOMER: readonly DisplayedState[] = [
  'open',
  'ending',
  'over',
  'unreported',
  'unchecked',
  'unrecognized',
  'stale',
  'failed',
];

const cases = LANGUAGES.flatMap((language) =>
  (Object.keys(READERS) as Reader[]).flatMap((reader) =>
    (Object.keys(STATES) as DisplayedState[]).flatMap((state) =>
      [false, true].map((unchecked) => ({ language, reader, state, unchecked })),
    ),
  ),
);

test.each(cases)(
  'addresses $reader in $language: $state, unchecked: $unchecked',
  ({ language, reader, state, unchecked }) => {
    const words = TEXTS.in(language);
    const { now = createdAt, ...more } = STATES[state];
    const { isForMaker, ...made } = READERS[reader];
    // An invoice that is no longer checked can still have been paid.
    const isPaid = state === 'paid' || state === 'late';
    const invoice: CheckedInvoice = {
      ...invoiceOf(made),
      ...more,
      ...(unchecked && isPaid && { unchecked: true }),
    };
    expect(displayedStateOf(invoice, now)).toBe(state);
    const { html, keyboard } = invoiceCard(words, invoice, { isForMaker, now, links: LINKS });
    const said = [
      ...[
        html,
        invoiceFollowUp(words, invoice, { isForMaker, now }) ?? '',
        invoiceHeadline(words, invoice, { state, isForMaker }),
      ],
      ...keyboard.flat().map((one) => one.text),
    ].join('\n');
    expect(said).not.toMatch(FOREIGN[reader]);
    const isMerchant = reader.startsWith('a merchant');
    const isPayable = state === 'open' || state === 'ending';
    const isPast = ['over', 'unreported', 'unchecked', 'unrecognized'].includes(state);
    if (isMerchant) {
      expect(said).not.toMatch(ORDERS_TO_PAYER);
      expect(withoutTags(said)).not.toContain(invoice.paymentAddress);
    }
    // The service doesn't report in which of the two currencies it was paid.
    const [trx = 0, usdt = 0] = ['TRX', 'USDT'].map(
      (coin) => said.match(new RegExp(`\\d\\s${coin}`, 'g'))?.length ?? 0,
    );
    expect(usdt).toBe(trx);
    expect(usdt > 0).toBe(isMerchant || isPayable || isPast || wasPaid(invoice));
    // The rule for part payments is there before a payment or when a buyer's time is over, and as a condition only.
    const isBuyersOver = state === 'over' && !isMerchant;
    const saysParts = /sent (only )?a part|отправ(?:ил|лен)\S* (только )?часть/i.test(said);
    expect(saysParts).toBe(isPayable || isBuyersOver);
    const isAboutCustomer = isMerchant && ABOUT_CUSTOMER.includes(state);
    expect(/your customer|(?<!комментарий для )покупател/i.test(html)).toBe(isAboutCustomer);
    if (reader !== 'a payer') return;
    const [, page = ''] = invoiceScreen(ASSETS, words, { invoice, now, contacts: CONTACTS }).split('<main');
    expect(withoutTags(page)).not.toMatch(
      /customer|merchant|your note|account|linked|покупател|ваш комментарий|аккаунт|привязан/i,
    );
    expect(page.length).toBeGreaterThan(100);
  },
);
