import { orTimeout } from '../or-timeout.ts';
import type { EventHooks } from './event-hooks.ts';
import type { EventReceiving } from './event-receiving.ts';
import type { Link } from './link.ts';
import type { Links } from './links.ts';
import type { Operator } from './operator.ts';

/** Where the account's events go then: as before, nowhere, or perhaps still to an address of ours, which refuses them. */
export type Left = 'as-before' | 'nowhere' | 'stays';

/**
 * Ends a user's link by `unlink`. The account's last one takes its URL at the service with it, before: that needs the key
 * which `unlink` erases. Where the service can't be asked within `withinMs`, the link ends all the same. A reference to the
 * operator's account takes nothing with it.
 */
export type LeaveAccount = (
  link: Pick<Link, 'account' | 'operators'> & { user: number; apiKey: string | undefined; withinMs?: number },
  unlink: () => Promise<unknown>,
) => Promise<Left>;

/** The operator's own events don't hang on anybody's link. */
const OWNER_WITHIN_MS = 1_000;

export function createLeaveAccount(deps: {
  links: Pick<Links, 'holders'>;
  hooks: Pick<EventHooks, 'isActive' | 'deactivate'>;
  eventReceiving: Pick<EventReceiving, 'turnOff'>;
  operator: Pick<Operator, 'owns'>;
}): LeaveAccount {
  const { links, hooks, eventReceiving, operator } = deps;

  async function isLast(user: number, account: number): Promise<boolean> {
    if (!(await hooks.isActive(account))) return false;
    if ((await links.holders(account)).some((holder) => holder !== user)) return false;
    return !(await orTimeout(operator.owns(account), OWNER_WITHIN_MS));
  }

  return async ({ user, account, operators, apiKey, withinMs }, unlink) => {
    async function giveUp(): Promise<Left> {
      if (operators || !(await isLast(user, account))) return 'as-before';
      const turned =
        apiKey === undefined
          ? undefined
          : await eventReceiving.turnOff({ account, apiKey, ...(withinMs !== undefined && { withinMs }) });
      if (turned?.kind === 'off') return 'nowhere';
      if (turned?.kind === 'was-off') return 'as-before';
      await hooks.deactivate(account);
      return 'stays';
    }

    const left = await giveUp();
    await unlink();
    // Two who leave at once may each have seen the other: the later one is the last.
    return left === 'as-before' ? giveUp() : left;
  };
}
