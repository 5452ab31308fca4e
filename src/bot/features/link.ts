import { orTimeout } from '../../or-timeout.ts';
import type { Rental } from '../../rental/client.ts';
import { callbackData } from '../../texts/callback-data.ts';
import type { TextKey } from '../../texts/keys.ts';
import { button, notice, paragraphs, type View } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { leaveFlow } from '../leave-flow.ts';
import { isMaintained } from '../nothing-new.ts';
import { send, show } from '../reply.ts';
import { leftAccount } from '../reports-outcome.ts';
import { linkedOf } from '../with-account.ts';
import type { CreateFeature } from './feature.ts';

const NAME = 'link';
/** Together within the time that a handler has. */
const WITHIN_MS = 4_000;
const LEAVE_WITHIN_MS = 2_000;
const KEY = /^[\x21-\x7e]{4,256}$/;

/** Linking an account. Its key comes by the one way that secrets have, and never through a flow. */
export const createLink: CreateFeature = (deps) => {
  const { links, looks, leaveAccount, keyAttempts, rental, operations, openMenu } = deps;

  function linkQuestion({ words }: BotContext, html: string): View {
    return { html, keyboard: [[button(words, 'button-cancel', callbackData(NAME, 'cancel'))]] };
  }

  async function ask(ctx: BotContext): Promise<void> {
    if (await isPaused(ctx)) return;
    if (await isMaintained(deps, ctx)) {
      await show(ctx, notice(ctx.words, ctx.words.html('maintenance')));
      return;
    }
    const question = await show(ctx, linkQuestion(ctx, ctx.words.html('link-ask')));
    ctx.session.awaiting = NAME;
    ctx.session.question = question;
  }

  /** Asks again, under what was wrong. */
  async function askAgain(ctx: BotContext, problem: TextKey): Promise<void> {
    answered(ctx);
    ctx.session.question = await send(ctx, linkQuestion(ctx, ctx.words.html(problem)));
    ctx.session.awaiting = NAME;
  }

  /** Says so where too many keys were refused: nobody finds keys of others by trying. */
  async function isPaused(ctx: BotContext): Promise<boolean> {
    const pause = ctx.from === undefined ? 0 : await keyAttempts.pause(ctx.from.id);
    if (pause === 0) return false;
    answered(ctx);
    const html = ctx.words.html('link-paused', { minutes: Math.ceil(pause / 60_000) });
    await show(ctx, notice(ctx.words, html));
    return true;
  }

  async function linked(ctx: BotContext, user: number, apiKey: string): Promise<void> {
    if (await isPaused(ctx)) return;
    const profile = await orTimeout(rental.profile(apiKey), WITHIN_MS);
    if (profile?.kind !== 'accepted') {
      const problem = problemOf(profile);
      if (problem === 'link-refused') await keyAttempts.refused(user);
      return askAgain(ctx, problem);
    }
    const { id, balance_trx: balance, totp_enabled: hasCodes } = profile.value;
    const left = await relink(ctx, user, id, apiKey);
    await looks.follow(id);
    ctx.linked = undefined;
    ctx.balance = balance;
    answered(ctx);
    ctx.lead = paragraphs(
      ctx.words.html('link-done'),
      left,
      !hasCodes &&
        Number(operations.dailyCap.trx) > 0 &&
        ctx.words.html('link-without-codes', { cap: operations.dailyCap.trx }),
    );
    await openMenu(ctx);
  }

  /** Links it in place of another one, which is left as by unlinking it. Answers what is to be said of that. */
  async function relink(ctx: BotContext, user: number, account: number, apiKey: string) {
    const link = () => {
      ctx.tx.signal.throwIfAborted();
      return links.link(user, account, apiKey, ctx.words.language);
    };
    const before = await linkedOf(deps, ctx)?.open();
    if (before === undefined || before.link.account === account) {
      await link();
      return false;
    }
    const former = { user, account: before.link.account, apiKey: before.apiKey };
    const left = await leaveAccount({ ...former, withinMs: LEAVE_WITHIN_MS }, link);
    return leftAccount(ctx.words, former.account, left);
  }

  return {
    name: NAME,
    open: ask,
    buttons: { cancel: openMenu },
    secretInput: {
      async take(ctx, secret) {
        if (ctx.from === undefined) return;
        const apiKey = secret?.trim();
        if (apiKey === undefined) return askAgain(ctx, 'link-not-text');
        if (!KEY.test(apiKey)) return askAgain(ctx, 'link-not-a-key');
        if (await isMaintained(deps, ctx)) return askAgain(ctx, 'maintenance-link');
        return linked(ctx, ctx.from.id, apiKey);
      },
      explain: (ctx) => askAgain(ctx, 'link-question'),
      exposed: (ctx) => askAgain(ctx, 'link-delete-failed'),
    },
  };
};

/** The question is answered: its buttons go, and the next message is no key. */
function answered(ctx: BotContext): void {
  leaveFlow(ctx);
  delete ctx.lead;
}

function problemOf(outcome: Awaited<ReturnType<Rental['profile']>> | undefined): TextKey {
  const refused = outcome?.kind === 'rejected' && outcome.status !== 429;
  return refused || (outcome?.kind === 'not-sent' && outcome.reason === 'invalid')
    ? 'link-refused'
    : 'link-unreachable';
}
