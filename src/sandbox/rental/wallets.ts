import { z } from 'zod';
import { chainAddressOf } from './chain-address.ts';
import { count, time, units } from './record.ts';

/** Currencies. Both have six decimals; amounts are in the smallest unit. */
export const CURRENCIES = ['TRX', 'USDT'] as const;
export const currencySchema = z.enum(CURRENCIES);
export const moneySchema = z.strictObject({ TRX: units, USDT: units });

export type Currency = (typeof CURRENCIES)[number];

export type Money = Record<Currency, bigint>;

const delegation = z.strictObject({
  resource: z.enum(['energy', 'bandwidth']),
  amount: count,
  expiresAt: time,
  txHash: z.string(),
});

export type Delegation = z.output<typeof delegation>;

/** Holdings of an address on the chain. */
export const walletSchema = moneySchema.extend({
  /** Whether the address was activated. */
  active: z.boolean(),
  /** Whether the service controls the address: its own wallet, deposit addresses and payment addresses. */
  ofService: z.boolean(),
  /** Unexpired delegations to the address. */
  delegations: z.array(delegation),
});

export type Wallet = z.output<typeof walletSchema>;

/** Wallets by chain address. */
export type Wallets = Map<string, Wallet>;

/** Source and destination of outside money. Its wallet may be negative, so that all wallets add up to zero. */
export const FAUCET = chainAddressOf('faucet');
/** The service's wallet. Contains the balances, held money and income. */
export const SERVICE = chainAddressOf('service');

/** Returns the wallet of an address. Creates it if it is missing. */
export function walletOf(wallets: Wallets, address: string, { ofService = false } = {}): Wallet {
  const known = wallets.get(address);
  if (known) return known;
  const wallet: Wallet = { TRX: 0n, USDT: 0n, active: false, ofService, delegations: [] };
  wallets.set(address, wallet);
  return wallet;
}

/** Creates an active wallet that the service controls. */
export function openServiceWallet(wallets: Wallets, address: string): void {
  walletOf(wallets, address, { ofService: true }).active = true;
}

/** Moves money and activates the receiver. Nothing else changes a wallet's money, so the sum of all wallets is constant. */
export function move(
  wallets: Wallets,
  movement: { from: string; to: string; currency: Currency; amount: bigint },
): void {
  const { from, to, currency, amount } = movement;
  walletOf(wallets, from)[currency] -= amount;
  const receiver = walletOf(wallets, to);
  receiver[currency] += amount;
  receiver.active = true;
}
