import { invoiceCard } from '../invoices/card.ts';
import {
  type CheckedInvoice,
  cardFingerprint,
  displayedStateOf,
  type Invoice,
  type InvoiceCard,
  isPayable,
} from '../invoices/invoice.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { isBase58Address, normalizeText } from '../rental-api/tron.ts';
import { wasNotSent } from '../telegram/fetch.ts';
import { payerOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import type { EnergyPrices, FeatureDeps, PriceSource } from './feature.ts';
import { hasTappedButton, sendPicture } from './reply.ts';

export interface InvoiceMaker {
  user: number;
  account: number;
}

/** Chooses the account of an invoice: the operator's for admins and guests, otherwise the user's own. */
export function createInvoiceMaker(deps: FeatureDeps) {
  const { quotes, operatorKey, isAdmin } = deps;

  async function of(ctx: BotContext): Promise<InvoiceMaker | undefined> {
    const user = ctx.from?.id;
    if (user === undefined) return undefined;
    const payer = await payerOf(deps, ctx);
    const isOperators = operatorKey !== undefined && (payer === undefined || isAdmin(user));
    return isOperators ? { user, account: OPERATOR_ACCOUNT } : payer;
  }

  async function priceSource(ctx: BotContext): Promise<PriceSource | undefined> {
    const [maker, payer] = await Promise.all([of(ctx), payerOf(deps, ctx)]);
    return maker?.account === OPERATOR_ACCOUNT ? OPERATOR_ACCOUNT : payer;
  }

  return {
    of,
    /** Returns whether the invoice is for another person. Users with an account pay from a balance. */
    isForOthers: async (ctx: BotContext) => isAdmin(ctx.from?.id ?? 0) || !!(await payerOf(deps, ctx)),
    async prices(ctx: BotContext, amount: number): Promise<EnergyPrices> {
      const source = await priceSource(ctx);
      return source === undefined ? {} : quotes.energy(source, amount);
    },
    /** Reads the prices in the background. */
    async prefetchPrices(ctx: BotContext): Promise<void> {
      const source = await priceSource(ctx);
      if (source !== undefined) quotes.prefetch(source);
    },
  };
}

/** Text that payers, Telegram or browsers treat as a link: schemes, domains, IPv4 addresses, mentions. */
const LINKS = [
  /:\/\//,
  /\bwww\./i,
  /\S\.[\p{L}\p{M}]{2}/u,
  /\d{1,3}(?:\.\d{1,3}){3}/,
  /(?<![\p{L}\p{N}_])@\w/u,
];
/** Browsers read the ideographic full stop in a domain as a dot. */
const FULL_STOP = /。/g;

/** Addresses of Bitcoin and its relatives, and of TRON, in base58check. */
const BASE58_LENGTHS = { min: 26, max: 35 };
/** An account address of TRON without its `41`, or of an EVM chain. */
const HEX_LENGTH = 40;
/** An address of TON: two characters for its kind, then base64url. */
const TON = /(?<![\w-])[EUk0]Q[\w-]{46}(?![\w-])/;
/** Minimum length of a word treated as an address. Order numbers and most IBANs are shorter. */
const LONG_WORD = 25;

/**
 * Returns why a merchant's note can't be shown to a payer, or `undefined` if it can. Links are rejected, and
 * addresses even in pieces: the payer could send money there by mistake.
 */
export function payerNoteProblem(note: string): 'link' | 'address' | undefined {
  const seen = normalizeText(note).replace(FULL_STOP, '.');
  if (containsAddress(seen)) return 'address';
  return LINKS.some((link) => link.test(seen)) ? 'link' : undefined;
}

function containsAddress(seen: string): boolean {
  const words = seen.match(/[0-9A-Za-z]+/g) ?? [];
  const joined = words.join('');
  const pairs = words.flatMap((word, at) => words.slice(at + 1).map((later) => word + later));
  return (
    TON.test(seen) ||
    words.some((word) => word.length >= LONG_WORD && hasLettersAndDigits(word)) ||
    (joined.match(/[0-9a-f]+/gi) ?? []).some((run) => run.length >= HEX_LENGTH && hasLettersAndDigits(run)) ||
    pairs.some(isBase58Address) ||
    addressLengthParts(joined).some(isBase58Address)
  );
}

function addressLengthParts(text: string): string[] {
  const { min, max } = BASE58_LENGTHS;
  const parts: string[] = [];
  for (let from = 0; from + min <= text.length; from++)
    for (let length = min; length <= max && from + length <= text.length; length++)
      parts.push(text.slice(from, from + length));
  return parts;
}

function hasLettersAndDigits(text: string): boolean {
  return /[A-Za-z]/.test(text) && /\d/.test(text);
}

/** Sends an invoice's card, checked first if payable. It replaces the chat's earlier card. */
export async function sendInvoiceCard(deps: FeatureDeps, ctx: BotContext, found: Invoice): Promise<void> {
  const { invoices, invoiceLinks, now } = deps;
  const { chat, words } = ctx;
  if (chat === undefined) return;
  const invoice = await invoices.checkBeforePayment(found);
  const own = invoice.user === ctx.from?.id;
  // Read before sending, because sending takes a while and the message shows this time's status.
  const at = now();
  const isPayableNow = isPayable(displayedStateOf(invoice, at));
  ctx.tx.signal.throwIfAborted();
  const isUnclear = isPayableNow && (await invoices.cards.beginSend(invoice, chat.id));
  // The chat may have a payable card with an unknown id. This one becomes payable by an edit.
  const shown: CheckedInvoice = isUnclear ? { ...invoice, isStale: true } : invoice;
  const view = invoiceCard(words, shown, { isForMaker: own, now: at, links: invoiceLinks(invoice) });
  const sent = await sendPicture(ctx, view).catch(async (error: unknown) => {
    if (isPayableNow && wasNotSent(error)) await invoices.cards.cancelSend(invoice, chat.id);
    throw error;
  });
  ctx.tx.signal.throwIfAborted();
  const card = { chat: chat.id, language: words.language, isForMaker: own, ...sent };
  await trackCard(deps, ctx, invoice, {
    ...card,
    fingerprint: cardFingerprint(shown, at, { isForMaker: own }),
  }).catch(async (error: unknown) => {
    // A card that is never updated could be paid after the invoice has expired.
    await ctx.api.deleteMessage(chat.id, sent.message).catch(() => undefined);
    throw error;
  });
}

/** Makes a tapped card the chat's card of the invoice. Repairs a card whose message id got lost. */
export async function adoptCard(deps: FeatureDeps, ctx: BotContext, invoice: Invoice): Promise<void> {
  const tapped = ctx.callbackQuery?.message;
  // A modified client can send the button's data for any message, but not add the button to it.
  if (tapped === undefined || !hasTappedButton(ctx)) return;
  const { chat, message_id: message } = tapped;
  if (invoice.cards.some((card) => card.chat === chat.id && card.message === message)) return;
  const own = invoice.user === ctx.from?.id;
  const isText = !('photo' in tapped);
  ctx.tx.signal.throwIfAborted();
  await trackCard(deps, ctx, invoice, {
    ...{ chat: chat.id, language: ctx.words.language, isForMaker: own, message, ...(isText && { isText }) },
  });
}

/** Makes a message the invoice's card in its chat, and deletes the cards that it replaces. */
async function trackCard(
  { invoices, texts }: FeatureDeps,
  ctx: BotContext,
  invoice: Invoice,
  card: InvoiceCard,
): Promise<void> {
  const replacedCards = await invoices.setCard(invoice, { ...card, notifiedStatus: invoice.status });
  // A chat shows at most one payment code of an invoice. A replaced card is no longer updated, so it is deleted.
  for (const former of replacedCards) {
    if (former.message !== undefined)
      await ctx.api.deleteMessage(former.chat, former.message).catch(() => undefined);
    if (former.chat === card.chat) continue;
    const html = texts.in(former.language).html('invoice-left');
    // Failures in another user's chat don't affect the current user.
    await ctx.api.sendMessage(former.chat, html, { parse_mode: 'HTML' }).catch(() => undefined);
  }
}
