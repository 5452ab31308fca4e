import { invoiceCard } from '../invoices/card.ts';
import { faceOf, type Invoice } from '../invoices/invoice.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { sendPicture } from './reply.ts';

type Deps = Pick<FeatureDeps, 'invoices' | 'invoiceLinks' | 'texts' | 'now'>;

/**
 * Shows an invoice's card as a new message, which follows it from then on in place of the one before in this chat. If it
 * can be paid, the service is asked first whether that is still true.
 */
export async function placeInvoice(
  { invoices, invoiceLinks, texts, now }: Deps,
  ctx: BotContext,
  found: Invoice,
): Promise<void> {
  const { chat, words } = ctx;
  if (chat === undefined) return;
  const invoice = await invoices.checkBeforePayment(found);
  const own = invoice.user === ctx.from?.id;
  // Sending takes a while: what the message shows is how it stood before.
  const at = now();
  const view = invoiceCard(words, invoice, { own, now: at, links: invoiceLinks(invoice) });
  const sent = await sendPicture(ctx, view);
  ctx.tx.signal.throwIfAborted();
  const shown = faceOf(invoice, at, { own });
  const card = { chat: chat.id, language: words.language, own, ...sent, shown, told: invoice.status };
  const left = await invoices.placed(invoice, card).catch(async (error: unknown) => {
    // One that nobody keeps up to date would be paid at any time.
    await ctx.api.deleteMessage(chat.id, sent.message).catch(() => undefined);
    throw error;
  });
  // Two codes of one invoice in a chat would be one too many, and none may stay that isn't kept up to date.
  for (const former of left) {
    if (former.message !== undefined)
      await ctx.api.deleteMessage(former.chat, former.message).catch(() => undefined);
    if (former.chat !== chat.id) await say(ctx, former.chat, texts.in(former.language).html('invoice-left'));
  }
}

/** To somebody else's chat; whether they can be told changes nothing for whoever was quicker. */
async function say(ctx: BotContext, chat: number, html: string): Promise<void> {
  await ctx.api.sendMessage(chat, html, { parse_mode: 'HTML' }).catch(() => undefined);
}
