import { notice, paragraphs } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import { linkedOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import { createEndLink } from './end-link.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { show } from './reply.ts';

/** Time limits in milliseconds. Together they fit into the time of a handler. */
const WITHIN_MS = 4_000;
const LEAVE_WITHIN_MS = 2_000;

type Deps = Parameters<typeof createEndLink>[0] &
  Pick<FeatureDeps, 'operator' | 'operations' | 'looks' | 'openMenu'>;

/**
 * Creates the function that links an admin to the operator's account, in place of the account linked before. The link
 * is only a reference. Callers check that the user is an admin.
 */
export function createLinkOperator(deps: Deps): (ctx: BotContext) => Promise<void> {
  const { links, adminLog, tellAdmins, operator, operations, looks, openMenu } = deps;
  const endLink = createEndLink(deps);

  /**
   * Notifies the admins and logs the link before it is made. When the update is handled again, it finds the link and
   * stops.
   */
  async function announce({ update }: BotContext, user: number, account: number): Promise<void> {
    await tellAdmins.ofOperator(`linked:${user}:${update.update_id}`, { what: 'linked', by: user });
    await adminLog.note(user, 'operator-linked', String(account), { update: update.update_id });
  }

  return async (ctx) => {
    const { from, words } = ctx;
    if (from === undefined) return;
    const account = await orTimeout(operator.account(), WITHIN_MS);
    if (account === undefined) {
      await show(ctx, notice(words, words.html('operator-unreachable')));
      return;
    }
    const before = await linkedOf(deps, ctx)?.find();
    if (before?.operators) {
      ctx.lead = words.html('operator-linked-already');
      return void (await openMenu(ctx));
    }
    ctx.tx.signal.throwIfAborted();
    await announce(ctx, from.id, account);
    const left = await endLink.replace(ctx, { user: from.id, account, withinMs: LEAVE_WITHIN_MS }, () =>
      links.refer(from.id, account, words.language),
    );
    await looks.follow(account, {
      user: from.id,
      relinked: before?.account === account ? before : undefined,
    });
    ctx.linked = undefined;
    const cap = await operations.operatorCap.most();
    ctx.lead = paragraphs(words.html('operator-linked'), left, words.html('operator-linked-note', { cap }));
    await openMenu(ctx);
  };
}
