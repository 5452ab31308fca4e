import { units } from '../conformance/amounts.ts';
import type { Currency, Holder, Json, Market } from './market.ts';

/** Number of recent records to choose from. Most of them are still open. */
const RECENT = 12;

/** Picks the account for an operation at random. */
export const holderOf = ({ random, holders }: Market): Holder => {
  const holder = random.pick(holders);
  if (!holder) throw new Error('there are no accounts');
  return holder;
};
export const recent = <Item>({ random }: Market, list: readonly Item[]) => random.pick(list.slice(-RECENT));
export const hours = ({ random }: Market) => random.pick([1, 24]);
export const currencyOf = ({ random }: Market): Currency => random.pick(['TRX', 'USDT'] as const) ?? 'TRX';
export const person = ({ random, addresses }: Market) => random.pick(addresses) ?? '';
export const upTo = ({ random }: Market, most: number) => BigInt(1 + random.below(most));
export const sun = (json: Json, field: string) => units(String(json[field]));
