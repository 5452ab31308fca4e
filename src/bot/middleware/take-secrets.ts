import type { Middleware } from 'grammy';
import { callbackData } from '../../i18n/callback-data.ts';
import { button } from '../../i18n/view.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import { wayOf } from '../answers.ts';
import type { BotContext } from '../context.ts';
import { deleteMessage } from '../delete-message.ts';
import type { Handler, SecretInput } from '../feature.ts';
import { cancelCard, leaveFlow } from '../leave-flow.ts';
import type { OperatorKey } from '../operator-key.ts';
import { send } from '../reply.ts';
import type { Router } from '../router.ts';
import { codeIn, holdsKey, isQuestion } from '../secrets.ts';
import { payloadOf } from './commands.ts';

/**
 * Creates the middleware for secrets, which runs before commands and conversations. The message is deleted before
 * anything else, so that the secret is in no session, replay log or job. A secret whose message can't be deleted is
 * still used, and its author is warned: refusing it would leave it just as readable. Text that looks like a key is
 * deleted even if no key was requested. So is the operator's key, whatever it looks like; if its author is no admin,
 * all admins are notified.
 */
export function takeSecrets({
  router,
  openMenu,
  operatorKey,
  now,
}: {
  router: Pick<Router, 'secretInput' | 'tap'>;
  openMenu: Handler;
  operatorKey: OperatorKey;
  now: () => number;
}): Middleware<BotContext> {
  return async (ctx, next) => {
    const message = messageOf(ctx.update);
    if (message === undefined) return next();
    const text = message.text ?? message.caption ?? '';
    const { awaiting } = ctx.session;
    if (now() >= (ctx.session.codesUntil ?? 0)) delete ctx.session.codesUntil;
    // An edited message answers no question.
    const asking = awaiting && ctx.message ? router.secretInput(awaiting) : undefined;
    const isOver = asking?.isOver?.(ctx) === true;
    if (isOver) leaveFlow(ctx);
    const input = isOver ? undefined : asking;
    if (input === undefined && isLateCode(text) && ctx.session.codesUntil !== undefined) return lateCode(ctx);
    const isOperators = operatorKey.isIn(text);
    if (payloadOf(text) !== undefined && !isOperators) return next();
    if (isOperators && !(input?.takesKeys && !text.startsWith('/'))) return operatorsUnasked(ctx);
    if (holdsKey(text) && (input === undefined || text.startsWith('/'))) return unasked(ctx);
    if (input === undefined || text.startsWith('/')) return next();
    if (wayOf(text) === 'cancel') {
      const { code } = ctx.session;
      leaveFlow(ctx);
      if (!(await cancelCard(ctx, router, code))) await openMenu(ctx);
    } else if (isQuestion(text) && !isOperators) await input.explain(ctx);
    else await asked(ctx, input, isOperators);
  };

  async function asked(ctx: BotContext, input: SecretInput, isOperators: boolean): Promise<void> {
    const deleted = await deleteMessage(ctx);
    if (isOperators) await operatorKey.refuse(ctx);
    await input.take(ctx, ctx.message?.text);
    if (!deleted) await send(ctx, { html: ctx.words.html(input.exposed), keyboard: [] });
  }

  async function operatorsUnasked(ctx: BotContext): Promise<void> {
    const isDeleted = await deleteMessage(ctx);
    const isRefused = await operatorKey.refuse(ctx);
    if (isDeleted && isRefused) await send(ctx, { html: ctx.words.html('secret-not-here'), keyboard: [] });
    else await sayUnasked(ctx, isDeleted);
  }
}

/**
 * Returns whether a text is only six digits. Another number that the user types while codes are possible is also
 * treated as one.
 */
function isLateCode(text: string): boolean {
  return codeIn(text)?.length === 6;
}

async function lateCode(ctx: BotContext): Promise<void> {
  const isDeleted = await deleteMessage(ctx);
  await send(ctx, { html: ctx.words.html(isDeleted ? 'code-unasked' : 'code-unasked-stays'), keyboard: [] });
}

async function unasked(ctx: BotContext): Promise<void> {
  await sayUnasked(ctx, await deleteMessage(ctx));
}

async function sayUnasked(ctx: BotContext, isDeleted: boolean): Promise<void> {
  const { words } = ctx;
  if (!isDeleted) {
    await send(ctx, { html: words.html('secret-unasked-stays'), keyboard: [] });
    return;
  }
  const html = words.html('secret-unasked', { link: words.plain('button-link') });
  await send(ctx, { html, keyboard: [[button(words, 'button-link', callbackData('link', 'open'))]] });
}
