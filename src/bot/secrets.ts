import { GrammyError, type Middleware } from 'grammy';
import type { Operator } from '../accounts/operator.ts';
import { button, callbackData } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import { findTextsWithForeignLetters, normalizeText } from '../rental-api/address.ts';
import { isTemporary } from '../telegram/fetch.ts';
import { messageOf } from '../telegram/update-queue.ts';
import type { BotContext } from './context.ts';
import { cancelCard, endFlow } from './conversations.ts';
import { controlWordOf } from './dialogue.ts';
import type { FeatureDeps, Handler, SecretInput } from './feature.ts';
import { startPayload } from './middleware/routing.ts';
import { MAX_ATTEMPTS } from './middleware/transaction.ts';
import { send } from './reply.ts';
import type { Router } from './router.ts';

/** Matches a word with the length and characters of an API key. */
const LONG_WORD = /[A-Za-z0-9_-]{24,}/g;
/** Words of that length that aren't keys: addresses of blockchains (also mistyped ones) and transaction hashes. */
const NOT_KEYS = [
  /^T[0-9A-Za-z]{30,37}$/,
  /^t[0-9a-z]{33}$/,
  /^(0x|41)[0-9a-f]{40}$/i,
  /^(0x)?[0-9a-f]{64}$/i,
];
/** Matches a one-time code as authenticator apps show it: in one group or in two. */
const CODE = /^\s*(\d{3,4})[ \u00a0\u202f-]?(\d{3,4})\s*$/;
const LINK = /(?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|\bwww\.|\bt\.me\/)\S+/gi;

/**
 * Returns whether a text contains what looks like an API key: a word of at least 24 characters with letters and digits.
 */
export function containsKey(text: string): boolean {
  const seen = normalizeText(text.replace(LINK, ' '));
  // Parts of a word between letters of another alphabet don't count as words.
  const words =
    findTextsWithForeignLetters(seen)
      .reduce((rest, one) => rest.replace(one, ' '), seen)
      .match(LONG_WORD) ?? [];
  return words.some((word) => looksLikeKey(word.replace(/^[_-]+|(?<![_-])[_-]+$/g, '')));
}

/**
 * Returns whether a text is a question and therefore no secret: several words, a question mark at the end, and no key.
 */
export function isQuestion(text: string): boolean {
  return /\S\s+\S/.test(text) && /[?？]\s*$/.test(text) && !containsKey(text);
}

/** Returns the digits of a one-time code if the text contains nothing else. */
export function parseOneTimeCode(text: string): string | undefined {
  const [, left, right] = CODE.exec(text) ?? [];
  return left === undefined || right === undefined ? undefined : `${left}${right}`;
}

function looksLikeKey(word: string): boolean {
  return /[A-Za-z]/.test(word) && /\d/.test(word) && !NOT_KEYS.some((other) => other.test(word));
}

/** Characters that may surround a key in a sentence or in a line of a configuration. */
const PUNCTUATION_AROUND = /[=:,;"'`«»„“”<>()[\]{}]+/;
const PUNCTUATION_AT_END = /[.!?…]+$/;

/** Returns whether a text contains the operator's API key, as a word or as a part of one between punctuation. */
export function containsOperatorKey({ isKey }: Pick<Operator, 'isKey'>, text: string): boolean {
  const words = [text, normalizeText(text)].flatMap((one) => one.split(/\s+/));
  return words.some((word) =>
    [word, ...word.split(PUNCTUATION_AROUND)].some((one) => isKey(one) || isKey(withoutEndPunctuation(one))),
  );
}

function withoutEndPunctuation(word: string): string {
  return word.replace(PUNCTUATION_AT_END, '');
}

/** Handling of the operator's API key if a user sends it who must not have it. */
interface OperatorKeyGuard {
  isContainedIn(text: string): boolean;
  /** Notifies all admins and returns `true`, unless the sender is an admin. */
  reportUnlessAdmin(ctx: BotContext): Promise<boolean>;
}

export function createOperatorKeyGuard(
  deps: Pick<FeatureDeps, 'operator' | 'isAdmin' | 'adminAlerts'>,
): OperatorKeyGuard {
  const { operator, isAdmin, adminAlerts } = deps;
  return {
    isContainedIn: (text) => containsOperatorKey(operator, text),
    async reportUnlessAdmin({ from, tx }) {
      if (from === undefined || isAdmin(from.id)) return false;
      tx.signal.throwIfAborted();
      await adminAlerts.operatorKeySent(from.id);
      return true;
    },
  };
}

/** Part of a handler's eight seconds that a deletion may take. */
const DELETE_TIMEOUT_MS = 2_000;

/**
 * Deletes the message of the update. Returns whether it is gone.
 *
 * @throws Error if Telegram couldn't delete it for now, so that the update is tried again. The last attempt returns
 *   `false` instead.
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
    if (ctx.tx.attempt >= MAX_ATTEMPTS) return false;
    // Doesn't rethrow the original error, because this failure must count as an attempt.
    throw new Error('a message with a secret is not deleted yet', { cause: error });
  }
}

/**
 * Creates the middleware for secrets, which runs before commands and conversations. The message is deleted before
 * anything else, so that the secret is in no session, replay log or job. A secret whose message can't be deleted is
 * still used, and its author is warned: refusing it would leave it just as readable. Text that looks like a key is
 * deleted even if no key was requested. So is the operator's key, whatever it looks like; if its author is no admin,
 * all admins are notified.
 */
export function handleSecrets({
  router,
  openMenu,
  operatorKey,
  now,
}: {
  router: Pick<Router, 'secretInput' | 'routeTap'>;
  openMenu: Handler;
  operatorKey: OperatorKeyGuard;
  now: () => number;
}): Middleware<BotContext> {
  return async (ctx, next) => {
    const message = messageOf(ctx.update);
    if (message === undefined) return next();
    const text = message.text ?? message.caption ?? '';
    const { awaiting } = ctx.session;
    if (now() >= (ctx.session.codesUntil ?? 0)) delete ctx.session.codesUntil;
    // An edited message answers no question.
    const requestedInput = awaiting && ctx.message ? router.secretInput(awaiting) : undefined;
    const isOver = requestedInput?.isExpired?.(ctx) === true;
    if (isOver) endFlow(ctx);
    const input = isOver ? undefined : requestedInput;
    if (input === undefined && isLateCode(text) && ctx.session.codesUntil !== undefined)
      return handleLateCode(ctx);
    const isOperatorKey = operatorKey.isContainedIn(text);
    if (startPayload(text) !== undefined && !isOperatorKey) return next();
    if (isOperatorKey && !(input?.acceptsKeys && !text.startsWith('/'))) return handleOperatorKey(ctx);
    if (containsKey(text) && (input === undefined || text.startsWith('/'))) return handleUnrequestedKey(ctx);
    if (input === undefined || text.startsWith('/')) return next();
    if (controlWordOf(text) === 'cancel') {
      const { code } = ctx.session;
      endFlow(ctx);
      if (!(await cancelCard(ctx, router, code))) await openMenu(ctx);
    } else if (isQuestion(text) && !isOperatorKey) await input.explain(ctx);
    else await handleRequestedSecret(ctx, input, isOperatorKey);
  };

  async function handleRequestedSecret(
    ctx: BotContext,
    input: SecretInput,
    isOperators: boolean,
  ): Promise<void> {
    const deleted = await deleteMessage(ctx);
    if (isOperators) await operatorKey.reportUnlessAdmin(ctx);
    await input.handle(ctx, ctx.message?.text);
    if (!deleted) await send(ctx, { html: ctx.words.html(input.exposedText), keyboard: [] });
  }

  async function handleOperatorKey(ctx: BotContext): Promise<void> {
    const isDeleted = await deleteMessage(ctx);
    const isRefused = await operatorKey.reportUnlessAdmin(ctx);
    if (isDeleted && isRefused) await send(ctx, { html: ctx.words.html('secret-not-here'), keyboard: [] });
    else await replyToUnrequestedKey(ctx, isDeleted);
  }
}

/**
 * Returns whether a text is only six digits. Another number that the user types while codes are possible is also
 * treated as one.
 */
function isLateCode(text: string): boolean {
  return parseOneTimeCode(text)?.length === 6;
}

async function handleLateCode(ctx: BotContext): Promise<void> {
  const isDeleted = await deleteMessage(ctx);
  await send(ctx, { html: ctx.words.html(isDeleted ? 'code-unasked' : 'code-unasked-stays'), keyboard: [] });
}

async function handleUnrequestedKey(ctx: BotContext): Promise<void> {
  await replyToUnrequestedKey(ctx, await deleteMessage(ctx));
}

async function replyToUnrequestedKey(ctx: BotContext, isDeleted: boolean): Promise<void> {
  const { words } = ctx;
  if (!isDeleted) {
    await send(ctx, { html: words.html('secret-unasked-stays'), keyboard: [] });
    return;
  }
  const html = words.html('secret-unasked', { link: words.plain('button-link') });
  await send(ctx, { html, keyboard: [[button(words, 'button-link', callbackData('link', 'open'))]] });
}
