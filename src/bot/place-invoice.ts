import { invoiceCard } from '../invoices/card.ts';
import {
  type CheckedInvoice,
  faceOf,
  type Invoice,
  type InvoiceCard,
  isPayable,
  shownStandingOf,
} from '../invoices/invoice.ts';
import { wasNotSent } from '../telegram/fetch.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { carriesTapped, sendPicture } from './reply.ts';

type Deps = Pick<FeatureDeps, 'invoices' | 'invoiceLinks' | 'texts' | 'now'>;

/**
 * Shows an invoice's card as a new message. From then on this message is kept up to date in place of the earlier one in
 * this chat. A payable invoice is first checked at the service.
 */
export async function placeInvoice(deps: Deps, ctx: BotContext, found: Invoice): Promise<void> {
  const { invoices, invoiceLinks, now } = deps;
  const { chat, words } = ctx;
  if (chat === undefined) return;
  const invoice = await invoices.checkBeforePayment(found);
  const own = invoice.user === ctx.from?.id;
  // Sending takes a while, and the message shows the status before it.
  const at = now();
  const isPayableNow = isPayable(shownStandingOf(invoice, at));
  ctx.tx.signal.throwIfAborted();
  const isUnclear = isPayableNow && (await invoices.shows.beginSend(invoice, chat.id));
  // The chat may have a payable card with an unknown id. This one becomes payable by an edit.
  const shown: CheckedInvoice = isUnclear ? { ...invoice, isStale: true } : invoice;
  const view = invoiceCard(words, shown, { own, now: at, links: invoiceLinks(invoice) });
  const sent = await sendPicture(ctx, view).catch(async (error: unknown) => {
    if (isPayableNow && wasNotSent(error)) await invoices.shows.cancelSend(invoice, chat.id);
    throw error;
  });
  ctx.tx.signal.throwIfAborted();
  const card = { chat: chat.id, language: words.language, own, ...sent };
  await followBy(deps, ctx, invoice, { ...card, shown: faceOf(shown, at, { own }) }).catch(
    async (error: unknown) => {
      // A card that is never updated could be paid after the invoice has expired.
      await ctx.api.deleteMessage(chat.id, sent.message).catch(() => undefined);
      throw error;
    },
  );
}

/**
 * Makes a tapped card the invoice's card in its chat, unless it is already. This repairs a card whose message id got lost
 * when it was sent: any of its buttons brings it up to date.
 */
export async function adoptCard(deps: Deps, ctx: BotContext, invoice: Invoice): Promise<void> {
  const tapped = ctx.callbackQuery?.message;
  // A modified client can send the button's data for any message, but not add the button to it.
  if (tapped === undefined || !carriesTapped(ctx)) return;
  const { chat, message_id: message } = tapped;
  if (invoice.cards.some((card) => card.chat === chat.id && card.message === message)) return;
  const own = invoice.user === ctx.from?.id;
  const isText = !('photo' in tapped);
  ctx.tx.signal.throwIfAborted();
  await followBy(deps, ctx, invoice, {
    ...{ chat: chat.id, language: ctx.words.language, own, message, ...(isText && { isText }) },
  });
}

/** Makes a message the invoice's card in its chat, and deletes the cards that it replaces or pushes out. */
async function followBy(
  { invoices, texts }: Deps,
  ctx: BotContext,
  invoice: Invoice,
  card: InvoiceCard,
): Promise<void> {
  const left = await invoices.placed(invoice, { ...card, told: invoice.status });
  // A chat has at most one payment code of an invoice, and none may stay that isn't kept up to date.
  for (const former of left) {
    if (former.message !== undefined)
      await ctx.api.deleteMessage(former.chat, former.message).catch(() => undefined);
    if (former.chat !== card.chat)
      await say(ctx, former.chat, texts.in(former.language).html('invoice-left'));
  }
}

/** Sends a message to another user's chat. Failures are ignored, because they don't affect the current user. */
async function say(ctx: BotContext, chat: number, html: string): Promise<void> {
  await ctx.api.sendMessage(chat, html, { parse_mode: 'HTML' }).catch(() => undefined);
}
