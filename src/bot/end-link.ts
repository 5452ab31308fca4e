import type { Link } from '../accounts/links.ts';
import { paragraphs } from '../i18n/view.ts';
import { linkedOf } from './accounts.ts';
import { leftAccount } from './alerts.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { createOperatorsLeft } from './operators-left.ts';

type Deps = Pick<FeatureDeps, 'links' | 'leaveAccount' | 'invoices' | 'adminLog' | 'tellAdmins'>;

/** Creates the functions that end or replace a link. They handle the effects on the service, invoices and admins. */
export function createEndLink(deps: Deps) {
  const { leaveAccount } = deps;
  const { linkChanges } = deps.invoices;
  const operatorsLeft = createOperatorsLeft(deps);

  /**
   * Ends a link by calling `end`. Returns what that changes, in Telegram's HTML: where the account's events go, and how
   * many invoices are no longer checked.
   */
  async function leave(
    ctx: BotContext,
    former: { user: number; link: Link; apiKey: string | undefined; withinMs?: number },
    end: () => Promise<unknown>,
  ): Promise<string> {
    const { user, link, apiKey, withinMs } = former;
    const { account, operators } = link;
    ctx.tx.signal.throwIfAborted();
    if (operators) await operatorsLeft(user, account, ctx.update.update_id);
    const within = withinMs !== undefined && { withinMs };
    const { result: left, unchecked } = await linkChanges.ended({ user, account }, () =>
      leaveAccount({ user, account, operators, apiKey, ...within }, () => {
        ctx.tx.signal.throwIfAborted();
        return end();
      }),
    );
    return paragraphs(
      leftAccount(ctx.words, account, left),
      unchecked > 0 && ctx.words.html('unlinked-invoices', { account: String(account), count: unchecked }),
    );
  }

  return {
    leave,
    /**
     * Links `account` by calling `link`. If another account was linked, returns what leaving it changes, otherwise
     * `false`.
     */
    async replace(
      ctx: BotContext,
      next: { user: number; account: number; withinMs: number },
      link: () => Promise<unknown>,
    ): Promise<string | false> {
      const { user, account, withinMs } = next;
      const before = await linkedOf(deps, ctx)?.open();
      const isOther = before !== undefined && before.link.account !== account;
      ctx.tx.signal.throwIfAborted();
      const left = isOther && (await leave(ctx, { user, ...before, withinMs }, link));
      if (!isOther) await link();
      await linkChanges.made({ user, account });
      return left;
    },
  };
}
