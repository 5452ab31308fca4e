import type { EventHooks } from '../../accounts/event-hooks.ts';
import type { Link, Links } from '../../accounts/links.ts';
import { readAddress } from '../../rental/address.ts';
import type { Rental } from '../../rental/client.ts';
import type { Outcome } from '../../rental/outcome.ts';
import { accountCard, depositCard, linkInvitation, unlinkQuestion } from '../../texts/cards/account.ts';
import { notice } from '../../texts/cards/menu.ts';
import { keyTail } from '../../texts/formats.ts';
import type { BotContext } from '../context.ts';
import { inTime } from '../in-time.ts';
import { show } from '../screen.ts';

const WITHIN_MS = 5_000;

export interface AccountDeps {
  links: Links;
  hooks: EventHooks;
  rental: Rental;
  /** Whether this bot has a public address, to which the service could send events. */
  eventsOffered: boolean;
}

/** The linked account: its card, its deposit address, and unlinking it. */
export function accountButtons({ links, hooks, rental, eventsOffered }: AccountDeps) {
  async function eventsOf(account: number): Promise<'on' | 'off' | 'none'> {
    if (await hooks.isActive(account)) return 'on';
    return eventsOffered ? 'off' : 'none';
  }

  /** Runs `use` with the linked account and its key; says what is missing otherwise. */
  async function withAccount(
    ctx: BotContext,
    use: (link: Link, apiKey: string) => Promise<void>,
  ): Promise<void> {
    const link = ctx.from && (await links.find(ctx.from.id));
    if (ctx.from === undefined || link === undefined) {
      await show(ctx, linkInvitation(ctx.words));
      return;
    }
    const apiKey = await links.apiKey(ctx.from.id, link.account);
    if (apiKey !== undefined) return use(link, apiKey);
    await show(ctx, notice(ctx.words, ctx.words.html('account-key-lost')));
  }

  return {
    withAccount,
    account: (ctx: BotContext) =>
      withAccount(ctx, async (link, apiKey) => {
        const profile = await inTime(rental.profile(apiKey), WITHIN_MS);
        if (profile?.kind !== 'accepted') {
          await show(ctx, notice(ctx.words, readProblem(ctx, link, profile)));
          return;
        }
        const { id, email, chain_address, balance_trx, totp_enabled } = profile.value;
        const facts = { id, email, address: chain_address, balance: balance_trx, totp: totp_enabled };
        await show(ctx, accountCard(ctx.words, { ...facts, tail: link.tail, events: await eventsOf(id) }));
      }),
    deposit: (ctx: BotContext) =>
      withAccount(ctx, async (link, apiKey) => {
        const deposit = await inTime(rental.depositInfo(apiKey), WITHIN_MS);
        const read = deposit?.kind === 'accepted' && readAddress(deposit.value.deposit_address);
        if (deposit?.kind !== 'accepted' || !read || !read.ok) {
          await show(ctx, notice(ctx.words, readProblem(ctx, link, deposit)));
          return;
        }
        const { usdt_to_trx_rate: rate } = deposit.value;
        await show(ctx, depositCard(ctx.words, { address: read.address, rate }));
      }),
    async unlink(ctx: BotContext) {
      const link = ctx.from && (await links.find(ctx.from.id));
      if (link === undefined) return void (await show(ctx, notice(ctx.words, ctx.words.html('unlink-none'))));
      await show(ctx, unlinkQuestion(ctx.words, link.tail, await hooks.isActive(link.account)));
    },
    async unlinkYes(ctx: BotContext) {
      const link = ctx.from && (await links.find(ctx.from.id));
      if (ctx.from && link) {
        await links.unlink(ctx.from.id);
        // Another user may hold the same account, and wait for its reports.
        if (!(await links.isHeld(link.account))) await hooks.deactivate(link.account);
      }
      await show(ctx, notice(ctx.words, ctx.words.html('unlinked')));
    },
  };
}

/** Why the service's answer to a read isn't there, as its user should hear it. */
function readProblem({ words }: BotContext, link: Link, outcome: Outcome<unknown> | undefined): string {
  const tail = keyTail(link.tail);
  const wait = outcome && 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
  if (wait !== undefined) return words.html('account-limited', { seconds: String(Math.ceil(wait / 1000)) });
  const refused = outcome?.kind === 'rejected' && (outcome.status === 401 || outcome.status === 403);
  return words.html(refused ? 'account-key-refused' : 'account-unreachable', { tail });
}
