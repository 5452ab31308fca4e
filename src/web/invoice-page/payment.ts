import type { Invoice } from '../../invoices/invoice.ts';
import { clock, inFours } from '../../texts/formats.ts';
import { escapeHtml, type Words } from '../../texts/texts.ts';
import { qrSvg } from './qr-svg.ts';

/** Renders the payment section. Without the script it shows both amounts and no buttons. */
export function paymentSection(words: Words, invoice: Invoice): string {
  const { paymentAddress, priceTrx, priceUsdt } = invoice;
  const address = escapeHtml(paymentAddress);
  return `<section id="payment" aria-label="${words.html('page-pay')}">
<div class="how">
<fieldset><legend class="unseen">${words.html('page-coin')}</legend>
<label><input type="radio" name="coin" value="trx" checked><span>TRX</span></label>
<label><input type="radio" name="coin" value="usdt"><span>USDT</span></label>
</fieldset>
${amount(words, 'trx', priceTrx)}
<p class="or">${words.html('page-or')}</p>
${amount(words, 'usdt', priceUsdt)}
<h2>${words.html('page-address')}</h2>
<p class="address"><code id="address" translate="no">${address}</code></p>
<p class="compare"><span>${words.html('page-compare')}</span><code class="fours" translate="no">${fours(paymentAddress)}</code></p>
${copyButton(words, 'address', words.html('page-copy-address'))}
</div>
<p class="warning">${words.html('page-warning')}</p>
<figure class="scan">${qrSvg(paymentAddress, words.html('page-qr'))}<figcaption>${words.html('page-scan')}</figcaption></figure>
</section>
<p id="checking" role="status" hidden>${words.html('page-checking')}</p>`;
}

/** Renders the deadline in UTC. The script converts it to local time and, near the end, shows a countdown. */
export function timeToPay(words: Words, { expiresAt }: Invoice, isEnding: boolean): string {
  const at = `<time datetime="${new Date(expiresAt).toISOString()}"${isEnding ? ' role="timer"' : ''}>${clock(expiresAt)}</time>`;
  const left = isEnding ? `<span class="left" hidden>${words.html('page-left')}</span> ` : '';
  return `<p class="time"><span class="until">${words.html('page-until')}</span> ${left}${at}</p>`;
}

/** Renders an address in groups of four that are easy to compare. Copying it yields the address without spaces. */
export function fours(address: string): string {
  return inFours(address)
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
  return `<button type="button" data-copy="${id}"><span>${label}</span><span class="copied">${words.html('page-copied')}</span><span class="not-copied">${words.html('page-not-copied')}</span></button>`;
}
