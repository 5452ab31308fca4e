import { notice } from '../texts/view.ts';
import type { BotContext } from './context.ts';
import { ENDS } from './dialogue.ts';
import { show } from './reply.ts';

/** Says that a flow has ended at this step without reaching its aim: by *Cancel*, unless there were too many answers. */
export async function showEnded(ctx: BotContext, step: string): Promise<void> {
  const why = step === ENDS.tooMany ? 'problem-too-many' : 'cancelled';
  await show(ctx, notice(ctx.words, ctx.words.html(why)));
}
