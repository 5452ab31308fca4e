import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { groupInFours } from '../../../src/i18n/texts.ts';
import { TEXTS } from '../../support/texts.ts';
import {
  DELIVER_TO,
  HASH,
  MADE_AT,
  MERCHANT_ONLY_VALUES,
  MINUTE,
  PAGE_STATES,
  PAY_TO,
  PAYABLE,
  servePage,
  TOKEN,
} from './served-page.ts';

const UNCHECKED = {
  en: 'This invoice can&#39;t be tracked any more. Don&#39;t pay it',
  ru: 'Счёт больше не отслеживается. Не оплачивайте его',
};
const UNRECOGNIZED = { en: 'Don&#39;t pay this invoice now', ru: 'Сейчас не оплачивайте этот счёт' };
const WORDS: Record<string, { en: string; ru: string }> = {
  open: { en: 'Waiting for your payment', ru: 'Ждём вашу оплату' },
  ending: { en: 'Little time left', ru: 'Времени мало' },
  paid: { en: 'Payment received', ru: 'Оплата получена' },
  late: { en: 'Payment received, but too late', ru: 'Оплата получена, но поздно' },
  delivered: { en: 'Energy delivered', ru: 'Энергия доставлена' },
  over: { en: 'Expired. Don&#39;t pay', ru: 'Срок истёк. Не оплачивайте' },
  unreported: { en: 'Don&#39;t pay', ru: 'Не платите' },
  failed: { en: 'Paid, but not delivered', ru: 'Оплачено, но не доставлено' },
  ...Object.fromEntries(['unchecked', 'over and unchecked'].map((state) => [state, UNCHECKED])),
  ...Object.fromEntries(['unrecognized', 'without a status'].map((state) => [state, UNRECOGNIZED])),
  'expired and unchecked': { en: 'Expired. Don&#39;t pay', ru: 'Срок истёк. Не оплачивайте' },
  'paid and unchecked': { en: 'Payment received', ru: 'Оплата получена' },
  'late and unchecked': { en: 'Payment received, but too late', ru: 'Оплата получена, но поздно' },
};
const both = Object.keys(PAGE_STATES).flatMap((state) =>
  (['en', 'ru'] as const).map((language) => ({ state, language })),
);
/** Returns the visible text, without scripts, styles and tags. */
const readable = (html: string) =>
  html
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<wbr>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/\s+/g, ' ');

test.each(both)('shows $state in $language', async ({ state, language }) => {
  const page = await servePage();
  page.setState(state);
  const answer = await page.fetchPage('', { headers: { 'Accept-Language': language } });
  const html = await answer.text();
  expect(answer.status).toBe(200);
  expect(html).toContain(`<html lang="${language}">`);
  const heading = /<h1[^>]*>(.*)<\/h1>/.exec(html)?.[1]?.replaceAll("'", '&#39;');
  expect(heading).toBe(WORDS[state]?.[language]);
  expect(readable(html)).toContain(language === 'en' ? '131,000 energy for 1 h' : 'энергии на 1 ч');
  expect(html).toContain(groupInFours(DELIVER_TO).split(' ')[3]);
  expect(html.includes(HASH)).toBe(state === 'delivered');
  const number = language === 'en' ? 'Invoice' : 'Счёт';
  expect(html.split(`<dt>${number}</dt><dd>`), 'the number of the invoice').toHaveLength(2);
});

test('links the delivery transaction to the explorer, unless its hash is invalid', async () => {
  const page = await servePage();
  page.setState('delivered');
  const code = `<code translate="no">${HASH}</code>`;
  expect(await (await page.fetchPage()).text()).toContain(
    `<dd><a href="https://explorer.example/transaction/${HASH}" rel="noreferrer">${code}</a></dd>`,
  );
  const odd = await servePage({ invoice: { txHash: 'javascript:1' } });
  odd.setState('paid');
  const html = await (await odd.fetchPage()).text();
  expect(html).toContain('<dd><code translate="no">javascript:1</code></dd>');
  expect(html).not.toContain('explorer.example');
});

/** Returns the receipt's rows: names and values. */
const receiptIn = (html: string) => {
  const [, list = ''] = /<dl class="receipt">(.*)<\/dl>/.exec(html) ?? [];
  const rows = [...list.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)];
  return Object.fromEntries(rows.map(([, name, value = '']) => [name, readable(value).trim()]));
};

test('asks to check the address of the energy before it shows how to pay', async () => {
  const page = await servePage();
  page.setState('open');
  const said = readable(await (await page.fetchPage()).text());
  const order = [
    TEXTS.in('en').plain('page-delivery'),
    'This is the USDT contract, not a wallet.',
    'A seller made this invoice: check that the address is yours.',
    TEXTS.in('en').plain('page-until'),
    TEXTS.in('en').plain('page-copy-address'),
  ].map((part) => said.indexOf(part));
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
});

test('warns of a known contract as the address of the energy while it can be paid', async () => {
  const warning = 'This is the USDT contract, not a wallet.';
  const page = await servePage();
  page.setState('open');
  expect(readable(await (await page.fetchPage()).text())).toContain(warning);
  page.setState('paid');
  expect(readable(await (await page.fetchPage()).text())).not.toContain(warning);
  const other = await servePage({ invoice: { address: PAY_TO } });
  other.setState('open');
  expect(readable(await (await other.fetchPage()).text())).not.toContain(warning);
});

test('shows a receipt with number, both prices and the known times once it is not payable', async () => {
  const page = await servePage();
  const receiptOf = async (state: string, changes = {}, query = '') => {
    page.setState(state);
    page.change(changes);
    return receiptIn(await (await page.fetchPage(query)).text());
  };
  const made = { Invoice: '930333435', Created: '22 Nov, 15:00 UTC' };
  const price = { Price: '12.345678 TRX or 4.21 USDT' };
  const paid = { ...made, ...price, Paid: '22 Nov, 15:04 UTC' };
  expect(await receiptOf('paid')).toEqual(paid);
  expect(await receiptOf('delivered')).toEqual(paid);
  const delivered = { delegatedAt: MADE_AT + 5 * MINUTE };
  const until = { Delivered: '22 Nov, 15:05 UTC', 'Energy ends': '22 Nov, 16:05 UTC' };
  expect(await receiptOf('delivered', delivered)).toEqual({ ...paid, ...until });
  expect(await receiptOf('delivered', delivered, '?lang=ru')).toMatchObject({
    Счёт: '930333435',
    Цена: '12,345678\u00a0TRX или 4,21\u00a0USDT'.replaceAll('\u00a0', ' '),
    'Энергия закончится': '22 нояб., 16:05 UTC',
  });
  const address = `${groupInFours(PAY_TO)} See what has arrived`;
  const wasPayable = { ...price, "Payment address (don't pay)": address };
  expect(await receiptOf('over')).toEqual({ ...made, ...wasPayable, Expired: '22 Nov, 15:30 UTC' });
  for (const state of ['unchecked', 'unrecognized'])
    expect(await receiptOf(state)).toEqual({ ...made, ...wasPayable });
  for (const state of PAYABLE) expect(await receiptOf(state)).toEqual({});
  await receiptOf('delivered', delivered);
  const advice = async (query = '') => readable(await (await page.fetchPage(query)).text());
  expect(await advice()).toContain('Send your USDT by 22 Nov, 16:05 UTC');
  expect(await advice('?lang=ru')).toContain('Отправьте USDT до 22 нояб., 16:05 UTC');
  page.advance(66 * MINUTE);
  const ended = await (await page.fetchPage()).text();
  expect(receiptIn(ended)).toMatchObject({ 'Energy ended': '22 Nov, 16:05 UTC' });
  expect(ended).toContain("The energy was delivered and can't be used any more.");
});

test('explains part payments before and after the deadline', async () => {
  const page = await servePage();
  page.setState('open');
  const open = await (await page.fetchPage()).text();
  expect(readable(open)).toMatch(
    /Sent only a part\? Send just the rest.* A part alone buys nothing; the service may return it\./,
  );
  expect(open).toContain(
    `<a href="https://explorer.example/address/${PAY_TO}" target="_blank" rel="noreferrer">`,
  );
  page.setState('over');
  const over = await (await page.fetchPage()).text();
  expect(readable(over)).toContain("Already sent it all, or a part? Don't send more");
  expect(readable(over)).not.toContain(PAY_TO);
  page.setState('failed');
  const failed = readable(await (await page.fetchPage()).text());
  expect(failed).toContain(
    "Don't send your USDT. The service says it refunds the sender: check the wallet you paid from. Not back? Give the seller the invoice number. Still need the energy? Ask for a new link.",
  );
});

test.each(['en', 'ru'])('shows the amounts to copy as the service sent them in %s', async (language) => {
  const page = await servePage({ invoice: { priceTrx: '1128.5', priceUsdt: '1421' } });
  page.setState('open');
  const html = await (await page.fetchPage(`?lang=${language}`)).text();
  expect(html).toContain('<code id="trx" translate="no">1128.5</code>');
  expect(html).toContain('<code id="usdt" translate="no">1421</code>');
});

/** Returns parts of the payment details that are on a page. */
const paymentDetailsIn = (html: string) => {
  const compared = groupInFours(PAY_TO)
    .split(' ')
    .map((group) => `<span>${group}</span>`)
    .join('<wbr>');
  const details = [
    PAY_TO.slice(0, 4),
    compared,
    'id="trx"',
    'id="usdt"',
    'class="qr"',
    'data-copy=',
    'TRC20',
  ];
  return [...details, 'data-ends-at'].filter((part) => html.includes(part));
};

test.each(Object.keys(PAGE_STATES))(
  '%s: shows the payment details only while payable, and refreshes without scripts until final',
  async (state) => {
    const page = await servePage();
    page.setState(state);
    const html = await (await page.fetchPage()).text();
    // The page of an invoice that was payable names the address for a comparison only.
    const isPast =
      !/^(?:paid|late)/.test(state) && /over|unreported|unchecked|unrecognized|without/.test(state);
    expect(paymentDetailsIn(html)).toHaveLength(PAYABLE.includes(state) ? 8 : Number(isPast));
    const isFinal = state === 'delivered' || state === 'failed';
    const isLongOver = state.startsWith('late');
    expect(html.includes('<noscript><meta http-equiv="refresh"')).toBe(!isFinal && !isLongOver);
    expect(html.includes('data-final')).toBe(isFinal);
  },
);

test.each(both.filter(({ state }) => state.includes('unchecked')))(
  '$state: says in $language that the invoice is no longer checked',
  async ({ state, language }) => {
    const page = await servePage();
    page.setState(state);
    const said = readable(await (await page.fetchPage(`?lang=${language}`)).text());
    expect(said).toMatch(
      language === 'en'
        ? /tracked any more|page can't show|the service decides|made in time are still delivered/
        : /больше не отслеживается|не сможет показать|решает сервис|сервис доставит/,
    );
    expect(said).toMatch(language === 'en' ? /don't pay again/i : /не платите ещё раз/i);
    expect(said).not.toMatch(/for 24 hours|в течение 24 часов/);
  },
);

test.each(['open', 'ending'])(
  'invites no payment while the invoice is stale, but serves payers of a part: %s',
  async (state) => {
    const page = await servePage({ check: async (invoice) => ({ ...invoice, isStale: true }) });
    page.setState(state);
    for (const [language, heading, reason, deadline] of [
      ['en', "Don't pay yet", /The service isn't responding.*Sent only a part\?/, 'Pay by 22 Nov, 15:30'],
      [
        'ru',
        'Пока не платите',
        /Сервис не отвечает.*Отправили только часть\?/,
        'Оплатить до 22 нояб., 15:30',
      ],
    ] as const) {
      const html = await (await page.fetchPage(`?lang=${language}`)).text();
      expect(readable(html)).toContain(heading);
      expect(readable(html)).toMatch(reason);
      expect(readable(html)).toContain(deadline);
      expect(readable(html)).toContain(groupInFours(PAY_TO));
      expect(readable(html)).toContain('TRX');
      // Neither a QR code nor anything to copy.
      expect(paymentDetailsIn(html)).toEqual([PAY_TO.slice(0, 4)]);
      expect(html).toContain('data-stale=');
      expect(html).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
      // The record is unchanged, so that the script doesn't fetch the page again at once.
      expect(html).toContain(`data-fingerprint="${state}"`);
      expect(await (await page.fetchPage('/status')).json()).toMatchObject({ fingerprint: state });
    }
  },
);

test('shows a status that the specification does not name as code, escaped', async () => {
  const page = await servePage();
  page.change({ status: '<b>under"paid' });
  const html = await (await page.fetchPage()).text();
  expect(html).toContain('<code>&#60;b&#62;under&#34;paid</code>');
  expect(await (await page.fetchPage('/status')).json()).toMatchObject({
    fingerprint: 'unrecognized <b>under"paid',
  });
});

test('shows the deadline in UTC for browsers without scripts', async () => {
  const page = await servePage();
  expect(await (await page.fetchPage()).text()).toContain(
    '<time datetime="2026-11-22T15:30:00.000Z">15:30 UTC</time>',
  );
});

describe('the page’s language', () => {
  test.each([
    ['ru-RU,ru;q=0.9,en;q=0.8', '', 'ru'],
    ['de-DE,en;q=0.5,ru;q=0.7', '', 'ru'],
    ['de-DE,de', '', 'en'],
    ['ru;q=0, en;q=0.1', '', 'en'],
    ['', '', 'en'],
    ['ru', '?lang=en', 'en'],
    ['en', '?lang=ru', 'ru'],
    ['ru', '?lang=xx"><script>', 'ru'],
    [';;q=,,=;q=ru', '', 'en'],
  ])('follows Accept-Language %j and query %j: %s', async (accepted, query, language) => {
    const page = await servePage();
    const answer = await page.fetchPage(query, { headers: { 'Accept-Language': accepted } });
    expect(await answer.text()).toContain(`<html lang="${language}">`);
    expect(answer.headers.get('vary')).toBe('Accept-Language');
  });
});

describe('every response', () => {
  const paths = ['', '/status', '/opened', '/nothing', '/status/more'];

  test.each(paths)('from %j has restrictive security headers', async (path) => {
    const page = await servePage();
    page.setState('delivered');
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      const { headers, ok } = await page.fetchPage(path, { method });
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const isStatus = ok && path === '/status';
      expect(headers.get('cache-control')).toBe(isStatus ? 'private, no-cache' : 'no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('allows only the page’s own style and script', async () => {
    const page = await servePage();
    const answer = await page.fetchPage();
    const html = await answer.text();
    const hashOf = (tag: string) => {
      const [, text = ''] = new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    const policy = [
      "default-src 'none'",
      `style-src ${hashOf('style')}`,
      `script-src ${hashOf('script')}`,
      ...["connect-src 'self'", 'img-src data:'],
      ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
    ];
    expect(answer.headers.get('content-security-policy')).toBe(policy.join('; '));
    expect(html.match(/<(script|style)/g)).toHaveLength(2);
    expect(html).not.toMatch(/<[^>]+ (style|on\w+)=/);
    // No resources of other origins, and no relative addresses that would fail below a path.
    const addresses = [...html.matchAll(/<[^>]+\s(?:src|href|action)="([^"]*)"/g)].map(([, url]) => url);
    expect(
      addresses.filter(
        (url) =>
          !/^(\?lang=(en|ru)|data:.*|https:\/\/(explorer\.example\/address\/\w+|t\.me\/energy_bot))$/.test(
            url ?? '',
          ),
      ),
    ).toEqual([]);
  });

  test('contains nothing about the merchant', async () => {
    const page = await servePage({ invoice: { openedAt: 1, transfers: 2 } });
    for (const state of Object.keys(PAGE_STATES)) {
      page.setState(state);
      for (const path of ['', '/status']) {
        const answer = await page.fetchPage(path);
        const text = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
        for (const secret of [...MERCHANT_ONLY_VALUES, TOKEN]) expect(text).not.toContain(secret);
      }
    }
  });
});

test('shows the same link preview for every invoice and state', async () => {
  const page = await servePage({ invoice: { note: 'For Ann' } });
  const heads = new Set<string>();
  for (const state of Object.keys(PAGE_STATES)) {
    page.setState(state);
    const head = (await (await page.fetchPage()).text()).split('<link rel="icon"')[0] ?? '';
    expect(head).toContain('<meta name="robots" content="noindex">');
    expect(head).toMatch(/<title>Energy invoice<\/title>[\s\S]*og:title[\s\S]*og:description/);
    heads.add(head);
  }
  heads.add((await (await page.fetchPath('/i/nothing')).text()).split('<link rel="icon"')[0] ?? '');
  expect(heads.size).toBe(1);
});

const NASTY = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</blockquote></main><h1>Pay TEvil</h1>',
  "';alert(1)//",
  '&lt;b&gt; &amp; &#60;i&#62;',
  '<!-- --><![CDATA[ ]]>',
  '{ $amount } #{7*7} {{7*7}}',
  '</style></script></noscript></title>',
  '\u202Eevil\u2066\u0000\u200B',
  "$& $1 $` $'",
];

test.each(['late', 'over', 'failed', 'unchecked', 'unrecognized'])(
  'leads to the bot instead of a seller if the payer made the invoice: %s',
  async (state) => {
    const textOf = async (shared: boolean, query = '') => {
      const page = await servePage({ invoice: { shared } });
      page.setState(state);
      return readable(await (await page.fetchPage(query)).text());
    };
    expect(await textOf(true)).toMatch(/seller.*seller|new link/s);
    expect(await textOf(false)).toMatch(/in the bot/);
    expect(await textOf(false)).not.toMatch(/seller|new link/);
    expect(await textOf(false, '?lang=ru')).toMatch(/в бот/);
    expect(await textOf(false, '?lang=ru')).not.toMatch(/продавц|ссылк/);
  },
);

test.each([true, false])('names the bot and who helps, shared: %s', async (shared) => {
  const page = await servePage({ invoice: { shared }, supportUrl: 'https://help.example/?a&b' });
  const html = await (await page.fetchPage()).text();
  expect(html).toContain('<a href="https://t.me/energy_bot">@energy_bot</a>');
  expect(readable(html).includes('Ask the seller.')).toBe(shared);
  expect(readable(html).includes('check that the address is yours')).toBe(shared);
  expect(html.includes('href="https://help.example/?a&#38;b"')).toBe(!shared);
  expect(await (await page.fetchPath('/i/none')).text()).toContain('@energy_bot');
});

test('shows the seller’s note as plain text, attributed to the seller', async () => {
  const signs = [...new Set(NASTY.join(''))];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const made = Array.from({ length: 60 }, () =>
    Array.from({ length: 1 + random(40) }, () => signs[random(signs.length)] ?? '').join(''),
  );
  const page = await servePage();
  page.setState('paid');
  const bare = (await (await page.fetchPage()).text()).replace(/<figure class="note">.*<\/figure>/, '');
  for (const note of [...NASTY, ...made]) {
    page.change({ note });
    const html = await (await page.fetchPage()).text();
    const [figure = '', shown = ''] =
      /<figure class="note"><figcaption>Seller's note<\/figcaption><blockquote dir="auto">([^<]*)<\/blockquote><\/figure>/.exec(
        html,
      ) ?? [];
    expect(shown).not.toMatch(/[<>"]/);
    expect(shown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))).toBe(note);
    expect(html.replace(figure, '')).toBe(bare);
  }
});

test('shows no note if there is none', async () => {
  const page = await servePage();
  expect(await (await page.fetchPage()).text()).not.toContain("Seller's note");
});
