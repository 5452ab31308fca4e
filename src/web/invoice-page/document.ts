import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TextKey } from '../../i18n/keys.ts';
import {
  escapeHtml,
  formatMoment,
  formatTime,
  groupInFours,
  LANGUAGES,
  type Language,
  type Words,
} from '../../i18n/texts.ts';
import { contractWarning } from '../../invoices/card.ts';
import {
  type CheckedInvoice,
  type DisplayedState,
  displayedStateOf,
  type Invoice,
  isFinal,
  isPast,
  isPayable,
  isRentalOver,
  rentedUntil,
  wasPaid,
} from '../../invoices/invoice.ts';
import { QUIET_ZONE_MODULES, qrModules } from '../../pictures/qr-code.ts';
import { MINUTE_MS } from '../../platform/clock.ts';

type PageAssets = ReturnType<typeof readPageAssets>;

/**
 * Reads the inline style and script of every page from this folder. `policy` is the value of `Content-Security-Policy`
 * that allows only them.
 */
export function readPageAssets() {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8').trim();
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const style = ['page.css', 'state.css', 'payment.css'].map(read).join('\n');
  const script = read('page.js');
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    // For the tab icon, which is a data URL.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { style, script, policy };
}

/** SVG paths in a 24 by 24 view box. */
const CLOCK = 'M12 7v5l3.5 2M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18';
const CHECK = 'M5 12.5l4.5 4.5L19 7.5';
const BOLT = 'M13 3L5 14h6l-1 7l8-11h-6z';
const PAUSE = 'M12 7.5v5.5M12 16.5v.1M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18';

/** Icons of states. All other states have the pause sign. */
const ICONS: Partial<Record<DisplayedState, string>> = {
  open: CLOCK,
  ending: CLOCK,
  stale: CLOCK,
  paid: BOLT,
  delivered: CHECK,
  ended: CLOCK,
};

function iconSvg(path = PAUSE): string {
  return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
}

const TAB_ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6b53"/><path fill="#fff" d="${BOLT}"/></svg>`,
)}`;

/** Renders a QR code of a short text as SVG: black on white in every theme, one unit per module. `label` is HTML. */
export function qrSvg(text: string, label: string): string {
  const { size, isBlack } = qrModules(text);
  const side = size + 2 * QUIET_ZONE_MODULES;
  const runs: string[] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (!isBlack(row, column)) continue;
      const start = column;
      while (column < size && isBlack(row, column)) column++;
      runs.push(
        `M${start + QUIET_ZONE_MODULES} ${row + QUIET_ZONE_MODULES}h${column - start}v1h-${column - start}z`,
      );
    }
  }
  return `<svg class="qr" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges" role="img" aria-label="${label}"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${runs.join('')}"/></svg>`;
}

/**
 * Returns a fingerprint of the invoice's fields that the page shows and that can change. If it differs, the page has to be
 * reloaded. Doesn't include staleness, because only loading the page checks the invoice with the service.
 */
export function fingerprintOf(invoice: Invoice, now: number): string {
  const state = displayedStateOf({ ...invoice, isStale: false }, now);
  const { txHash, unchecked, status } = invoice;
  return [state, txHash, unchecked && 'unchecked', state === 'unrecognized' ? status : undefined]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** Renders the payment section. Without the script it shows both amounts and no buttons. */
function paymentSection(words: Words, invoice: Invoice): string {
  const { paymentAddress, priceTrx, priceUsdt } = invoice;
  return `<section id="payment" aria-label="${words.html('page-pay')}">
<div class="sum">
<fieldset><legend class="unseen">${words.html('page-coin')}</legend>
<label><input type="radio" name="coin" value="trx" checked><span>TRX</span></label>
<label><input type="radio" name="coin" value="usdt"><span>USDT</span></label>
</fieldset>
${amount(words, 'trx', priceTrx)}
<p class="or">${words.html('page-or')}</p>
${amount(words, 'usdt', priceUsdt)}
</div>
<div class="to">
<h2>${words.html('page-address')}</h2>
<p><code id="address" class="fours" translate="no">${fours(paymentAddress)}</code></p>
<p class="compare">${words.html('page-compare')}</p>
</div>
<figure class="scan">${qrSvg(paymentAddress, words.html('page-qr'))}<figcaption>${words.html('page-scan')}</figcaption></figure>
${copyButton(words, 'address', words.html('page-copy-address'))}
<div class="warning">
<p>${words.html('page-warning')}</p>
<p>${words.html('page-parts')} ${arrivedLink(words, paymentAddress)}</p>
</div>
</section>
<p id="checking" role="status" hidden>${words.html('page-checking')}</p>`;
}

/** Links to the payment address in the explorer, because the service doesn't report part payments. */
function arrivedLink(words: Words, paymentAddress: string): string {
  const url = words.explorerUrl('address', paymentAddress);
  return url === undefined
    ? ''
    : `<a href="${escapeHtml(url)}" target="_blank" rel="noreferrer">${words.html('page-arrived')}</a>`;
}

/** Renders the form that posts to the page itself. It works without the script. */
function checkForm(words: Words, state: DisplayedState, checked: CheckResult | undefined): string {
  const isNone = checked === 'unpaid' && state === 'over';
  // A check before the deadline says nothing about a payment since.
  const isKnown = checked !== undefined && !(checked === 'unpaid' && state === 'unreported');
  const result = isKnown && words.html(isNone ? 'toast-invoice-none' : `page-${checked}`);
  return `<form method="post"><button id="check">${words.html('page-check')}</button></form>
<p id="checked" role="status">${result || ''}</p>`;
}

/** Renders the deadline in UTC. The script converts it to local time and shows a countdown. */
function timeToPay(words: Words, { expiresAt }: Invoice): string {
  const at = timeElement(expiresAt, formatTime(expiresAt));
  return `<p class="time"><span>${words.html('page-until')} ${at}</span><span id="left" hidden>${words.html('page-left')} <b role="timer"></b></span></p>`;
}

/** Renders a time as `text` in UTC. The script converts it to local time. */
function timeElement(at: number, text: string): string {
  return `<time datetime="${new Date(at).toISOString()}">${escapeHtml(text)}</time>`;
}

/** Renders an address in groups of four that are easy to compare. Copying it yields the address without spaces. */
function fours(address: string): string {
  return groupInFours(address)
    .split(' ')
    .map((group) => `<span>${escapeHtml(group)}</span>`)
    .join('<wbr>');
}

function amount(words: Words, coin: 'trx' | 'usdt', price: string): string {
  return `<div class="amount" data-coin="${coin}">
<h2>${words.html('page-amount')}</h2>
<p><code id="${coin}" translate="no">${escapeHtml(price)}</code> <span>${coin.toUpperCase()}</span></p>
${copyButton(words, coin, words.html('page-copy-amount'))}
</div>`;
}

function copyButton(words: Words, id: string, label: string): string {
  const style = id === 'address' ? ' class="main"' : '';
  return `<button type="button"${style} data-copy="${id}"><span>${label}</span><span class="copied">${words.html('page-copied')}</span><span class="not-copied">${words.html('page-not-copied')}</span></button>`;
}

/** Reload intervals without scripts: short while a change is likely, long after the deadline or if the invoice is unchecked. */
const RELOAD_S = 15;
const RELOAD_RARELY_S = 60;
/** Reload interval without scripts until a stale invoice has been checked. */
const RELOAD_STALE_S = 5;
/** Time after the deadline during which a page polls for a payment that was sent in time, in milliseconds. */
const POLLED_AFTER_EXPIRY_MS = 15 * MINUTE_MS;
/** Current step by state. States without a step show no steps. */
const STEP: Partial<Record<DisplayedState, number>> = { open: 0, ending: 0, paid: 1, delivered: 3 };

/** Results of *Check payment* that the page shows. Any other result changes its state. */
export const CHECK_RESULTS = ['unpaid', 'not-answered'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];
/** States in which a payment that the service hasn't reported is possible. */
const CHECKABLE_STATES: readonly DisplayedState[] = [
  'open',
  'ending',
  'stale',
  'unreported',
  'over',
  'unrecognized',
];

/** Name of the bot, and the URL of its support, if there is one. */
export interface PageContacts {
  bot: string;
  supportUrl: string | undefined;
}

/** Returns who helps the payer: the seller of a merchant's invoice, otherwise support. */
function contactText(words: Words, { shared }: Invoice, supportUrl: string | undefined): string {
  if (shared) return words.html('page-contact-seller');
  return supportUrl === undefined ? '' : words.html('page-contact-support', { url: supportUrl });
}

/**
 * Renders the page of an invoice: its state, the payment section if it can be paid, and the delivery. `checked`: result
 * of the check that led to this page.
 */
export function invoiceScreen(
  assets: PageAssets,
  words: Words,
  {
    invoice,
    checked,
    now,
    contacts,
  }: {
    invoice: CheckedInvoice;
    checked?: CheckResult | undefined;
    now: number;
    contacts: PageContacts;
  },
) {
  const state = displayedStateOf(invoice, now);
  const final = isFinal(invoice);
  const hasReceipt = !isPayable(state);
  const stopsAt = pollingStopsAt(invoice, state);
  const data = {
    fingerprint: escapeHtml(fingerprintOf(invoice, now)),
    now,
    ...(final && { final }),
    ...(isPayable(state) && { 'ends-at': invoice.expiresAt }),
    ...(stopsAt !== undefined && { 'stops-at': stopsAt }),
    ...(state === 'stale' && { stale: true }),
  };
  return pageDocument(assets, {
    words,
    bot: contacts.bot,
    contact: contactText(words, invoice, contacts.supportUrl),
    data: Object.entries(data)
      .map(([name, value]) => `data-${name}="${value}"`)
      .join(' '),
    ...(!final && now < (stopsAt ?? Infinity) && { reloadSeconds: reloadAfterS(invoice, state) }),
    main: `<div id="state" role="status">
${headline(words, invoice, state)}
</div>
<div id="details">
${purpose(words, invoice)}
${hasReceipt ? '' : delivery(words, invoice, { isPayable: true }) + timeToPay(words, invoice) + paymentSection(words, invoice)}
${CHECKABLE_STATES.includes(state) && !invoice.unchecked ? checkForm(words, state, checked) : ''}
${steps(words, state)}
${hasReceipt ? delivery(words, invoice, { isPayable: false }) + receipt(words, invoice, state, now) : numbered(words, invoice)}
</div>`,
  });
}

/** Renders the page of an invalid link (`none`), or of an invoice that can't be shown at present (`away`). */
export function emptyScreen(
  assets: PageAssets,
  words: Words,
  { why, bot }: { why: 'none' | 'away'; bot: string },
): string {
  return pageDocument(assets, {
    words,
    bot,
    main: `<div id="state" class="none">${iconSvg()}
<h1>${words.html(`page-empty-${why}`)}</h1>
<p>${words.html(`page-advice-${why}`)}</p>
</div>`,
  });
}

function reloadAfterS({ unchecked }: Invoice, state: DisplayedState): number {
  if (state === 'stale') return RELOAD_STALE_S;
  return unchecked || state === 'over' || state === 'late' ? RELOAD_RARELY_S : RELOAD_S;
}

/**
 * Returns the epoch milliseconds at which an open page stops polling, unless it is shown again. `undefined` while the
 * payment or the delivery is expected.
 */
function pollingStopsAt({ expiresAt }: Invoice, state: DisplayedState): number | undefined {
  return STEP[state] === undefined && state !== 'stale' ? expiresAt + POLLED_AFTER_EXPIRY_MS : undefined;
}

/** Advice for states whose own one promises news of the payment, once the invoice is unchecked. */
const UNCHECKED_ADVICE: Partial<Record<DisplayedState, TextKey>> = {
  over: 'page-what-unchecked',
  paid: 'page-what-paid-unchecked',
};

function headline(words: Words, invoice: Invoice, state: DisplayedState): string {
  const { unchecked, status, energy, delivered = 0 } = invoice;
  // A guest's own invoice has no seller.
  const maker = invoice.shared ? 'seller' : 'payer';
  const what = (unchecked && UNCHECKED_ADVICE[state]) || (`page-what-${state}` as const);
  const until = rentedUntil(invoice);
  const advice =
    state === 'delivered' && until !== undefined
      ? `<b>${words.html('page-send-by')} ${timeElement(until, formatMoment(until, words.language))}</b>`
      : words.html(what, { status: status || '–', delivered, amount: energy, maker });
  return `<div class="${state}">${iconSvg(ICONS[state])}
<h1 tabindex="-1">${words.html(`page-state-${state}`)}</h1>
<p>${advice}</p>
</div>`;
}

function steps(words: Words, state: DisplayedState): string {
  const current = STEP[state];
  if (current === undefined) return '';
  const items = (['pay', 'paid', 'delivered'] as const).map((step, at) => {
    const mark = at === current ? ' aria-current="step"' : at < current ? ' class="past"' : '';
    return `<li${mark}>${words.html(`page-step-${step}`)}</li>`;
  });
  return `<ol class="steps">${items.join('')}</ol>`;
}

function purpose(words: Words, { energy: amount, hours, note }: Invoice): string {
  const seller =
    note === undefined
      ? ''
      : `<figure class="note"><figcaption>${words.html('page-note')}</figcaption><blockquote dir="auto">${escapeHtml(note)}</blockquote></figure>`;
  return `<p class="energy">${words.html('page-energy', { amount, hours })}</p>
${seller}`;
}

/** Renders where the energy goes. While it can be paid, warns about a contract and asks to check a seller's address. */
function delivery(
  words: Words,
  { address, txHash, shared }: Invoice,
  { isPayable: warns }: { isPayable: boolean },
): string {
  const contract = warns && contractWarning(words, { address });
  const transaction =
    txHash === undefined
      ? ''
      : `<dt>${words.html('page-transaction')}</dt><dd>${transactionHash(words, txHash)}</dd>`;
  return `<dl class="delivery"><dt>${words.html('page-delivery')}</dt><dd><code class="fours" translate="no">${fours(address)}</code></dd>${transaction}</dl>${contract ? `<p>${contract}</p>` : ''}${shared && warns ? `<p>${words.html('invoice-by-seller')}</p>` : ''}`;
}

/** Renders the invoice's number, which the receipt has otherwise. */
function numbered(words: Words, { number }: Invoice): string {
  return `<dl class="delivery"><dt>${words.html('page-invoice')}</dt><dd>${number}</dd></dl>`;
}

/** Renders what a payer needs later: the invoice's number, price and times, as far as they are known. */
function receipt(words: Words, invoice: Invoice, state: DisplayedState, now: number): string {
  const { number, priceTrx: trx, priceUsdt: usdt, createdAt, expiresAt, paidAt, delegatedAt } = invoice;
  const moment = (at: number | undefined) =>
    at === undefined ? undefined : timeElement(at, formatMoment(at, words.language));
  const until = rentedUntil(invoice);
  // A payer who has sent a part needs to know where the rest goes, and until when.
  const isStale = state === 'stale';
  const price =
    wasPaid(invoice) || isPast(state) || isStale ? words.html('invoice-either', { trx, usdt }) : undefined;
  const rows = [
    ['page-invoice', String(number)],
    // The service doesn't report in which of the two currencies it was paid.
    ['page-price', price],
    ['page-until', isStale ? moment(expiresAt) : undefined],
    [
      isStale ? 'page-payable-to' : 'page-was-payable-to',
      isPast(state) || isStale ? uncopiedAddress(words, invoice) : undefined,
    ],
    ['page-created', moment(createdAt)],
    ['page-expired', state === 'over' || state === 'late' ? moment(expiresAt) : undefined],
    ['page-paid-at', moment(paidAt)],
    ['page-delivered-at', moment(delegatedAt)],
    [isRentalOver(invoice, now) ? 'page-used' : 'page-usable', moment(until)],
  ] as const;
  const shown = rows.flatMap(([key, value]) =>
    value === undefined ? [] : `<dt>${words.html(key)}</dt><dd>${value}</dd>`,
  );
  return `<dl class="receipt">${shown.join('')}</dl>`;
}

/** Renders the payment address for a payer who has paid, or has sent a part: without a button to copy it. */
function uncopiedAddress(words: Words, { paymentAddress }: Invoice): string {
  return `<span translate="no">${escapeHtml(groupInFours(paymentAddress))}</span><br>${arrivedLink(words, paymentAddress)}`;
}

/** Renders a transaction hash, linked to the blockchain explorer if it is a valid one. */
function transactionHash(words: Words, hash: string): string {
  const code = `<code translate="no">${escapeHtml(hash)}</code>`;
  const url = words.explorerUrl('transaction', hash);
  return url === undefined ? code : `<a href="${escapeHtml(url)}" rel="noreferrer">${code}</a>`;
}

/** Returns the chosen language, else the browser's preferred supported language (RFC 9110, 12.5.4), else English. */
export function pageLanguage(chosen: string | undefined, accepted: string | undefined): Language {
  return supportedLanguage(chosen) ?? bestOf(accepted ?? '') ?? 'en';
}

function supportedLanguage(name: string | undefined): Language | undefined {
  return LANGUAGES.find((language) => language === name);
}

function bestOf(accepted: string): Language | undefined {
  const preferences = accepted.split(',').flatMap((part) => {
    const [tag = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    const language = supportedLanguage(tag.split('-')[0]);
    const quality = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    return language && quality > 0 ? [{ language, quality }] : [];
  });
  return preferences.sort((left, right) => right.quality - left.quality)[0]?.language;
}

/**
 * Renders a whole page. Link previews are the same for all invoices and for invalid links. `main` is HTML. `data` are the
 * data of the script, as HTML attributes of `main`; without them the page has no script. `reloadSeconds` is the reload
 * interval for browsers without scripts. `bot` is the name of the bot, and `contact` HTML that names who helps.
 */
function pageDocument(
  { style, script }: PageAssets,
  parts: {
    words: Words;
    bot: string;
    contact?: string;
    main: string;
    data?: string;
    reloadSeconds?: number;
  },
): string {
  const { words, bot, contact = '', main, data, reloadSeconds } = parts;
  const [title, description] = [words.html('page-title'), words.html('page-description')];
  const renewal =
    reloadSeconds === undefined
      ? ''
      : `<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`;
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<link rel="icon" href="${TAB_ICON}">
${renewal}
<style>${style}</style>
</head>
<body>
<header><p class="name">${title}</p>${languageSwitch(words)}</header>
<main${data === undefined ? '' : ` ${data}`}>
${main}
</main>
<footer>${contact && `<p>${contact}</p>`}<p>${words.html('page-made-in', { bot })}</p><p>${words.html('page-safety')}</p>${renewal && `<noscript><p>${words.html('page-what-open')}</p></noscript>`}</footer>
${data === undefined ? '' : scriptOf(words, script)}
</body>
</html>
`;
}

function languageSwitch(words: Words): string {
  const links = LANGUAGES.map((language) => {
    const current = language === words.language ? ' aria-current="true"' : '';
    const name = words.html(`language-${language}`);
    return `<a href="?lang=${language}" lang="${language}" hreflang="${language}"${current}>${name}</a>`;
  });
  return `<nav aria-label="${words.html('page-language')}">${links.join('')}</nav>`;
}

function scriptOf(words: Words, script: string): string {
  return `<p id="offline" role="status" hidden>${words.html('page-offline')}</p>
<p id="said" class="unseen" role="status"></p>
<script type="module">${script}</script>`;
}
