import {
  type CheckedInvoice,
  type Invoice,
  isPayable,
  type ShownStanding,
  shownStandingOf,
} from '../../invoices/invoice.ts';
import { counted } from '../../texts/formats.ts';
import { escapeHtml, type Words } from '../../texts/texts.ts';
import type { PageAssets } from './assets.ts';
import { pageDocument } from './document.ts';
import { iconOf } from './icons.ts';
import { pageStateOf } from './page-state.ts';
import { fours, paymentSection, timeToPay } from './payment.ts';

/** Reload intervals without scripts: short while a change is likely, long after the deadline or if the invoice is unchecked. */
const RENEW_S = 15;
const RENEW_LATER_S = 60;
/** Reload interval, with and without scripts, until a stale invoice has been checked. */
const RENEW_STALE_S = 5;
/** Current step by standing. Standings without a step show no steps. */
const STEP: Partial<Record<ShownStanding, number>> = { open: 0, ending: 0, paid: 1, delivered: 3 };

/** Renders the page of an invoice: its state, the payment section if it can be paid, and the delivery. */
export function invoiceScreen(
  assets: PageAssets,
  words: Words,
  invoice: CheckedInvoice,
  now: number,
): string {
  const standing = shownStandingOf(invoice, now);
  const { face, final, endsAt } = pageStateOf(invoice, now);
  const data = {
    face: escapeHtml(face),
    now,
    ...(final && { final }),
    ...(endsAt !== undefined && { 'ends-at': endsAt }),
    ...(standing === 'stale' && { 'renew-after': RENEW_STALE_S }),
  };
  return pageDocument(assets, {
    words,
    data: Object.entries(data)
      .map(([name, value]) => `data-${name}="${value}"`)
      .join(' '),
    ...(!final && { renewSeconds: renewAfterS(invoice, standing) }),
    main: `<div id="state" role="status">
${headline(words, invoice, standing)}
</div>
<div id="details">
${steps(words, standing)}
${isPayable(standing) ? timeToPay(words, invoice, standing === 'ending') + paymentSection(words, invoice) : ''}
${delivery(words, invoice)}
</div>`,
  });
}

/** Renders the page of an invalid link (`none`), or of an invoice that can't be shown at present (`away`). */
export function emptyScreen(assets: PageAssets, words: Words, why: 'none' | 'away'): string {
  return pageDocument(assets, {
    words,
    main: `<div id="state" class="none">${iconOf('none')}
<h1>${words.html(`page-empty-${why}`)}</h1>
<p>${words.html(`page-advice-${why}`)}</p>
</div>`,
  });
}

function renewAfterS({ unchecked }: Invoice, standing: ShownStanding): number {
  if (standing === 'stale') return RENEW_STALE_S;
  return unchecked || standing === 'over' || standing === 'late' ? RENEW_LATER_S : RENEW_S;
}

function headline(words: Words, { unchecked, status }: Invoice, standing: ShownStanding): string {
  const isLost = unchecked && (standing === 'paid' || standing === 'late');
  const what = isLost ? (`page-what-${standing}-unchecked` as const) : (`page-what-${standing}` as const);
  return `<div class="${standing}">${iconOf(standing)}
<h1 tabindex="-1">${words.html(`page-state-${standing}`)}</h1>
<p>${words.html(what, { named: status === '' ? 'no' : 'yes', status })}</p>
</div>`;
}

function steps(words: Words, standing: ShownStanding): string {
  const current = STEP[standing];
  if (current === undefined) return '';
  const items = (['pay', 'paid', 'delivered'] as const).map((step, at) => {
    const mark = at === current ? ' aria-current="step"' : at < current ? ' class="past"' : '';
    return `<li${mark}>${words.html(`page-step-${step}`)}</li>`;
  });
  return `<ol class="steps">${items.join('')}</ol>`;
}

function delivery(words: Words, { energy, hours, address, txHash, note }: Invoice): string {
  const amount = counted(energy, words.language);
  const transaction =
    txHash === undefined
      ? ''
      : `<dt>${words.html('page-transaction')}</dt><dd><code translate="no">${escapeHtml(txHash)}</code></dd>`;
  const seller =
    note === undefined
      ? ''
      : `<figure class="note"><figcaption>${words.html('page-note')}</figcaption><blockquote dir="auto">${escapeHtml(note)}</blockquote></figure>`;
  return `<section class="delivery">
<h2>${words.html('page-delivers')}</h2>
<p class="energy">${words.html('page-energy', { amount, hours })}</p>
<dl><dt>${words.html('page-delivery')}</dt><dd><code class="fours" translate="no">${fours(address)}</code></dd>${transaction}</dl>
${seller}
</section>`;
}
