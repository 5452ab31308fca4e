import type { LinkChanges } from '../invoices/link-changes.ts';
import type { ForgetWish, Forgotten } from './forget-wish.ts';
import type { LeaveAccount } from './leaving.ts';
import type { LinkedAt } from './linked-at.ts';
import type { Links } from './links.ts';

/** What that leaves at the account; `none`: there was no link; `another`: they have linked anew since, and that stays. */
export type LeftForgotten = NonNullable<Forgotten['left']> | 'none' | 'another';

/** Ends the link of who is forgotten, as unlinking it does. */
export type LeaveForgotten = (
  wish: Pick<ForgetWish, 'user' | 'update' | 'linkedAt'>,
) => Promise<LeftForgotten>;

export function createLeaveForgotten(deps: {
  links: Pick<Links, 'ahead' | 'unlink'>;
  linkedAt: LinkedAt;
  leaveAccount: LeaveAccount;
  linkChanges: Pick<LinkChanges, 'ended'>;
  /** An admin no longer uses the operator's account; the same update once. */
  operatorsLeft: (user: number, account: number, update: number) => Promise<unknown>;
}): LeaveForgotten {
  const { links, linkedAt, leaveAccount, linkChanges, operatorsLeft } = deps;
  return async ({ user, update, linkedAt: meant }) => {
    const present = await linkedAt(user);
    if (present === undefined) return 'none';
    if (present !== meant) return 'another';
    const linked = await links.ahead(user).open();
    if (linked === undefined) {
      // It counts for nothing any more: nobody else is concerned.
      await links.unlink(user);
      return 'none';
    }
    const { account, operators } = linked.link;
    if (operators) await operatorsLeft(user, account, update);
    const about = { user, account, operators, apiKey: linked.apiKey };
    const { result: events, unchecked } = await linkChanges.ended({ user, account }, () =>
      leaveAccount(about, () => links.unlink(user)),
    );
    return { account, events, unchecked };
  };
}
