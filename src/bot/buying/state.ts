import type { AddressBook } from '../../accounts/address-book.ts';
import type { Links } from '../../accounts/links.ts';
import type { Drafts } from '../../operations/drafts.ts';
import type { BotContext } from '../context.ts';
import type { Quotes } from '../quote.ts';

export type BuyStep =
  | 'address'
  | 'purpose'
  | 'count'
  | 'exact'
  | 'duration'
  | 'funds'
  | 'card'
  | 'menu'
  | 'cancelled';

/** What is known so far of an energy purchase, and the step that comes next. */
export interface BuyState {
  step: BuyStep;
  /** What was wrong with the last answer, in Telegram's HTML. */
  problem?: string | undefined;
  address?: string | undefined;
  amount?: number | undefined;
  hours?: number | undefined;
  /** TRX, decimal, as far as the service told. */
  estimate?: string | undefined;
  balance?: string | undefined;
}

export interface BuyingDeps {
  links: Links;
  addressBook: AddressBook;
  quotes: Quotes;
  drafts: Drafts;
}

/** Whose account pays: looked up anew at each step, since it can be unlinked at any time. */
export async function payer(
  { links }: Pick<BuyingDeps, 'links'>,
  ctx: BotContext,
): Promise<{ user: number; account: number; apiKey: string } | undefined> {
  const user = ctx.from?.id;
  const link = user === undefined ? undefined : await links.find(user);
  if (user === undefined || link === undefined) return undefined;
  const apiKey = await links.apiKey(user, link.account);
  return apiKey === undefined ? undefined : { user, account: link.account, apiKey };
}
