import type { People } from '../accounts/people.ts';
import type { BotContext } from './context.ts';

/** Keeps whether who taps wants the operator's broadcasts: also of somebody who isn't known (any more), since no is no. */
export async function setQuiet(
  { people }: { people: Pick<People, 'met' | 'quiet'> },
  ctx: BotContext,
  isQuiet: boolean,
): Promise<void> {
  if (ctx.from === undefined) return;
  const { id } = ctx.from;
  ctx.tx.signal.throwIfAborted();
  if (await people.quiet(id, isQuiet)) return;
  await people.met(id, ctx.words.language, undefined);
  await people.quiet(id, isQuiet);
}
