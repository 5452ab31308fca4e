import type { Accounts } from '../../accounts/accounts.ts';
import type { AddressAnnouncement } from '../../accounts/address-announcements.ts';
import type { EventsAfterUnlink } from '../../accounts/erase-user.ts';
import type { Link } from '../../accounts/links.ts';
import { linkedOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { cancelCardsAfterCommit } from '../../bot/operation-card.ts';
import { edit, show, showText } from '../../bot/reply.ts';
import { formatKeyTail, paragraphs, type Words } from '../../i18n/texts.ts';
import type { AddressNotifications } from '../../notifications/notifications.ts';
import type { Operation } from '../../operations/operation.ts';
import { isFollowed, rentedUntil } from '../../operations/order-state.ts';
import { orTimeout } from '../../platform/async.ts';
import { callbackData } from '../../views/callback-data.ts';
import { leavingWarnings, operationsOfUser } from './leaving-account.ts';

export type AccountLinkDeps = FeatureDeps &
  Pick<Accounts, 'unlinkAccount'> & {
    addressNotifications: Pick<AddressNotifications, 'left' | 'linked'>;
  };

/**
 * Ends a link by calling `end`, with the effects on the open card, the service, invoices and admins. Returns the changes in
 * Telegram's HTML: where events go, and how many invoices are no longer checked.
 */
export async function endLink(
  deps: AccountLinkDeps,
  ctx: BotContext,
  former: { user: number; link: Link; apiKey: string | undefined; withinMs?: number },
  end: () => Promise<unknown>,
): Promise<string> {
  const { user, link, apiKey, withinMs: timeoutMs } = former;
  const { account, usesOperatorAccount } = link;
  const { draft } = ctx.session;
  delete ctx.session.draft;
  delete ctx.session.card;
  cancelCardsAfterCommit(deps, ctx, ctx.words, { draft });
  ctx.tx.signal.throwIfAborted();
  if (usesOperatorAccount) await reportOperatorLink(deps, 'unlinked', user, account, ctx.update.update_id);
  const held = await deps.addressAnnouncements.abandonAll({ user, account });
  ctx.tx.afterCommit(() => endPromises(deps, ctx, { user, held }));
  const { result: events, unchecked } = await deps.invoices.linkChanges.endLink({ user, account }, () =>
    deps.unlinkAccount({ user, account, usesOperatorAccount, apiKey, timeoutMs }, () => {
      ctx.tx.signal.throwIfAborted();
      return end();
    }),
  );
  return leftAccountNote(ctx.words, { account, events, unchecked });
}

/** Edits messages that promise news of the account's operations, the end of a hold or a reminder, which won't come. */
async function endPromises(
  { operations, card, now, addressNotifications }: AccountLinkDeps,
  ctx: BotContext,
  { user, held }: { user: number; held: readonly AddressAnnouncement[] },
): Promise<void> {
  for (const announcement of held)
    await addressNotifications.left(ctx.words, announcement, (message, view) => edit(ctx, message, view));
  for (const operation of await promisingOperations({ operations, now }, user))
    await edit(ctx, operation.receipt.card, await card(ctx.words, operation));
}

/** Returns the user's operations whose receipts promise news or a reminder, which end with the link. */
export async function promisingOperations(
  { operations, now }: Pick<FeatureDeps, 'operations' | 'now'>,
  user: number,
): Promise<(Operation & { receipt: { card: number } })[]> {
  return (await operationsOfUser(operations, user)).filter((one) => {
    const kind = operations.kinds.of(one.request);
    const isPromised = isFollowed(kind, one, now()) || (rentedUntil(kind, one) ?? 0) > now();
    return isPromised && one.receipt.card !== undefined;
  }) as (Operation & { receipt: { card: number } })[];
}

/**
 * Links `account` by calling `link`. Turns seller mode on if the user unlinked this account in it. Returns what that and
 * leaving another account change.
 */
export async function replaceLink(
  deps: AccountLinkDeps,
  ctx: BotContext,
  { user, account, withinMs }: { user: number; account: number; withinMs: number },
  link: () => Promise<unknown>,
): Promise<string> {
  const before = await linkedOf(deps, ctx).open();
  const isOther = before !== undefined && before.link.account !== account;
  ctx.tx.signal.throwIfAborted();
  const left = isOther && (await endLink(deps, ctx, { user, ...before, withinMs }, link));
  if (!isOther) await link();
  await deps.invoices.linkChanges.resumeTracking({ user, account });
  const isSellerAgain = ctx.session.soldWith === account;
  if (isSellerAgain) {
    await deps.links.setMerchant(user, true);
    delete ctx.session.asksToSell;
  }
  delete ctx.session.soldWith;
  return paragraphs(left, isSellerAgain && ctx.words.html('link-seller-again'));
}

/** Time limits in milliseconds. Together they fit into the time of a handler. */
const OPERATOR_TIMEOUT_MS = 4_000;
const END_LINK_TIMEOUT_MS = 2_000;

/** Question whether an account replaces the linked one. `replace`: data of the button that does. */
interface ReplaceQuestion {
  linked: { link: Link; apiKey: string | undefined };
  to: number;
  /** Balance of the new account in TRX (decimal). `undefined` for the operator's account. */
  balance?: string;
  replace: string;
}

/** Shows the question, which names both accounts and what leaving the linked one changes. Returns its message. */
export async function askToReplace(
  deps: AccountLinkDeps,
  ctx: BotContext,
  { linked, to, balance, replace }: ReplaceQuestion,
): Promise<number> {
  const {
    words,
    from: { id: user },
    session,
  } = ctx;
  const { account, tail } = linked.link;
  const accounts = { from: String(account), to: String(to) };
  const html = paragraphs(
    words.html('link-replace-ask', {
      ...accounts,
      tail: formatKeyTail(tail),
      isOperators: balance === undefined ? 'yes' : 'no',
      balance: balance ?? '0',
    }),
    ...(await leavingWarnings(deps, words, { user, linked, draft: session.draft, reader: 'user' })),
    words.html('link-replace-end', accounts),
  );
  const yes = {
    text: words.plain('button-link-replace', { account: accounts.to }),
    callback_data: replace,
    style: 'danger' as const,
  };
  const keep = {
    text: words.plain('button-link-keep', { account: accounts.from }),
    callback_data: callbackData('link', 'keep'),
  };
  return show(ctx, { html, keyboard: [[yes], [keep]] });
}

/**
 * Links an admin to the operator's account. Asks before it replaces another one, unless the admin has confirmed that for the
 * account `confirmed`. The caller checks that the user is an admin.
 */
export async function linkOperator(
  deps: AccountLinkDeps,
  ctx: BotContext,
  confirmed?: number,
): Promise<void> {
  const { links, operator, operations, pollers, openMenu } = deps;
  const { from, words } = ctx;
  const user = from.id;
  const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
  if (account === undefined) return void (await showText(ctx, words.html('operator-unreachable')));
  const linked = await linkedOf(deps, ctx).open();
  const before = linked?.link;
  if (before?.usesOperatorAccount) {
    ctx.headerHtml = words.html('operator-linked-already');
    return void (await openMenu(ctx));
  }
  if (linked && before?.account !== account && before?.account !== confirmed) {
    const replace = callbackData('operator', 'replace', linked.link.account);
    return void (await askToReplace(deps, ctx, { linked, to: account, replace }));
  }
  ctx.tx.signal.throwIfAborted();
  // Reported before the link is made. When the update is handled again, it finds the link and stops.
  await reportOperatorLink(deps, 'linked', user, account, ctx.update.update_id);
  const left = await replaceLink(deps, ctx, { user, account, withinMs: END_LINK_TIMEOUT_MS }, () =>
    links.linkOperatorAccount(user, account, words.language),
  );
  await pollers.addAccount(account, { user, relinked: before?.account === account ? before : undefined });
  ctx.linked = undefined;
  const cap = await operations.operatorCap.limit();
  const note = words.html('operator-linked-note', { cap });
  ctx.headerHtml = paragraphs(words.html('operator-linked'), left, note);
  await openMenu(ctx);
}

/** Notifies all admins, and logs, that an admin has linked or left the operator's account. Safe to repeat. */
export async function reportOperatorLink(
  { adminLog, adminAlerts }: Pick<FeatureDeps, 'adminLog' | 'adminAlerts'>,
  what: 'linked' | 'unlinked',
  user: number,
  account: number,
  update: number,
): Promise<void> {
  await adminAlerts.operatorAccountChanged(`${what}:${user}:${update}`, { what, by: user });
  await adminLog.add(user, `operator-${what}`, String(account), { update });
}

/** Returns where a left account's events go, if that has changed, and how many invoices aren't checked. */
export function leftAccountNote(
  words: Words,
  {
    account: left,
    events,
    unchecked: count,
  }: { account: number; events: EventsAfterUnlink; unchecked: number },
): string {
  const account = String(left);
  return paragraphs(
    events === 'off' && words.html('reports-left-nowhere', { account }),
    events === 'possibly-on' && words.html('reports-left-stays', { account }),
    count > 0 && words.html('unlinked-invoices', { account, count }),
  );
}
