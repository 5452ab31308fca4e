import { MINUTE_MS } from '../../platform/clock.ts';
import { readFault } from '../../telegram/fetch.ts';
import { defineCheck } from '../check.ts';

export interface AdminCheckDeps {
  /** Ids of the admins. */
  admins: ReadonlySet<number>;
  telegram: { getChat(id: number): Promise<unknown> };
  /** Returns what the bot knows of a user, such as why it can't write to them. */
  findUser(id: number): Promise<{ unreachable?: string | undefined } | undefined>;
}

/** Whether every admin gets the alerts. */
export const ADMINS = defineCheck({
  ...{ name: 'admins', everyMs: MINUTE_MS, scope: 'installation' },
  problems: { 'admins-missing': 'warning', 'admins-unreachable': 'warning' },
  async measure(deps: AdminCheckDeps) {
    const ids = [...deps.admins];
    if (ids.length === 0) return { problem: 'admins-missing' };
    const found = await Promise.all(ids.map((id) => canReach(deps, id)));
    const unreachable = ids.filter((_, at) => found[at] === false);
    if (unreachable.length > 0)
      return { problem: 'admins-unreachable', values: { ids: unreachable.join(', ') } };
    return found.includes(undefined) ? 'unmeasured' : undefined;
  },
});

/** Returns whether the bot can write to a user; `undefined` if Telegram doesn't say. */
async function canReach({ telegram, findUser }: AdminCheckDeps, id: number): Promise<boolean | undefined> {
  if ((await findUser(id))?.unreachable) return false;
  try {
    await telegram.getChat(id);
    return true;
  } catch (error) {
    const fault = readFault(error);
    // The same for an id that isn't a user's and for a user who has never written to the bot.
    return fault.kind !== 'unreached' && [400, 403].includes(fault.status) ? false : undefined;
  }
}
