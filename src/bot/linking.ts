import { GrammyError } from 'grammy';
import type { Links } from '../accounts/links.ts';
import type { Rental } from '../rental/client.ts';
import { eventsQuestion, linkedNote, linkQuestion } from '../texts/cards/account.ts';
import { menu, notice } from '../texts/cards/menu.ts';
import { wayOf } from './answers.ts';
import type { BotContext } from './context.ts';
import { inTime } from './in-time.ts';
import { leave } from './leave.ts';
import { retire, send, show } from './screen.ts';

const WITHIN_MS = 5_000;
const KEY = /^[\x21-\x7e]{4,256}$/;

export interface LinkingDeps {
  links: Links;
  rental: Rental;
  eventsOffered: boolean;
}

/**
 * Linking an account. No conversation: what a person types there stays in its replay log, and a key must not
 * (facts.md, grammY).
 */
export function createLinking({ links, rental, eventsOffered }: LinkingDeps) {
  /** Asks again, under what was wrong. */
  async function askAgain(ctx: BotContext, problem: string): Promise<void> {
    await answered(ctx);
    ctx.session.awaitingKey = true;
    ctx.session.question = await send(ctx, linkQuestion(ctx.words, problem));
  }

  async function linked(ctx: BotContext, user: number, apiKey: string): Promise<void> {
    const profile = await inTime(rental.profile(apiKey), WITHIN_MS);
    if (profile?.kind !== 'accepted') return askAgain(ctx, ctx.words.html(problemOf(profile)));
    const { id, balance_trx: balance } = profile.value;
    const link = await links.link(user, id, apiKey);
    await answered(ctx);
    const lead = linkedNote(ctx.words, { id, balance, tail: link.tail });
    await send(ctx, menu(ctx.words, { tail: link.tail, lead }));
    if (eventsOffered) await send(ctx, eventsQuestion(ctx.words));
  }

  return {
    /** Asks for the key. */
    async ask(ctx: BotContext): Promise<void> {
      const question = await show(ctx, linkQuestion(ctx.words));
      ctx.session.awaitingKey = true;
      ctx.session.question = question;
    },
    /** Takes a message as the key: deleted before anything else, then checked with the service. */
    async take(ctx: BotContext): Promise<void> {
      if (ctx.from === undefined) return;
      if (wayOf(ctx.message?.text ?? '') === 'cancel') {
        leave(ctx);
        await send(ctx, notice(ctx.words, ctx.words.html('cancelled')));
        return;
      }
      const deleted = await deleteMessage(ctx);
      const apiKey = ctx.message?.text?.trim();
      if (!deleted) return askAgain(ctx, ctx.words.html('link-delete-failed'));
      if (apiKey === undefined) return askAgain(ctx, ctx.words.html('link-not-text'));
      if (!KEY.test(apiKey)) return askAgain(ctx, ctx.words.html('link-not-a-key'));
      return linked(ctx, ctx.from.id, apiKey);
    },
  };
}

/** The question is answered: its buttons go, and the next message is no key. */
async function answered(ctx: BotContext): Promise<void> {
  if (ctx.session.question !== undefined) await retire(ctx, ctx.session.question);
  delete ctx.session.question;
  delete ctx.session.awaitingKey;
}

async function deleteMessage(ctx: BotContext): Promise<boolean> {
  try {
    return await ctx.deleteMessage();
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    // Gone already: an earlier attempt at this update, or its author, was quicker.
    return error.description.includes('message to delete not found');
  }
}

function problemOf(outcome: Awaited<ReturnType<Rental['profile']>> | undefined) {
  const refused = outcome?.kind === 'rejected' && outcome.status !== 429;
  return refused || (outcome?.kind === 'not-sent' && outcome.reason === 'invalid')
    ? 'link-refused'
    : 'link-unreachable';
}
