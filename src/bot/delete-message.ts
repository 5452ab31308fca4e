import { GrammyError } from 'grammy';
import { isPassing } from '../telegram/fault.ts';
import type { BotContext } from './context.ts';

/** Deletes what somebody wrote; answers whether it is gone. Rejects where Telegram can't for now: the update comes again. */
export async function deleteMessage(ctx: BotContext): Promise<boolean> {
  try {
    return await ctx.deleteMessage();
  } catch (error) {
    // It counts as a try, so that the third time its author is told to delete it.
    if (isPassing(error)) throw new Error('a secret was not deleted yet', { cause: error });
    if (!(error instanceof GrammyError)) throw error;
    // Gone already: an earlier attempt at this update, or its author, was quicker.
    return error.description.includes('message to delete not found');
  }
}
