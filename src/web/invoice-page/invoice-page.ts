import { BlockList, isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import type { Texts } from '../../i18n/texts.ts';
import type { CheckedInvoice, Invoice, InvoiceRef } from '../../invoices/invoice.ts';
import { PAGES_PATH } from '../../invoices/invoices.ts';
import { createLogThrottle, type Log, reportFailure } from '../../platform/log.ts';
import { createCallLimiter } from '../http-server.ts';
import {
  CHECK_RESULTS,
  type CheckResult,
  emptyScreen,
  fingerprintOf,
  invoiceScreen,
  pageLanguage,
  readPageAssets,
} from './document.ts';

/** Networks of trusted proxies: loopback, private and link-local addresses. */
const TRUSTED_NETWORKS: readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
];

/**
 * Returns a function that names the client a connection is counted for: the peer, or, if the peer is a trusted proxy, the
 * last client in the proxy's `X-Forwarded-For`. A client can write everything to the left of that itself. An IPv6 client
 * is counted by its /64 network.
 */
export function createClientAddress() {
  const trusted = new BlockList();
  for (const network of TRUSTED_NETWORKS) trusted.addSubnet(...network);

  return (peer: string | undefined, forwardedFor: string | undefined): string => {
    const address = plainAddress(peer ?? '');
    const forwarded = plainAddress(nodeAddress(forwardedFor?.split(',').at(-1) ?? ''));
    const isProxy = isIP(address) === 0 || trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
    return networkOf(isProxy && isIP(forwarded) !== 0 ? forwarded : address);
  };
}

/**
 * Returns the address in one entry of the header. Some proxies add the port, and brackets around IPv6, or write the entry
 * as in `Forwarded` (RFC 7239, section 6): `203.0.113.1:4711`, `[2001:db8::1]:443`, `for="[2001:db8::1]"`.
 */
function nodeAddress(entry: string): string {
  const [node = ''] = entry.split(';');
  const [, bracketed, bare = ''] =
    /^(?:for=)?"?(?:\[([^\]]*)\](?::\w+)?|([^"]*))"?$/i.exec(node.trim()) ?? [];
  return bracketed ?? bare.replace(/^([\d.]+):\w+$/, '$1');
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const missing = Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

export interface InvoicePage {
  /** Public origin of the page. */
  origin: string;
  texts: Texts;
  /** Returns the name of the bot, which is known once the bot has started. */
  botName: () => string;
  supportUrl: string | undefined;
  find(token: string): Promise<Invoice | undefined>;
  /** Checks the invoice with the service if it can be paid and wasn't checked recently. */
  check(invoice: Invoice): Promise<CheckedInvoice>;
  /** Records that a user opened the page. A payment is now likely. */
  recordOpened(ref: InvoiceRef): Promise<unknown>;
  /** Checks the payment with the service. Returns `undefined` if the service doesn't respond in time. */
  checkPayment(ref: InvoiceRef): Promise<Invoice | undefined>;
  now: () => number;
  /** Requests per second of one client and in total. Each reads the storage, which operations with money also need. */
  rates?: { client: number; all: number };
}

/** A visible page polls every three seconds (`page.js`), so this serves 60 pages of one client and 1,200 in total. */
const RATES = { client: 20, all: 400 };

type Env = { Bindings: Partial<HttpBindings> };
type PageContext = Context<Env>;

/**
 * Serves the page of an invoice for payers without Telegram. GET and HEAD don't count as opened, because link previews send
 * them too. They check an invoice with the service at most once a minute, or every ten seconds while the service fails.
 * Unknown, ended and revoked tokens get identical responses.
 */
export function createInvoicePageRoutes(page: InvoicePage, log: Log) {
  const { origin, texts, botName, supportUrl, find, now, rates = RATES } = page;
  const isWithinClientRate = createCallLimiter({ perSecond: rates.client, now });
  const isWithinTotalRate = createCallLimiter({ perSecond: rates.all, now });
  const routes = new Hono<Env>().basePath(PAGES_PATH);
  const assets = readPageAssets();
  const clientAddress = createClientAddress();
  const throttle = createLogThrottle({ now });
  const languageFor = (c: PageContext) => pageLanguage(c.req.query('lang'), c.req.header('Accept-Language'));
  const emptyPage = (c: PageContext, why: 'none' | 'away') =>
    emptyScreen(assets, texts.in(languageFor(c)), { why, bot: botName() });
  const notFound = (c: PageContext) => c.html(emptyPage(c, 'none'), 404);
  const clientOf = (c: PageContext) =>
    clientAddress(c.env?.incoming?.socket.remoteAddress, c.req.header('X-Forwarded-For'));

  function isSameOrigin(c: PageContext): boolean {
    const site = c.req.header('Sec-Fetch-Site');
    return site === undefined ? c.req.header('Origin') === origin : site === 'same-origin';
  }

  routes.use('/*', async (c, next) => {
    c.header('Content-Security-Policy', assets.policy);
    c.header('X-Robots-Tag', 'noindex');
    c.header('Vary', 'Accept-Language');
    // Checked before the lookup, so that the response reveals nothing about a token.
    if (!isWithinClientRate(clientOf(c)) || !isWithinTotalRate('all'))
      return c.html(emptyPage(c, 'away'), 429, { 'Retry-After': '1' });
    return next();
  });

  routes.get('/:token', async (c) => {
    const found = await find(c.req.param('token'));
    if (found === undefined) return notFound(c);
    const invoice = await page.check(found);
    const checked = CHECK_RESULTS.find((result) => result === c.req.query('checked'));
    const contacts = { bot: botName(), supportUrl };
    return c.html(
      invoiceScreen(assets, texts.in(languageFor(c)), { invoice, checked, now: now(), contacts }),
    );
  });
  // The form of the page. The redirect shows the result, and reloading it checks nothing.
  routes.post('/:token', async (c) => {
    if (!isSameOrigin(c)) return c.body(null, 403);
    const token = c.req.param('token');
    const invoice = await find(token);
    if (invoice === undefined) return notFound(c);
    const checked: CheckResult = (await page.checkPayment(invoice)) ? 'unpaid' : 'not-answered';
    const lang = c.req.query('lang');
    const query = new URLSearchParams({ ...(lang !== undefined && { lang }), checked });
    return c.redirect(`./${token}?${query}`, 303);
  });
  // Only a browser may store the status, and asks each time whether it is still current.
  routes.get('/:token/status', etag(), async (c) => {
    const invoice = await find(c.req.param('token'));
    if (invoice === undefined) return notFound(c);
    const headers = { 'Cache-Control': 'private, no-cache', Date: new Date(now()).toUTCString() };
    return c.json({ fingerprint: fingerprintOf(invoice, now()) }, 200, headers);
  });
  routes.post('/:token/opened', async (c) => {
    if (!isSameOrigin(c)) return c.body(null, 403);
    const invoice = await find(c.req.param('token'));
    if (invoice === undefined) return notFound(c);
    await page.recordOpened(invoice);
    return c.body(null, 204);
  });

  routes.all('/:token/opened', (c) => c.body(null, 405, { Allow: 'POST' }));
  routes.all('/:token', (c) => c.body(null, 405, { Allow: 'GET, HEAD, POST' }));
  routes.all('/:token/status', (c) => c.body(null, 405, { Allow: 'GET, HEAD' }));
  routes.all('/*', notFound);
  routes.onError((err, c) => {
    const logged = throttle('unshown');
    if (logged) reportFailure(log, { err, ...logged }, 'a page of an invoice could not be shown');
    return c.html(emptyPage(c, 'away'), 503, { 'Retry-After': '5' });
  });
  return routes;
}
