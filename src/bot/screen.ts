import { GrammyError } from 'grammy';
import type { View } from '../texts/view.ts';
import type { BotContext } from './context.ts';

/** Shows a view where the tap was, or as a new message below what was written. Answers the message's id. */
export async function show(ctx: BotContext, view: View): Promise<number> {
  const tapped = ctx.callbackQuery?.message?.message_id;
  if (tapped !== undefined && (await edit(ctx, tapped, view))) return tapped;
  return send(ctx, view);
}

/** Shows a view as a new message. */
export async function send(ctx: BotContext, view: View): Promise<number> {
  const sent = await ctx.reply(view.html, format(view));
  return sent.message_id;
}

/** Takes the buttons off a message whose question is answered; it doesn't matter if there is none any more. */
export async function retire(ctx: BotContext, message: number): Promise<void> {
  if (ctx.chat === undefined || message === ctx.callbackQuery?.message?.message_id) return;
  await unlessRefused(ctx.api.editMessageReplyMarkup(ctx.chat.id, message));
}

async function edit(ctx: BotContext, message: number, view: View): Promise<boolean> {
  if (ctx.chat === undefined) return false;
  const refusal = await unlessRefused(ctx.api.editMessageText(ctx.chat.id, message, view.html, format(view)));
  return refusal === undefined || refusal.includes('message is not modified');
}

function format({ keyboard }: View) {
  return {
    parse_mode: 'HTML' as const,
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: keyboard },
  };
}

/** Telegram's reason, where it refused; what the network does is thrown on. */
async function unlessRefused(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof GrammyError && error.error_code === 400) return error.description;
    throw error;
  }
}
