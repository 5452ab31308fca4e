import { inflateSync } from 'node:zlib';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import {
  formatAmount,
  formatCount,
  groupInFours,
  LANGUAGES,
  type Language,
  shortenAddress,
  withoutTags,
} from '../../src/i18n/texts.ts';
import {
  type InvoiceLinks,
  type InvoiceView,
  invoiceCard,
  invoiceFollowUp,
} from '../../src/invoices/card.ts';
import {
  cardFingerprint,
  type Invoice,
  invoiceStateOf,
  nextStateChangeAt,
  TRACKED_AFTER_EXPIRY_MS,
} from '../../src/invoices/invoice.ts';
import { qrCode } from '../../src/pictures/qr-code.ts';
import { SAMPLE_ADDRESS } from '../../src/rental-api/tron.ts';
import { buttonWith, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { TEXTS } from '../support/texts.ts';
import { ANY, anAddress, INVOICE_AT, invoiceOf } from './invoices-setup.ts';

const { createdAt, expiresAt } = INVOICE_AT;
const texts = TEXTS;
const TOKEN = 'A'.repeat(32);
const LINKS: InvoiceLinks = {
  token: TOKEN,
  chat: `https://t.me/a_bot_with_a_name_of_32_letters_?start=invoice-${TOKEN}`,
  page: `https://${'a-long-name.'.repeat(8)}example/i/${TOKEN}`,
};
/** Longest values that the service and users can provide. */
const LONGEST: Partial<Invoice> = {
  number: Number.MAX_SAFE_INTEGER,
  priceTrx: '999999999.999999',
  priceUsdt: '999999999.999999',
  energy: 10_000_000,
  hours: 24,
  note: '𝕎&<>"'.repeat(20),
  txHash: 'ab'.repeat(32),
  openedAt: createdAt,
  delegatedAt: createdAt,
};
const TIMES = [createdAt, expiresAt - 60_000, expiresAt, expiresAt + 3600_000, expiresAt + 25 * 3600_000];

const cardOf = (
  invoice: Invoice,
  { own = true, now = createdAt, links = LINKS, language = 'en' as Language } = {},
) => invoiceCard(texts.in(language), invoice, { isForMaker: own, now, links });
const text = ({ html }: Pick<InvoiceView, 'html'>) =>
  withoutTags(html).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** Decodes the QR code with an independent library. */
function decoded(photo: Buffer | string): string | undefined {
  if (typeof photo === 'string') return undefined;
  const { width, height, data } = PNG.sync.read(photo);
  return jsQR.default(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}

/** Decodes the QR code from the PNG's raw pixels, one pixel per module, in a twentieth of the time. */
function decodedFast(photo: Buffer): string | undefined {
  const width = photo.readUInt32BE(16);
  const data = photo.indexOf('IDAT');
  const pixels = inflateSync(photo.subarray(data + 4, data + 4 + photo.readUInt32BE(data - 4)));
  const side = width / 10;
  const seen = new Uint32Array(side * side).fill(0xff_ff_ff_ff);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const [x, y] = [10 * column + 5, 10 * row + 5];
      const byte = pixels[y * (1 + Math.ceil(width / 8)) + 1 + (x >> 3)] ?? 0;
      if ((byte & (0x80 >> (x & 7))) === 0) seen[row * side + column] = 0xff_00_00_00;
    }
  const scanned = new Uint8ClampedArray(seen.buffer);
  return jsQR.default(scanned, side, side, { inversionAttempts: 'dontInvert' })?.data;
}

test('generates readable QR codes for a hundred random addresses', () => {
  for (let at = 0; at < 100; at++) {
    const address = anAddress();
    const photo = qrCode(address);
    if (decodedFast(photo) !== address) expect(decoded(photo), address).toBe(address);
  }
});

test('the message and the card of a delivery say what can be done and until when, and leave the price to the card', () => {
  const delivered = { status: 'delegated', delegatedAt: createdAt + 60_000 };
  const said = (more: Partial<Invoice>, { own = true, now = createdAt + 61_000 } = {}) => {
    const invoice = invoiceOf({ ...delivered, ...more });
    return text({ html: invoiceFollowUp(texts.in('en'), invoice, { isForMaker: own, now }) ?? '' });
  };
  // The card above has the price.
  for (const own of [true, false])
    expect(said({}, { own })).toMatch(
      /Send your USDT by 13:01 UTC\.\n130,000 energy → TR7NHq…gjLj6t\nInvoice 51$/,
    );
  expect(said({ energy: 64_999 })).toContain('Use it by 13:01 UTC');
  expect(said({ hours: 24 })).toContain('by 2 Jun, 12:01 UTC');
  expect(said({ shared: true })).toContain('Usable until 13:01 UTC');
  // The service didn't say when, the time is over, or the customer's energy is meant.
  const others = [
    said({ delegatedAt: undefined }),
    said({}, { now: createdAt + 3_660_000 }),
    said({ shared: true }),
  ];
  for (const other of others) expect(other).toMatch(/^✅ Delivered: 130,000 energy for /);
  const until = createdAt + 3_660_000;
  expect(text(cardOf(invoiceOf(delivered), { now: until - 1 }))).toContain('Use it before 13:01 UTC');
  const over = text(cardOf(invoiceOf(delivered), { now: until }));
  expect(over).toMatch(/^⌛ Rental over\. The energy was delivered\./);
  expect(over).toContain('Energy ended: 1 Jun, 13:01 UTC');
  expect(over).not.toContain('before');
  expect(text(cardOf(invoiceOf({ ...delivered, delegatedAt: undefined })))).not.toContain('before');
});

test("a merchant's card offers to share first, and nothing to pay with; a payer's only to pay", () => {
  const invoice = invoiceOf({ shared: true, note: '17' });
  const card = cardOf(invoice);
  expect(text(card)).toBe(
    [
      '🧾 Awaiting payment\nInvoice 51\n',
      '130,000 energy for 1 h\nto TR7NHq…gjLj6t\nNote for the customer: 17\nPrice: 4.64 TRX or 1.39 USDT\n',
      "Your customer can pay until 12:30 UTC. I'll write when it's paid in full and delivered.",
      'Sent only a part? Just the rest is due, at the same address, in the same coin.\n',
      '🔎 See what has arrived',
    ].join('\n'),
  );
  expect(decoded(card.picture)).toBe(LINKS?.page);
  const off = invoiceCard(texts.in('en'), invoice, { isForMaker: true, now: createdAt, links: undefined });
  expect(text(off)).toContain(
    'The link is disabled. ↗ Share makes a new one.\nAnyone who already has the payment address can still pay until 12:30 UTC.',
  );
  expect(decoded(off.picture)).toBeUndefined();
  const [[share, page] = [], [check] = [], [revoke] = []] = cardOf(invoice).keyboard;
  expect(share).toMatchObject({ style: 'primary', url: expect.stringContaining('t.me/share') });
  expect(new URL(share && 'url' in share ? share.url : '').searchParams.get('text')).toBe(
    'Invoice 51: 130,000 energy for 1 h to TR7NHq…gjLj6t\n4.64 TRX or 1.39 USDT. Open the link to pay by 12:30 UTC.\n17',
  );
  expect(page).toMatchObject({ copy_text: { text: LINKS?.page } });
  expect([check, revoke]).toMatchObject([
    { callback_data: `invoice:check:${invoice.id}` },
    { callback_data: `invoice:revoke:${invoice.id}` },
  ]);
  expect(text(cardOf(invoice, { own: false }))).toContain('USDT\nInvoice 51\n');
  expect(text(cardOf(invoice, { own: false }))).toContain(
    "Sent only a part? Send just the rest, in the same coin. Sent it all? Don't pay again.",
  );
  const payers = JSON.stringify(cardOf(invoice, { own: false }).keyboard);
  expect(payers).toContain(invoice.paymentAddress);
  expect(payers).not.toContain('t.me/share');
});

test("links to the page on a guest's own payable card, to pay from another device, and keeps its code", () => {
  const invoice = invoiceOf({ shared: false });
  const own = cardOf(invoice);
  expect(JSON.stringify(own.keyboard).includes(JSON.stringify(LINKS?.page))).toBe(true);
  expect(decoded(own.picture)).toBe(invoice.paymentAddress);
  for (const card of [
    cardOf(invoice, { own: false }),
    cardOf({ ...invoice, status: 'delegated' }),
    invoiceCard(texts.in('en'), invoice, { isForMaker: true, now: createdAt, links: undefined }),
  ])
    expect(JSON.stringify(card.keyboard)).not.toContain('Payment page');
});

test('shows the amounts and the payment address once, and copies the amounts exactly as the service wrote them', () => {
  for (const [trx, usdt] of [
    ['4.640000', '1.39'],
    ['0.000001', '0.1'],
    ['12345678901234567.123456', '100'],
  ] as const) {
    const invoice = invoiceOf({ priceTrx: trx, priceUsdt: usdt });
    const card = cardOf(invoice);
    const shown = [
      `${formatAmount(trx, 'en')} TRX`,
      `${formatAmount(usdt, 'en')} USDT`,
      invoice.paymentAddress,
    ];
    for (const once of shown) expect(text(card).split(once), once).toHaveLength(2);
    // No other address can be copied.
    expect(text(card)).not.toContain(invoice.address);
    const tappable = [...card.html.matchAll(/<code>(.*?)<\/code>/g)].map(([, code]) => code);
    expect(tappable).toEqual([invoice.paymentAddress]);
    const copied = card.keyboard.flat().flatMap((one) => ('copy_text' in one ? one.copy_text.text : []));
    expect(copied).toEqual(expect.arrayContaining([trx, usdt, invoice.paymentAddress]));
  }
});

test('is ending in the last quarter of its time and over at its end', () => {
  const invoice = invoiceOf();
  const quarter = expiresAt - 7.5 * 60_000;
  expect(invoiceStateOf(invoice, quarter - 1)).toBe('open');
  expect(invoiceStateOf(invoice, quarter)).toBe('ending');
  expect(invoiceStateOf(invoice, expiresAt - 1)).toBe('ending');
  expect(invoiceStateOf(invoice, expiresAt)).toBe('over');
  expect(nextStateChangeAt(invoice, createdAt)).toBe(quarter);
  expect(nextStateChangeAt(invoice, quarter)).toBe(expiresAt);
  expect(nextStateChangeAt(invoice, expiresAt)).toBeUndefined();
});

test.each([
  ['paid', expiresAt - 1, 'paid'],
  ['paid', expiresAt, 'paid'],
  ['paid', expiresAt + 1, 'late'],
  ['paid', undefined, 'paid'],
  ['delegated', expiresAt + 1, 'delivered'],
  ['failed', expiresAt + 1, 'failed'],
  ['expired', undefined, 'over'],
] as const)('a %s invoice paid at %s is %s', (status, paidAt, state) => {
  expect(invoiceStateOf(invoiceOf({ status, ...(paidAt !== undefined && { paidAt }) }), createdAt)).toBe(
    state,
  );
});

test.each([
  ['pending', createdAt, 'unchecked'],
  ['pending', expiresAt, 'unchecked'],
  ['expired', expiresAt, 'over'],
  ['paid', createdAt, 'paid'],
] as const)('a %s invoice at %s that is no longer checked is %s', (status, now, state) => {
  const invoice = invoiceOf({ status, unchecked: true });
  expect(invoiceStateOf(invoice, now)).toBe(state);
  expect(nextStateChangeAt(invoice, now)).toBeUndefined();
});

describe('an invoice with an unspecified status', () => {
  test.each(['cancelled', 'underpaid', 'partially_paid', 'overpaid', ''])(
    'is not payable before or after its end: %j',
    (status) => {
      for (const now of TIMES) {
        expect(invoiceStateOf(invoiceOf({ status }), now)).toBe('unrecognized');
        expect(nextStateChangeAt(invoiceOf({ status }), now)).toBeUndefined();
      }
    },
  );

  test('shows the status as code and offers to check again', () => {
    const { html, keyboard } = cardOf(invoiceOf({ status: 'under<b>paid' }), { own: false });
    expect(html).toContain("Don't pay this invoice now");
    expect(html).toContain('<code>under&#60;b&#62;paid</code>');
    expect(JSON.stringify(keyboard)).toContain(`invoice:look:${TOKEN}`);
  });

  test('shows that the service reports no status', () => {
    expect(text(cardOf(invoiceOf({ status: '' })))).toContain('Status at the service: –.');
  });

  test('has a different face for each status, so that its cards are updated', () => {
    const faces = ['underpaid', 'overpaid', ''].map((status) =>
      cardFingerprint(invoiceOf({ status }), createdAt, { isForMaker: false }),
    );
    expect(new Set(faces).size).toBe(3);
  });
});

test("says on a payer's payable card that a seller made the invoice, for whichever address", () => {
  const said = 'A seller made this invoice: check that the address is yours.';
  expect(cardOf(invoiceOf({ shared: true }), { own: false }).html).toContain(said);
  for (const shared of [true, false]) expect(cardOf(invoiceOf({ shared })).html).not.toContain(said);
  const over = cardOf(invoiceOf({ shared: true }), { own: false, now: expiresAt }).html;
  expect(over).not.toContain(said);
});

test('promises no report of a late payment once the invoice is no longer tracked', () => {
  const [during, after] = [expiresAt, expiresAt + TRACKED_AFTER_EXPIRY_MS];
  const invoice = invoiceOf({ status: 'expired' });
  for (const own of [true, false]) {
    expect(cardOf(invoice, { own, now: during }).html).toContain("I'll write if the service reports");
    const { html } = cardOf(invoice, { own, now: after });
    expect(html).toContain('The service reported no full payment within 24 h.');
    expect(html).not.toContain("I'll write");
    const face = (now: number) => cardFingerprint(invoice, now, { isForMaker: own });
    expect(face(after)).not.toBe(face(during));
  }
});

describe('an invoice that is no longer checked', () => {
  const payers = (more: Partial<Invoice>) => cardOf(invoiceOf({ unchecked: true, ...more }), { own: false });

  test('warns payers not to pay twice and promises no further checks', () => {
    const said = text(payers({}));
    expect(said).toContain("This invoice can't be tracked any more. Don't pay it.");
    expect(said).toContain("Don't pay again: payments made in time are still delivered");
    expect(said).toContain('To pay now, use another invoice.');
  });

  test('shows payers the price and the payment address, like any card that was payable', () => {
    for (const language of LANGUAGES)
      for (const more of [{}, { status: 'underpaid' }, { status: 'expired' }]) {
        const invoice = invoiceOf({ unchecked: true, ...more });
        const said = text(cardOf(invoice, { own: false, language }));
        const price = TEXTS.in(language).plain('invoice-price', {
          trx: invoice.priceTrx,
          usdt: invoice.priceUsdt,
        });
        expect(said).toContain(price);
        expect(said).toContain(groupInFours(invoice.paymentAddress));
        expect(said).toContain(withoutTags(TEXTS.in(language).html('invoice-arrived', { url: 'x' })));
      }
  });

  test('stays expired without a promise if it expired before', () => {
    for (const own of [true, false]) {
      const { html, keyboard } = cardOf(invoiceOf({ unchecked: true, status: 'expired' }), { own });
      expect(html).toMatch(/^⌛ <b>Expired\./);
      expect(html).toContain('payments made in time are still delivered');
      expect(html).not.toContain("I'll write");
      expect(JSON.stringify(keyboard)).not.toContain('invoice:look:');
    }
  });

  test('asks its maker to link its account again, with a button', () => {
    for (const language of LANGUAGES)
      for (const status of ['pending', 'expired', 'paid']) {
        const invoice = invoiceOf({ unchecked: true, shared: true, account: 1002, status });
        const own = cardOf(invoice, { own: true, language });
        expect(text(own)).toMatch(/(?:Account|Аккаунт) 1002 .*(?:[Ll]ink|Привяжите)/);
        expect(JSON.stringify(own.keyboard)).toContain('"link:open"');
        expect(JSON.stringify(cardOf(invoice, { own: false, language }))).not.toMatch(/1002|link:open/);
      }
  });

  test('keeps its first line when paid and adds that it is not checked', () => {
    const paid = text(payers({ status: 'paid' }));
    expect(paid).toMatch(/^💰 Paid\. The energy is on its way\./);
    expect(paid).toContain("I can't tell you what happens next");
    const late = text(payers({ status: 'paid', paidAt: expiresAt + 1 }));
    expect(late).toMatch(/^💰 Paid too late/);
    expect(late).toContain("I can't tell you what happens next");
    expect(late).not.toContain("I'll write");
  });

  test('has a different face, so that its cards are updated, for maker and payer', () => {
    for (const status of ['pending', 'paid'])
      for (const own of [true, false]) {
        const [checked, not] = [{}, { unchecked: true as const }].map((more) =>
          cardFingerprint(invoiceOf({ status, ...more }), createdAt, { isForMaker: own }),
        );
        expect(not).not.toBe(checked);
      }
  });
});

describe.each(LANGUAGES)('in %s', (language) => {
  const all = ANY.flatMap((more) =>
    TIMES.flatMap((now) =>
      [true, false].map((isForMaker) => ({ invoice: invoiceOf({ ...LONGEST, ...more }), now, isForMaker })),
    ),
  );
  const shown = (one: (typeof all)[number], links: InvoiceLinks = LINKS) =>
    invoiceCard(texts.in(language), one.invoice, { ...one, links });

  test("keeps every card within Telegram's limits with the longest values", () => {
    for (const one of all) {
      expectWithinLimits(shown(one));
      expectWithinLimits(shown(one, undefined));
    }
  });

  test('warns who pays for energy at a known contract while it can be paid', () => {
    const warning = texts.in(language).html('operation-contract', { name: 'USDT', lost: 'resources' });
    const html = (more: Partial<Invoice>) =>
      shown({ invoice: invoiceOf(more), now: createdAt, isForMaker: false }).html;
    expect(html({ address: SAMPLE_ADDRESS })).toContain(warning);
    expect(html({ address: anAddress() })).not.toContain(warning);
    expect(html({ address: SAMPLE_ADDRESS, status: 'delegated' })).not.toContain(warning);
  });

  test('contains no QR code, copyable payment address or copy button once it is not payable', () => {
    let seen = 0;
    for (const one of all) {
      const card = shown(one);
      const isPayable = ['open', 'ending'].includes(invoiceStateOf(one.invoice, one.now));
      const said = JSON.stringify({ ...card, html: withoutTags(card.html), picture: undefined });
      expect(said.includes(one.invoice.paymentAddress), said).toBe(isPayable);
      const isOver = ['over', 'unchecked', 'unrecognized'].includes(invoiceStateOf(one.invoice, one.now));
      const isMarked = said.includes(`): ${groupInFours(one.invoice.paymentAddress)}\\n`);
      expect(isMarked).toBe(isOver && !(one.isForMaker && one.invoice.shared));
      expect(said.includes('copy_text')).toBe(isPayable);
      expect(decoded(card.picture)).toBe(isPayable ? one.invoice.paymentAddress : undefined);
      if (!isPayable) seen += 1;
    }
    expect(seen).toBeGreaterThan(10);
  });

  test('shows neither QR code nor payment address on a stale card and offers to check', () => {
    for (const isForMaker of [true, false])
      for (const now of TIMES.slice(0, 2)) {
        const invoice = { ...invoiceOf(LONGEST), isStale: true as const };
        const card = shown({ invoice, now, isForMaker });
        expectWithinLimits(card);
        expect(JSON.stringify({ ...card, picture: undefined })).not.toContain(invoice.paymentAddress);
        expect(decoded(card.picture)).toBeUndefined();
        const check = isForMaker ? `invoice:check:${invoice.id}` : `invoice:look:${TOKEN}`;
        expect(buttonWith(card, check)).toBeDefined();
      }
  });

  test("reveals nothing about the maker on a payer's card, except the link token", () => {
    const secret = { id: 'theid123', user: 987_654_321, account: 7_654_321 };
    for (const { invoice, now } of all) {
      const card = shown({ invoice: { ...invoice, ...secret }, now, isForMaker: false });
      expect(JSON.stringify({ ...card, picture: undefined })).not.toMatch(/theid123|987654321|7654321/);
      const data = card.keyboard.flat().flatMap((one) => ('callback_data' in one ? one.callback_data : []));
      for (const one of data)
        expect([`invoice:look:${TOKEN}`, 'menu:open', '+help:topic:invoice']).toContain(one);
    }
  });

  test.each<[string, Partial<Invoice>]>([
    ['late', { status: 'paid', paidAt: expiresAt + 1 }],
    ['failed', { status: 'failed' }],
    ['possible', { status: 'expired' }],
  ])('a %s payment leads to support if there is a contact, on the card and below it', (_, more) => {
    const invoice = invoiceOf(more);
    for (const supportUrl of ['https://support.example/', undefined]) {
      const about = { isForMaker: true, now: expiresAt + 2, supportUrl };
      const card = invoiceCard(texts.in(language), invoice, { ...about, links: undefined }).html;
      for (const html of [card, invoiceFollowUp(texts.in(language), invoice, about) ?? card])
        expect(html.includes('https://support.example/')).toBe(supportUrl !== undefined);
    }
    // As on the page.
    const about = { isForMaker: false, now: expiresAt + 2, supportUrl: 'https://support.example/' };
    const shared = { ...invoice, shared: true };
    const card = invoiceCard(texts.in(language), shared, { ...about, links: undefined }).html;
    expect(card).toMatch(language === 'en' ? /the seller/ : /продавц/);
    expect(`${card}${invoiceFollowUp(texts.in(language), shared, about)}`).not.toContain('support.example');
  });

  test("does not repeat the title of a failed invoice's card below it", () => {
    const words = texts.in(language);
    const html = invoiceFollowUp(words, invoiceOf({ status: 'failed' }), {
      isForMaker: true,
      now: createdAt,
    });
    expect(html).toContain(words.html('order-undelivered'));
    expect(html).not.toContain(words.html('invoice-failed'));
  });

  test('names what was not delivered below the card, what happens to the money, and what to do', () => {
    const words = texts.in(language);
    for (const [isForMaker, shared] of [
      [true, false],
      [true, true],
      [false, true],
    ] as const) {
      const invoice = invoiceOf({ status: 'failed', shared });
      const html = invoiceFollowUp(words, invoice, { isForMaker, now: createdAt }) ?? '';
      const energy = words.html('energy-short', { amount: formatCount(invoice.energy, language) });
      expect(html).toContain(`${energy} → ${shortenAddress(invoice.address)}`);
      expect(html).toContain(words.html('invoice-price', { trx: invoice.priceTrx, usdt: invoice.priceUsdt }));
      expect(html).toMatch(language === 'en' ? /refunding the payment/ : /возвращает платёж/);
      expect(html.includes('USDT.</b>')).toBe(!(isForMaker && shared));
      expect(html.includes(words.html('invoice-again'))).toBe(isForMaker);
    }
  });

  test('links payers to Help, only on payable, overdue, late and failed invoices', () => {
    const helped = ['open', 'ending', 'over', 'late', 'failed', 'partial'];
    const offered = new Set<string>();
    for (const one of all) {
      const isOffered = buttonWith(shown(one), '+help:topic:invoice') !== undefined;
      const state = invoiceStateOf(one.invoice, one.now);
      expect(isOffered, state).toBe(helped.includes(state));
      const sellers = shown({ ...one, isForMaker: true, invoice: { ...one.invoice, shared: true } });
      expect(buttonWith(sellers, '+help:topic:invoice'), state).toBeUndefined();
      if (isOffered) offered.add(state);
    }
    expect(offered).toEqual(new Set(helped));
  });

  test('never mentions overpayment or underpayment', () => {
    for (const one of all) {
      const said = [text(shown(one)), invoiceFollowUp(texts.in(language), one.invoice, one) ?? ''].join('\n');
      expect(said).not.toMatch(/under-?pa|over-?pa|too (much|little) (was )?paid|недоплат|переплат/i);
    }
  });

  test.each([
    '<b>bold</b> &amp; <a href="https://evil.example">click</a>',
    '</code><tg-spoiler>hidden</tg-spoiler><code>',
    '*bold* _it_ `code` ||hidden|| [x](https://evil.example)',
    '@somebody /start #tag',
  ])('shows a note verbatim without formatting it: %s', (note) => {
    const { html } = shown({ invoice: invoiceOf({ note }), now: createdAt, isForMaker: false });
    expect(text({ html })).toContain(note);
    const line = html
      .split('\n')
      .find((one) => one.includes('hidden') || one.includes('bold') || one.includes('@'));
    expect(line?.match(/<\/?[a-z]/g)).toEqual(['<c', '</c']);
  });

  test('notifies of payment, delivery, failure and the end of the time, but not of other statuses', () => {
    const words = texts.in(language);
    const told = ANY.map(
      (more) => invoiceFollowUp(words, invoiceOf(more), { isForMaker: true, now: createdAt }) !== undefined,
    );
    const isNews = ({ status = '', unchecked, shared }: Partial<Invoice>) =>
      ['paid', 'delegated', 'failed'].includes(status) || (status === 'expired' && !unchecked && !shared);
    expect(told).toEqual(ANY.map(isNews));
  });
});
