import { GrammyError, type Middleware, type NextFunction } from 'grammy';
import {
  containsKey,
  containsOperatorKey,
  isQuestion,
  mayBeShortKey,
  parseOneTimeCode,
} from '../input/secret-text.ts';
import { startPayload } from '../input/start-link.ts';
import { controlWordOf } from '../input/words.ts';
import { orTimeout } from '../platform/async.ts';
import { findAddressInput } from '../rental-api/tron.ts';
import { isTemporary } from '../telegram/fetch.ts';
import { textOf } from '../telegram/message-content.ts';
import { messageOf } from '../telegram/updates.ts';
import { callbackData } from '../views/callback-data.ts';
import { HELP_FEATURE } from '../views/help-buttons.ts';
import { button } from '../views/view.ts';
import type { Aside, BotContext } from './context.ts';
import { endFlow, leaveFlow, repeatQuestion } from './dialogue.ts';
import type { BotDeps, SecretInput } from './feature.ts';
import { replyToCode, TREAT_AS_CODES_MS, unexpectedCodeText } from './operation-card.ts';
import { addHeader, send, takeHeader } from './reply.ts';
import { cancelCard, type Router } from './router.ts';

const DELETE_TIMEOUT_MS = 2_000;

/**
 * Deletes the message of the update. Returns whether it is gone. Throws if Telegram couldn't delete it for
 * now, so that the update is tried again; the last attempt returns `false` instead.
 */
export async function deleteMessage(ctx: BotContext): Promise<boolean> {
  try {
    // Telegram documents `true` as the result. Any answer without an error means the same.
    await orTimeout(ctx.deleteMessage(), DELETE_TIMEOUT_MS, () => {
      throw new Error('deleteMessage took too long');
    });
    return true;
  } catch (error) {
    // An earlier attempt at this update, or its author, has deleted it.
    if (error instanceof GrammyError && error.description.includes('message to delete not found'))
      return true;
    if (error instanceof GrammyError && !isTemporary(error)) return false;
    if (ctx.tx.isLastAttempt) return false;
    // Doesn't rethrow the original error, because this failure must count as an attempt.
    throw new Error('a message with a secret is not deleted yet', { cause: error });
  }
}

/**
 * Creates the middleware for secrets, which runs before commands and conversations. The message is deleted
 * first, so that the secret is in no session, replay log or job. If that fails, the secret is still used and
 * its author warned: refusing it would leave it just as readable. Unrequested keys are deleted, too. All
 * admins are notified if the operator's key comes from another user.
 */
export function handleSecrets(router: Router, deps: BotDeps): Middleware<BotContext> {
  const { openMenu, operator, isAdmin, adminAlerts, features, now } = deps;

  return async (ctx, next) => {
    const message = messageOf(ctx.update);
    if (message === undefined) return next();
    const text = textOf(message);
    const { awaiting } = ctx.session;
    const codesUntil = Math.min(ctx.session.codesUntil ?? 0, now() + TREAT_AS_CODES_MS);
    if (now() < codesUntil) ctx.session.codesUntil = codesUntil;
    else delete ctx.session.codesUntil;
    // An edited message answers no question.
    const requestedInput = awaiting && ctx.message ? router.secretInput(awaiting) : undefined;
    const isOver = requestedInput?.isExpired?.(ctx) === true;
    if (isOver) endFlow(ctx);
    const input = isOver ? undefined : requestedInput;
    const digits = parseOneTimeCode(text);
    // After a card that asked for a code, any code is late. For some minutes, so is any number of six digits.
    const isLateCode = isOver
      ? digits !== undefined
      : ctx.session.codesUntil !== undefined && digits?.length === 6;
    if (input === undefined && isLateCode) {
      if (await deleteMessage(ctx))
        await replyToCode(ctx, takeHeader(ctx) ?? (await unexpectedCodeText(deps, ctx)));
      else await send(ctx, { html: ctx.words.html('code-unasked-stays'), keyboard: [] });
      return repeatOpenQuestion(ctx, next);
    }
    const isOperatorKey = containsOperatorKey(operator, text);
    if (startPayload(text) !== undefined && !isOperatorKey) return next();
    if (isOperatorKey && !(input?.acceptsKeys && !text.startsWith('/'))) {
      await handleOperatorKey(ctx);
      return repeatOpenQuestion(ctx, next);
    }
    // At another question, a short word may be its answer.
    const isShortKey = mayBeShortKey(text) && !ctx.aside?.isExact && ctx.tx.conversation === undefined;
    if ((containsKey(text) || isShortKey) && (input === undefined || text.startsWith('/'))) {
      await replyToUnrequestedKey(ctx, await deleteMessage(ctx));
      return repeatOpenQuestion(ctx, next);
    }
    if (input === undefined || text.startsWith('/')) return next();
    if (controlWordOf(text) === 'cancel') {
      const { code } = ctx.session;
      endFlow(ctx);
      if (await cancelCard(ctx, router, code)) return;
      ctx.headerHtml = ctx.words.html('cancelled');
      await openMenu(ctx);
    } else if (input.acceptsKeys && !isOperatorKey && isAboutOther(ctx, awaiting)) {
      leaveFlow(ctx);
      return next();
    } else if (ctx.aside?.isExact && !isOperatorKey) await replyToAside(ctx, input, ctx.aside);
    else if (isQuestion(text) && !isOperatorKey) {
      if (ctx.aside?.kind === 'feature' && ctx.aside.name !== HELP_FEATURE)
        await replyToAside(ctx, input, ctx.aside);
      else await input.explain(ctx);
    } else await handleRequestedSecret(ctx, input, isOperatorKey);
  };

  /** Replies to small talk and to the name of a feature, which are no secret, and asks for the secret again. */
  async function replyToAside(ctx: BotContext, input: SecretInput, aside: Aside): Promise<void> {
    if (aside.kind === 'talk') addHeader(ctx, ctx.words.html(aside.reply));
    else if (aside.keepsFlow) await aside.open(ctx);
    delete ctx.flowToEnter;
    await input.explain(ctx);
  }

  async function repeatOpenQuestion(ctx: BotContext, next: NextFunction): Promise<void> {
    if ((await repeatQuestion(features(), ctx)) && ctx.flowToEnter) await next();
  }

  async function handleRequestedSecret(ctx: BotContext, input: SecretInput, isOperatorKey: boolean) {
    const deleted = await deleteMessage(ctx);
    if (isOperatorKey) await reportUnlessAdmin(ctx);
    await input.handle(ctx, textOf(ctx.message) || undefined);
    if (!deleted) await send(ctx, { html: ctx.words.html(input.exposedText), keyboard: [] });
  }

  async function handleOperatorKey(ctx: BotContext): Promise<void> {
    const isDeleted = await deleteMessage(ctx);
    const isRefused = await reportUnlessAdmin(ctx);
    if (isDeleted && isRefused) await send(ctx, { html: ctx.words.html('secret-not-here'), keyboard: [] });
    else await replyToUnrequestedKey(ctx, isDeleted);
  }

  /** Notifies all admins and returns `true`, unless the sender of the operator's key is an admin. */
  async function reportUnlessAdmin({ from, tx }: BotContext): Promise<boolean> {
    if (isAdmin(from.id)) return false;
    tx.signal.throwIfAborted();
    await adminAlerts.operatorKeySent(from.id);
    return true;
  }
}

/**
 * Returns whether a text at the question for a key has an address, or is the name of a feature that ends the question,
 * other than the question's own. A name among other words may be a part of a key.
 */
function isAboutOther({ aside, message }: BotContext, awaiting: string | undefined): boolean {
  const text = textOf(message);
  if (containsKey(text)) return false;
  if (findAddressInput(text)?.kind === 'address') return true;
  const isName = aside?.kind === 'feature' && aside.isExact && !aside.keepsFlow;
  return isName && aside.name !== awaiting;
}

/** Creates the middleware that erases the key of a question about it once the end of the question is committed. */
export function erasePendingKeys({ pendingLinks }: Pick<BotDeps, 'pendingLinks'>): Middleware<BotContext> {
  return async (ctx, next) => {
    const { pendingLink: name } = ctx.session;
    await next();
    if (name === undefined || ctx.session.pendingLink === name) return;
    ctx.tx.afterCommit(() => pendingLinks.erase(ctx.from.id, name));
  };
}

async function replyToUnrequestedKey(ctx: BotContext, isDeleted: boolean): Promise<void> {
  const { words } = ctx;
  if (!isDeleted) return void (await send(ctx, { html: words.html('secret-unasked-stays'), keyboard: [] }));
  const html = words.html('secret-unasked');
  await send(ctx, { html, keyboard: [[button(words, 'button-link', callbackData('link', 'open'))]] });
}
