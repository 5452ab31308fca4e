import { chainAddressOf } from './chain-address.ts';

/** Currencies. Both have six decimals; amounts are in the smallest unit. */
export const CURRENCIES = ['TRX', 'USDT'] as const;

export type Currency = (typeof CURRENCIES)[number];

export type Money = Record<Currency, bigint>;

/** Holdings of an address on the chain. */
export interface Wallet extends Money {
  /** Whether the address was activated. */
  active: boolean;
  /** Whether the service controls the address: its own wallet, deposit addresses and payment addresses. */
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
