import { notice } from '../i18n/view.ts';
import type { BotContext } from './context.ts';
import { ENDS } from './dialogue.ts';
import { show } from './reply.ts';

/** Shows that a flow was ended early, by *Cancel* or by too many answers. */
export async function showEnded(ctx: BotContext, step: string): Promise<void> {
  const why = step === ENDS.tooMany ? 'problem-too-many' : 'cancelled';
  await show(ctx, notice(ctx.words, ctx.words.html(why)));
}
