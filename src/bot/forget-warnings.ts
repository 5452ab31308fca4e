import type { Link } from '../accounts/links.ts';
import { shortened } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import { isUnresolved, type Operation } from '../operations/operation.ts';
import { orTimeout } from '../platform/retry.ts';
import { OPERATORS } from '../rental-api/operator-invoices.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { followedInvoices } from './followed-invoices.ts';
import { ownOperations } from './own-operations.ts';
import { linkedOf } from './with-account.ts';

const WITHIN_MS = 3_000;
/** Maximum number of items of each kind that are listed. */
const NAMED = 5;

interface Deps
  extends Pick<
    FeatureDeps,
    'operations' | 'invoices' | 'rental' | 'links' | 'hooks' | 'broadcasts' | 'isAdmin' | 'now'
  > {}

/**
 * Creates the function that returns warnings to show before a user's data is deleted, one paragraph each: what
 * continues anyway, and what ends.
 */
export function createForgetWarnings(deps: Deps) {
  const { operations, invoices, rental, hooks, broadcasts, isAdmin, now } = deps;

  async function ofOperations(words: Words, user: number) {
    const open = (await ownOperations(operations, user)).filter(isUnresolved);
    const named = ({ id, request }: Operation) =>
      `• ${operations.kinds.of(request).title(words, request)} · ${words.html('operation-number', { id })}`;
    return open.length > 0 && lines(words.html('forget-operations'), ...listed(words, open.map(named)));
  }

  /** Returns `false` for the operator's account, on which no subscription belongs to the user. */
  async function ofSubscriptions(words: Words, account: { link: Link; apiKey: string | undefined }) {
    if (account.link.operators) return false;
    const { apiKey } = account;
    const asked = apiKey === undefined ? undefined : await orTimeout(rental.subscriptions(apiKey), WITHIN_MS);
    if (asked?.kind !== 'accepted') return words.html('forget-subscriptions-unknown');
    const running = asked.value.filter(({ status }) => status !== 'deactivated');
    const named = running.map(({ label, address, status }) =>
      words.html('forget-subscription', { what: label || shortened(address), status }),
    );
    return named.length > 0 && lines(words.html('forget-subscriptions'), ...listed(words, named));
  }

  /** Invoices on the operator's account continue. Others can't be checked without the account's key. */
  async function ofInvoices(words: Words, user: number, account: number | undefined) {
    const [guests, own = []] = await Promise.all(
      [OPERATORS, ...(account === undefined ? [] : [account])].map((of) =>
        invoices.linkChanges.followed({ user, account: of }),
      ),
    );
    const named = (guests ?? []).map(({ number, priceTrx: price }) =>
      words.html('unlink-invoice', { number: String(number), price }),
    );
    const open = words.html('forget-invoices', { count: named.length });
    return [
      followedInvoices(words, own, { about: 'unlink', now: now() }),
      named.length > 0 && lines(open, ...listed(words, named)),
    ];
  }

  async function ofAdmin(words: Words, user: number) {
    if (!isAdmin(user)) return false;
    const [active, scheduled] = await Promise.all([broadcasts.active(), broadcasts.scheduled()]);
    const confirmed = [...(active ? [active] : []), ...scheduled].filter(({ admin }) => admin === user);
    return words.html('forget-admin', { broadcasts: confirmed.length });
  }

  return async (ctx: BotContext, user: number): Promise<(string | false)[]> => {
    const { words } = ctx;
    const account = await linkedOf(deps, ctx)?.open();
    const draft = ctx.session.draft;
    const [isDraft, isReported, ofTheirInvoices, ...others] = await Promise.all([
      draft !== undefined && operations.drafts.open({ user, id: draft.operation }),
      account !== undefined && !account.link.operators && hooks.isActive(account.link.account),
      ofInvoices(words, user, account?.link.account),
      ofOperations(words, user),
      account !== undefined && ofSubscriptions(words, account),
      ofAdmin(words, user),
    ]);
    return [
      ...others,
      ...ofTheirInvoices,
      isDraft && words.html('forget-draft', { confirm: words.plain('button-confirm') }),
      isReported && words.html('unlink-reports'),
    ].map((one) => one || false);
  };
}

function listed(words: Words, all: readonly string[]): string[] {
  const more = all.length - NAMED;
  return more > 0 ? [...all.slice(0, NAMED), words.html('forget-more', { count: more })] : [...all];
}
