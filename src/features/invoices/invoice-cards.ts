import { payerOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import type { MoneyState } from '../../bot/money-flow.ts';
import { addHeader, hasTappedButton, sendPicture, showText } from '../../bot/reply.ts';
import { type InvoiceLinks, invoiceCard, withPhoto } from '../../invoices/card.ts';
import {
  type CheckedInvoice,
  cardFingerprint,
  cardStateOf,
  type Invoice,
  type InvoiceCard,
  isPayable,
  isRevokedFor,
  reportedStatus,
  TRACKED_AFTER_EXPIRY_MS,
} from '../../invoices/invoice.ts';
import type { EnergyPrices, PriceSource } from '../../operations/quotes.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import { hadNoEffect } from '../../telegram/fetch.ts';

export interface InvoiceMaker {
  user: number;
  account: number;
}

/** Chooses the account of an invoice: the operator's for admins and guests, otherwise the user's own. */
export function createInvoiceMaker(deps: FeatureDeps) {
  const { quotes, operatorKey, isAdmin } = deps;

  async function of(ctx: BotContext): Promise<InvoiceMaker | undefined> {
    const user = ctx.from.id;
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
    /** Returns the state of an order with whom it is for. Without an account, it can no longer be for a customer. */
    async withShared(ctx: BotContext, before: MoneyState): Promise<MoneyState> {
      const shared = (before.shared ?? true) && (await payerOf(deps, ctx)) !== undefined;
      if (!before.shared || shared) return { ...before, shared };
      addHeader(ctx, ctx.words.html('invoice-own-now'));
      return { ...before, shared, note: undefined };
    },
    /** Returns whether the invoice is for another person. Users with an account pay from a balance. */
    isForOthers: async (ctx: BotContext) => (await payerOf(deps, ctx)) !== undefined,
    async prices(ctx: BotContext, amount: number, options: { mustBeFresh: boolean }): Promise<EnergyPrices> {
      const source = await priceSource(ctx);
      return source === undefined ? {} : quotes.energy(source, amount, options);
    },
    async prefetchPrices(ctx: BotContext): Promise<void> {
      const source = await priceSource(ctx);
      if (source !== undefined) quotes.prefetch(source);
    },
  };
}

export interface InvoiceDeps extends FeatureDeps {
  invoiceLinks: (invoice: Invoice) => InvoiceLinks;
}

/**
 * Sends an invoice's card, checked first if payable. It replaces the chat's earlier card. `opensLink`: the user has opened the
 * invoice's present link.
 */
export async function sendInvoiceCard(
  deps: InvoiceDeps,
  ctx: BotContext,
  found: Invoice,
  opensLink = false,
): Promise<void> {
  const { invoices, invoiceLinks, renderPicture, supportUrl, now } = deps;
  const { chat, words } = ctx;
  const invoice = await invoices.checkBeforePayment(found);
  const own = invoice.user === ctx.from.id;
  const role = { isForMaker: own, isRevoked: !opensLink && isRevokedFor(invoice, chat.id) };
  // Read before sending, because sending takes a while and the message shows this time's status.
  const at = now();
  const isPayableNow = isPayable(cardStateOf(invoice, at, role));
  ctx.tx.signal.throwIfAborted();
  const isUnclear = isPayableNow && (await invoices.cards.beginSend(invoice, chat.id));
  // The chat may have a payable card with an unknown id. This one becomes payable by an edit.
  const shown: CheckedInvoice = isUnclear ? { ...invoice, isStale: true } : invoice;
  const links = invoiceLinks(invoice);
  const view = invoiceCard(words, shown, { ...role, now: at, links, supportUrl });
  const sent = await sendPicture(ctx, await withPhoto(view, renderPicture)).catch(async (error: unknown) => {
    if (isPayableNow && hadNoEffect(error)) await invoices.cards.cancelSend(invoice, chat.id);
    throw error;
  });
  ctx.tx.signal.throwIfAborted();
  const card = { chat: chat.id, language: words.language, isForMaker: own, ...sent };
  const fingerprint = cardFingerprint(shown, at, role);
  await trackCard(deps, ctx, invoice, { ...card, fingerprint }, opensLink).catch(async (error: unknown) => {
    // A card that is never updated could be paid after the invoice has expired.
    await ctx.api.deleteMessage(chat.id, sent.message).catch(() => undefined);
    throw error;
  });
}

/** Sends the card of the invoice that a link opens. */
export async function openLink(deps: InvoiceDeps, ctx: BotContext, token: string): Promise<void> {
  const { invoices } = deps;
  const found = await invoices.shares.find(token);
  if (found === undefined) return void (await showText(ctx, ctx.words.html('invoice-link-none')));
  await sendInvoiceCard(deps, ctx, found, true);
  if (found.user !== ctx.from.id) await invoices.recordOpened(found);
}

/**
 * Returns the invoices of others that a user opened last, latest first, while they may be paid or delivered. `key`: what a
 * button names the invoice by: the token of its link or, if the link was disabled, its number.
 */
export async function openedInvoices(
  { invoices, now }: Pick<FeatureDeps, 'invoices' | 'now'>,
  user: number,
  size: number,
): Promise<{ invoice: Invoice; key: string }[]> {
  const opened = await invoices.opened(user, size);
  return opened
    .filter(({ expiresAt }) => now() < expiresAt + TRACKED_AFTER_EXPIRY_MS)
    .map((invoice) => {
      const token = isRevokedFor(invoice, user) ? undefined : invoices.shares.tokenOf(invoice);
      return { invoice, key: token ?? String(invoice.number) };
    });
}

const MAX_OPENED_SEARCHED = 20;

/** Returns the invoice of another user that a button names by its `key`, or whose card was tapped. */
export async function findOpened(
  deps: Pick<FeatureDeps, 'invoices' | 'now'>,
  ctx: BotContext,
  key: string,
): Promise<Invoice | undefined> {
  const linked = await deps.invoices.shares.find(key);
  if (linked !== undefined) return linked;
  const { chatId, callbackQuery: tap } = ctx;
  const isTapped = ({ chat, message }: InvoiceCard) =>
    chat === chatId && message !== undefined && message === tap?.message?.message_id;
  const opened = await openedInvoices(deps, ctx.from.id, MAX_OPENED_SEARCHED);
  return opened.find((one) => one.key === key || one.invoice.cards.some(isTapped))?.invoice;
}

/** Makes a tapped card the chat's card of the invoice. Repairs a card whose message id got lost. */
export async function adoptCard(deps: FeatureDeps, ctx: BotContext, invoice: Invoice): Promise<void> {
  const tapped = ctx.callbackQuery?.message;
  // A modified client can send the button's data for any message, but not add the button to it.
  if (tapped === undefined || !hasTappedButton(ctx)) return;
  const { chat, message_id: message } = tapped;
  if (invoice.cards.some((card) => card.chat === chat.id && card.message === message)) return;
  const own = invoice.user === ctx.from.id;
  const isText = !('photo' in tapped);
  ctx.tx.signal.throwIfAborted();
  await trackCard(deps, ctx, invoice, {
    chat: chat.id,
    language: ctx.words.language,
    isForMaker: own,
    message,
    ...(isText && { isText }),
  });
}

/** Makes a message the invoice's card in its chat, and deletes the cards that it replaces. */
async function trackCard(
  { invoices, users, texts, now }: FeatureDeps,
  ctx: BotContext,
  invoice: Invoice,
  card: InvoiceCard,
  opensLink = false,
): Promise<void> {
  const notifiedStatus = reportedStatus(invoice, now());
  const replacedCards = await invoices.setCard(invoice, { ...card, notifiedStatus }, opensLink);
  // A chat shows at most one payment code of an invoice. A replaced card is no longer updated, so it is deleted.
  for (const former of replacedCards) {
    if (former.message !== undefined)
      await ctx.api.deleteMessage(former.chat, former.message).catch(() => undefined);
    if (former.chat === card.chat) continue;
    const language = (await users.find(former.chat))?.language ?? former.language;
    const html = texts.in(language).html('invoice-left');
    // Failures in another user's chat don't affect the current user.
    await ctx.api.sendMessage(former.chat, html, { parse_mode: 'HTML' }).catch(() => undefined);
  }
}
