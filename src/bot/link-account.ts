import type { Link } from '../accounts/links.ts';
import { paragraphs, withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import { linkedOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature.ts';
import { show } from './reply.ts';
import { leftAccountNote } from './report-views.ts';

type EndLinkDeps = Pick<FeatureDeps, 'links' | 'unlinkAccount' | 'invoices' | 'adminLog' | 'adminAlerts'>;

/** Creates the functions that end or replace a link. They handle the effects on the service, invoices and admins. */
export function createLinkChanges(deps: EndLinkDeps) {
  const { unlinkAccount } = deps;
  const { linkChanges } = deps.invoices;
  const operatorsLeft = createOperatorUnlinkedNotifier(deps);

  /**
   * Ends a link by calling `end`. Returns what that changes, in Telegram's HTML: where the account's events go, and how
   * many invoices are no longer checked.
   */
  async function endLink(
    ctx: BotContext,
    former: { user: number; link: Link; apiKey: string | undefined; withinMs?: number },
    end: () => Promise<unknown>,
  ): Promise<string> {
    const { user, link, apiKey, withinMs } = former;
    const { account, operators } = link;
    ctx.tx.signal.throwIfAborted();
    if (operators) await operatorsLeft(user, account, ctx.update.update_id);
    const within = withinMs !== undefined && { timeoutMs: withinMs };
    const { result: left, unchecked } = await linkChanges.endLink({ user, account }, () =>
      unlinkAccount({ user, account, operators, apiKey, ...within }, () => {
        ctx.tx.signal.throwIfAborted();
        return end();
      }),
    );
    return paragraphs(
      leftAccountNote(ctx.words, account, left),
      unchecked > 0 && ctx.words.html('unlinked-invoices', { account: String(account), count: unchecked }),
    );
  }

  return {
    endLink,
    /**
     * Links `account` by calling `link`. If another account was linked, returns what leaving it changes, otherwise
     * `false`.
     */
    async replaceLink(
      ctx: BotContext,
      next: { user: number; account: number; withinMs: number },
      link: () => Promise<unknown>,
    ): Promise<string | false> {
      const { user, account, withinMs } = next;
      const before = await linkedOf(deps, ctx)?.open();
      const isOther = before !== undefined && before.link.account !== account;
      ctx.tx.signal.throwIfAborted();
      const left = isOther && (await endLink(ctx, { user, ...before, withinMs }, link));
      if (!isOther) await link();
      await linkChanges.resumeTracking({ user, account });
      return left;
    },
  };
}

/** Time limits in milliseconds. Together they fit into the time of a handler. */
const OPERATOR_TIMEOUT_MS = 4_000;
const END_LINK_TIMEOUT_MS = 2_000;

type LinkOperatorDeps = Parameters<typeof createLinkChanges>[0] &
  Pick<FeatureDeps, 'operator' | 'operations' | 'pollers' | 'openMenu'>;

/**
 * Creates the function that links an admin to the operator's account, in place of the account linked before. The link
 * is only a reference. Callers check that the user is an admin.
 */
export function createLinkOperator(deps: LinkOperatorDeps): (ctx: BotContext) => Promise<void> {
  const { links, adminLog, adminAlerts, operator, operations, pollers, openMenu } = deps;
  const changes = createLinkChanges(deps);

  /**
   * Notifies the admins and logs the link before it is made. When the update is handled again, it finds the link and
   * stops.
   */
  async function recordLink({ update }: BotContext, user: number, account: number): Promise<void> {
    await adminAlerts.operatorAccountChanged(`linked:${user}:${update.update_id}`, {
      what: 'linked',
      by: user,
    });
    await adminLog.add(user, 'operator-linked', String(account), { update: update.update_id });
  }

  return async (ctx) => {
    const { from, words } = ctx;
    if (from === undefined) return;
    const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
    if (account === undefined) {
      await show(ctx, withMenuButton(words, words.html('operator-unreachable')));
      return;
    }
    const before = await linkedOf(deps, ctx)?.find();
    if (before?.operators) {
      ctx.headerHtml = words.html('operator-linked-already');
      return void (await openMenu(ctx));
    }
    ctx.tx.signal.throwIfAborted();
    await recordLink(ctx, from.id, account);
    const left = await changes.replaceLink(
      ctx,
      { user: from.id, account, withinMs: END_LINK_TIMEOUT_MS },
      () => links.linkOperatorAccount(from.id, account, words.language),
    );
    await pollers.addAccount(account, {
      user: from.id,
      relinked: before?.account === account ? before : undefined,
    });
    ctx.linked = undefined;
    const cap = await operations.operatorCap.limit();
    ctx.headerHtml = paragraphs(
      words.html('operator-linked'),
      left,
      words.html('operator-linked-note', { cap }),
    );
    await openMenu(ctx);
  };
}

/**
 * Creates the function that notifies all admins, and logs, that an admin no longer uses the operator's account. A
 * repeated update gives the same notification and the same entry.
 */
export function createOperatorUnlinkedNotifier({
  adminLog,
  adminAlerts,
}: Pick<FeatureDeps, 'adminLog' | 'adminAlerts'>) {
  return async (user: number, account: number, update: number): Promise<void> => {
    await adminAlerts.operatorAccountChanged(`unlinked:${user}:${update}`, { what: 'unlinked', by: user });
    await adminLog.add(user, 'operator-unlinked', String(account), { update });
  };
}
