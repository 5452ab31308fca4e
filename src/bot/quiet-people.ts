import type { People } from '../accounts/users.ts';
import type { BotContext } from './context.ts';

/**
 * Stores whether the user wants broadcasts. Creates the record of an unknown user first, so that an opt-out is never
 * lost.
 */
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
