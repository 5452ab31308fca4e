import type { Link, LinkReader } from '../accounts/links.ts';
import { formatKeyTail, formatWait, paragraphs, shortenAddress, type Words } from '../i18n/texts.ts';
import { orTimeout } from '../platform/async.ts';
import type { AccountOutcome, AccountReads } from '../rental-api/account-reader.ts';
import { isKeyRefused, isUnexpectedReply, type Outcome } from '../rental-api/client.ts';
import { linkButton, otherAccountView } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, menuButton, type View, withMenuButton } from '../views/view.ts';
import type { BotContext, Payer } from './context.ts';
import type { Feature, FeatureDeps, Handler } from './feature.ts';
import { show, showText } from './reply.ts';

type LinkDeps = Pick<FeatureDeps, 'links'>;
type AccountDeps = Pick<FeatureDeps, 'links' | 'accountReader'>;

/** Returns the reader of the user's link, which each update reads once. */
export function linkedOf({ links }: LinkDeps, ctx: BotContext): LinkReader {
  ctx.linked ??= links.readAhead(ctx.from.id);
  return ctx.linked;
}

export async function linkOf(deps: LinkDeps, ctx: BotContext): Promise<Link | undefined> {
  return linkedOf(deps, ctx).find();
}

/** Returns the account that pays. It must not outlive the update, because it can be unlinked at any time. */
export async function payerOf(deps: AccountDeps, ctx: BotContext): Promise<Payer | undefined> {
  return (await accountOf(deps, ctx))?.payer;
}

/** `payer` is missing if the account's key is. */
async function accountOf(
  deps: AccountDeps,
  ctx: BotContext,
): Promise<{ link: Link; payer?: Payer } | undefined> {
  const linked = linkedOf(deps, ctx);
  const found = await linked.open();
  if (found === undefined) return undefined;
  const { link, apiKey } = found;
  const { account, usesOperatorAccount } = link;
  if (apiKey === undefined) return { link };
  if (ctx.opened?.by !== linked)
    ctx.opened = { by: linked, account: deps.accountReader.open({ account, apiKey }) };
  const { read } = ctx.opened.account;
  return { link, payer: { user: ctx.from.id, account, apiKey, usesOperatorAccount, read } };
}

/** Calls `use` with the linked account. Without a link or without its key, shows what is missing instead. */
export async function withAccount(
  deps: FeatureDeps,
  ctx: BotContext,
  use: (payer: Payer, link: Link) => Promise<unknown>,
): Promise<void> {
  const { link, payer } = (await accountOf(deps, ctx)) ?? {};
  if (link && payer) await use(payer, link);
  else if (!link || link.usesOperatorAccount) await showAccountNeeded(deps, ctx);
  else await show(ctx, relinkNotice(ctx.words, ctx.words.html('account-key-lost')));
}

/** Shows that the user must link an account first or, to an admin on the operator's account, that its key can't be used. */
export async function showAccountNeeded(deps: FeatureDeps, ctx: BotContext): Promise<void> {
  const { words } = ctx;
  if ((await linkOf(deps, ctx))?.usesOperatorAccount)
    return void (await showText(ctx, words.html('operator-key-unknown')));
  const html = paragraphs(await revokedLinkNote(deps, ctx), words.html('account-needed'));
  await show(ctx, { html, keyboard: [...guestButtons(words, deps.accountUrl), [menuButton(words)]] });
}

/** Returns a note if the user's link to the operator's account was revoked, otherwise `false`. */
export async function revokedLinkNote(deps: LinkDeps, ctx: BotContext): Promise<string | false> {
  return (await linkedOf(deps, ctx).isVoid()) && ctx.words.html('operator-void');
}

/** Returns the rows of buttons that link an account and, with `accountUrl`, open one at the service. */
export function guestButtons(words: Words, accountUrl: string | undefined, { isPrimary = true } = {}) {
  const link = button(words, 'button-link', callbackData('link', 'open'), isPrimary ? 'primary' : undefined);
  const open = accountUrl ? [[{ text: words.plain('button-open-account'), url: accountUrl }]] : [];
  return [[link], ...open];
}

/** Returns why a read from the service failed. `again` is the data of *Try again*. */
export function readProblem(
  words: Words,
  about: { tail: string; again: string },
  outcome: AccountOutcome<unknown> | undefined,
): View {
  const isOperators = about.tail === '';
  if (outcome?.kind === 'other-account') return otherAccountView(words, { isOperators });
  const again = [button(words, 'button-try-again', about.again)];
  const wait = outcome && 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
  if (wait !== undefined) {
    const when = formatWait(words, wait / 1000);
    return withMenuButton(words, words.html('account-limited', { when }), again);
  }
  if (isKeyRefused(outcome)) {
    const html = words.html('account-key-refused', { tail: formatKeyTail(about.tail) });
    return isOperators ? withMenuButton(words, html, again) : relinkNotice(words, html);
  }
  const problem = isUnexpectedReply(outcome) ? 'account-unreadable' : 'account-unreachable';
  return withMenuButton(words, words.html(problem), again);
}

function relinkNotice(words: Words, html: string): View {
  return withMenuButton(words, html, [linkButton(words)]);
}

/**
 * Returns a warning if the user was last shown another deposit address of the account. Remembers this one once the
 * reply is committed. Call it whenever a deposit address is shown.
 */
export async function depositAddressNote(
  { depositAddresses }: Pick<FeatureDeps, 'depositAddresses'>,
  { words, tx }: BotContext,
  { user, account, address }: { user: number; account: number; address: string },
): Promise<string | false> {
  const former = await depositAddresses.lastShown(user, account);
  tx.afterCommit(() => depositAddresses.recordShown(user, account, address));
  return (
    former !== undefined &&
    former !== address &&
    words.html('deposit-changed', { former: shortenAddress(former) })
  );
}

const READ_TIMEOUT_MS = 5_000;

/** Reads from the linked account and calls `use`, or explains the failure. `again`: data of *Try again*. */
export async function withReading<Value>(
  deps: FeatureDeps,
  ctx: BotContext,
  { read, again }: { read(reads: AccountReads): Promise<Outcome<Value>>; again: string },
  use: (value: Value, link: Link & { user: number }) => Promise<unknown>,
): Promise<void> {
  await withAccount(deps, ctx, async ({ user, read: readAccount }, link) => {
    const outcome = await orTimeout(readAccount(read), READ_TIMEOUT_MS);
    if (outcome?.kind === 'accepted') await use(outcome.value, { ...link, user });
    else await show(ctx, readProblem(ctx.words, { tail: link.tail, again }, outcome));
  });
}

/**
 * Creates a feature that reads from the linked account and shows it. Explains a missing account or a failed
 * read.
 * @example
 * screen(deps, { name: 'deposit', read: (reads) => reads.depositInfo(), view: depositCard });
 */
export function screen<Value>(
  deps: FeatureDeps,
  about: Pick<Feature, 'name' | 'menu' | 'command' | 'buttons' | 'keepsFlow' | 'forSuspended'> & {
    /** Button that *Try again* taps. Default: `open`. */
    retryButton?: string;
    read(reads: AccountReads): Promise<Outcome<Value>>;
    view(words: Words, value: Value, link: Link & { user: number }, ctx: BotContext): View | Promise<View>;
  },
): Feature & { open: Handler } {
  const { read, view, retryButton = 'open', ...feature } = about;
  return {
    keepsFlow: true,
    ...feature,
    open: (ctx) =>
      withReading(deps, ctx, { read, again: callbackData(feature.name, retryButton) }, async (value, link) =>
        show(ctx, await view(ctx.words, value, link, ctx)),
      ),
  };
}
