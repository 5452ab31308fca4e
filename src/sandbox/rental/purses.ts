import { chainAddressOf } from './chain-address.ts';

/** Currencies. Both have six decimals; amounts are in the smallest unit. */
export const CURRENCIES = ['TRX', 'USDT'] as const;

export type Currency = (typeof CURRENCIES)[number];

export type Money = Record<Currency, bigint>;

/** Holdings of an address on the chain. */
export interface Purse extends Money {
  /** Whether the address was activated. */
  active: boolean;
  /** Whether the service controls the address: its own purse, deposit addresses and payment addresses. */
  readonly ofService: boolean;
  /** Unexpired delegations to the address. */
  delegations: Delegation[];
}

export interface Delegation {
  readonly resource: 'energy' | 'bandwidth';
  readonly amount: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly txHash: string;
}

/** Purses by chain address. */
export type Purses = Map<string, Purse>;

/** Source and destination of outside money. Its purse may be negative, so that all purses add up to zero. */
export const FAUCET = chainAddressOf('faucet');
/** The service's purse. Contains the balances, held money and income. */
export const SERVICE = chainAddressOf('service');

/** Returns the purse of an address. Creates it if it is missing. */
export function purseOf(purses: Purses, address: string, { ofService = false } = {}): Purse {
  const known = purses.get(address);
  if (known) return known;
  const purse: Purse = { TRX: 0n, USDT: 0n, active: false, ofService, delegations: [] };
  purses.set(address, purse);
  return purse;
}

/** Creates an active purse that the service controls. */
export function openServicePurse(purses: Purses, address: string): void {
  purseOf(purses, address, { ofService: true }).active = true;
}

/** Moves money and activates the receiver. Nothing else changes a purse's money, so the sum of all purses is constant. */
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
