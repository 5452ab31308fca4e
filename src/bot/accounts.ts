import type { Link, LinkReader, Links } from '../accounts/links.ts';
import { formatKeyTail } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, menuButton, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import type { Operation } from '../operations/operation.ts';
import { isKeyRefused, isUnexpectedReply, type Outcome } from '../rental-api/http.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature.ts';
import type { Payer } from './quotes.ts';
import { show } from './reply.ts';

interface Deps {
  links: Links;
  accountUrl: string | undefined;
}

/**
 * Returns the user's link. It is read together with the update's transaction, and again after the update has changed
 * it.
 */
export function linkedOf({ links }: Pick<Deps, 'links'>, ctx: BotContext): LinkReader | undefined {
  if (ctx.from) ctx.linked ??= links.readAhead(ctx.from.id);
  return ctx.linked;
}

/** Returns the account that pays. It must not outlive the update, because the account can be unlinked at any time. */
export async function payerOf({ links }: Pick<Deps, 'links'>, ctx: BotContext): Promise<Payer | undefined> {
  const user = ctx.from?.id;
  const found = await linkedOf({ links }, ctx)?.open();
  if (user === undefined || found?.apiKey === undefined) return undefined;
  const { account, operators } = found.link;
  return { user, account, apiKey: found.apiKey, operators };
}

/** Calls `use` with the linked account and its key, or shows what is missing. */
export async function withAccount(
  deps: Deps,
  ctx: BotContext,
  use: (payer: Payer, link: Link) => Promise<unknown>,
): Promise<void> {
  const user = ctx.from?.id;
  const found = await linkedOf(deps, ctx)?.open();
  if (user === undefined || found === undefined) {
    await showAccountNeeded(deps, ctx);
    return;
  }
  const { link, apiKey } = found;
  const { account, operators } = link;
  if (apiKey !== undefined) await use({ user, account, apiKey, operators }, link);
  else if (operators) await show(ctx, withMenuButton(ctx.words, ctx.words.html('operator-key-unknown')));
  else await show(ctx, relinkNotice(ctx.words, ctx.words.html('account-key-lost')));
}

/** Shows what is missing to a user who can't use an account at the moment. */
export async function showAccountNeeded(deps: Deps, ctx: BotContext): Promise<void> {
  const linked = linkedOf(deps, ctx);
  if ((await linked?.find())?.operators) {
    await show(ctx, withMenuButton(ctx.words, ctx.words.html('operator-key-unknown')));
    return;
  }
  const { html, keyboard } = accountNeeded(ctx.words, deps.accountUrl);
  await show(ctx, { html: paragraphs(await revokedLinkNote(deps, ctx), html), keyboard });
}

/** Returns a note for a user whose link to the operator's account was revoked, otherwise `false`. */
export async function revokedLinkNote(deps: Pick<Deps, 'links'>, ctx: BotContext): Promise<string | false> {
  return (await linkedOf(deps, ctx)?.isVoid()) === true && ctx.words.html('operator-barred');
}

/** Returns the view for a user without a linked account: what is needed, and how to get it. */
function accountNeeded(words: Words, accountUrl: string | undefined): View {
  return {
    html: words.html('account-needed', { open: accountUrl ? 'yes' : 'no' }),
    keyboard: [...guestButtons(words, accountUrl), [menuButton(words)]],
  };
}

/** Returns the buttons that link an existing account or open a new one. */
export function guestButtons(words: Words, accountUrl: string | undefined) {
  const link = button(words, 'button-link', callbackData('link', 'open'), 'primary');
  const open = accountUrl ? [[{ text: words.plain('button-open-account'), url: accountUrl }]] : [];
  return [[link], ...open];
}

/** Returns why a read from the service failed, with a way to continue. `again` is the data of *Try again*. */
export function readProblem(
  words: Words,
  about: { tail: string; again: string },
  outcome: Outcome<unknown> | undefined,
): View {
  const tail = formatKeyTail(about.tail);
  const again = [button(words, 'button-try-again', about.again)];
  const wait = outcome && 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
  if (wait !== undefined) {
    const seconds = Math.ceil(wait / 1000);
    return withMenuButton(words, words.html('account-limited', { seconds }), again);
  }
  if (isKeyRefused(outcome)) {
    return relinkNotice(words, words.html('account-key-refused', { tail }));
  }
  const problem = isUnexpectedReply(outcome) ? 'account-unreadable' : 'account-unreachable';
  return withMenuButton(words, words.html(problem, { tail }), again);
}

function relinkNotice(words: Words, html: string): View {
  return withMenuButton(words, html, [button(words, 'button-link', callbackData('link', 'open'))]);
}

const PAGE_SIZE = 50;
/** Maximum number of operations that can be read in the time of a handler. */
const MAX_OPERATIONS = 1_000;

/** Returns the operations that a user has confirmed, latest first, up to {@link MAX_OPERATIONS}. */
export async function operationsOfUser(
  { history }: Pick<FeatureDeps['operations'], 'history'>,
  user: number,
): Promise<Operation[]> {
  const all: Operation[] = [];
  let after: string | undefined;
  do {
    const page = await history.page(user, { size: PAGE_SIZE, after });
    all.push(...page.operations);
    after = page.older;
  } while (after !== undefined && all.length < MAX_OPERATIONS);
  return all;
}
