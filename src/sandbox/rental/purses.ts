import { chainAddressOf } from './chain-address.ts';

/** Both have six decimals: amounts are whole numbers of the smallest unit. */
export const CURRENCIES = ['TRX', 'USDT'] as const;

export type Currency = (typeof CURRENCIES)[number];

export type Money = Record<Currency, bigint>;

/** What an address holds on the chain. */
export interface Purse extends Money {
  /** Whether it has ever received a transaction. */
  active: boolean;
  /** Whether the service holds its key: its own purse, and the addresses at which it is paid. */
  readonly ofService: boolean;
  /** Resources that are delegated to it, until they run out. */
  delegations: Delegation[];
}

export interface Delegation {
  readonly resource: 'energy' | 'bandwidth';
  readonly amount: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly txHash: string;
}

/** By chain address. */
export type Purses = Map<string, Purse>;

/** The rest of the world: where outside money comes from and goes to. Its purse may be negative, so that all of them add up to nothing. */
export const FAUCET = chainAddressOf('faucet');
/** The service's own purse: it backs every balance, what is held, and its income. */
export const SERVICE = chainAddressOf('service');

/** The purse of an address, opened when there is none. */
export function purseOf(purses: Purses, address: string, { ofService = false } = {}): Purse {
  const known = purses.get(address);
  if (known) return known;
  const purse: Purse = { TRX: 0n, USDT: 0n, active: false, ofService, delegations: [] };
  purses.set(address, purse);
  return purse;
}

/** An active purse whose key the service has. */
export function openServicePurse(purses: Purses, address: string): void {
  purseOf(purses, address, { ofService: true }).active = true;
}

/** Moves money: the only thing that changes what a purse holds, so that the sum of all never changes. TRX activates. */
export function move(
  purses: Purses,
  movement: { from: string; to: string; currency: Currency; amount: bigint },
): void {
  const { from, to, currency, amount } = movement;
  purseOf(purses, from)[currency] -= amount;
  const receiver = purseOf(purses, to);
  receiver[currency] += amount;
  receiver.active = true;
}
