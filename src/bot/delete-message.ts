import { GrammyError } from 'grammy';
import { orTimeout } from '../platform/retry.ts';
import { isPassing } from '../telegram/fetch.ts';
import type { BotContext } from './context.ts';
import { ATTEMPTS } from './middleware/error-boundary.ts';

/** Part of a handler's eight seconds that a deletion may take. */
const DELETE_WITHIN_MS = 2_000;

/**
 * Deletes the message of the update. Returns whether it is gone.
 *
 * @throws Error if Telegram couldn't delete it for now, so that the update is tried again. The last attempt returns
 *   `false` instead.
 */
export async function deleteMessage(ctx: BotContext): Promise<boolean> {
  try {
    // Telegram documents `true` as the result. Any answer without an error means the same.
    await orTimeout(ctx.deleteMessage(), DELETE_WITHIN_MS, () => {
      throw new Error('deleteMessage took too long');
    });
    return true;
  } catch (error) {
    // An earlier attempt at this update, or its author, has deleted it.
    if (error instanceof GrammyError && error.description.includes('message to delete not found'))
      return true;
    if (error instanceof GrammyError && !isPassing(error)) return false;
    if (ctx.tx.attempt >= ATTEMPTS) return false;
    // Doesn't rethrow the original error, because this failure must count as an attempt.
    throw new Error('a message with a secret is not deleted yet', { cause: error });
  }
}
