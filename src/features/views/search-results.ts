import type { InlineKeyboardButton } from 'grammy/types';
import type { BotContext } from '../../bot/context.ts';
import { buttonDataOf } from '../../bot/reply.ts';
import { callbackData, readCallbackData } from '../../views/callback-data.ts';
import { button } from '../../views/view.ts';

/** Feature that searches for users. */
export const PEOPLE = 'people';
/** Button that shows the results of a search. */
export const RESULTS = 'results';

/** Returns the data of the button that shows the results of a search. `search`: at most 40 letters and digits. */
export const resultsData = (search: string) => callbackData(PEOPLE, RESULTS, search);

/**
 * Returns the way back to the results from which the tapped screen was opened, or an empty row. Each screen of an admin passes
 * it on, so that nothing about the search is stored.
 */
export function resultsRow(ctx: BotContext): InlineKeyboardButton[] {
  const data = buttonDataOf(ctx).find((one) => {
    const { feature, button: name } = readCallbackData(one) ?? {};
    return feature === PEOPLE && name === RESULTS;
  });
  return data === undefined ? [] : [button(ctx.words, 'button-results', data)];
}
