import { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Context } from 'hono';
import { HOUR_MS } from '../../platform/clock.ts';
import { ApiError, errorDetail } from './api-error.ts';
import { chainAddressOf } from './chain-address.ts';
import { nextId } from './state.ts';
import { trxFromSun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import {
  type Currency,
  type Delegation,
  FAUCET,
  move,
  openServiceWallet,
  SERVICE,
  type Wallet,
  walletOf,
} from './wallets.ts';
import type { World } from './world.ts';

export interface Transfer {
  from: string;
  to: string;
  currency: Currency;
  /** Amount above 0, in the smallest unit of the currency. */
  amount: bigint;
  memo?: string;
  /** Address for refunds, if it isn't `from`. */
  returnTo?: string;
}

/** Simulated chain: wallets by address, and transactions between them. */
export interface Chain {
  /** Returns the wallet of an address. The wallet of an unused address is empty and inactive. */
  getWallet(address: string): Readonly<Wallet>;
  /**
   * Moves money, then notifies the listeners. TRX activates its receiver. USDT needs an active receiver (section 4.3).
   * @throws ApiError 400 INVALID_TRANSFER, INSUFFICIENT_FUNDS; 409 ADDRESS_NOT_ACTIVE. Nothing is moved then.
   */
  transfer(transfer: Transfer): Transaction;
  /** Activates an address. @throws ApiError 409 ADDRESS_ALREADY_ACTIVE. */
  activate(address: string): Transaction;
  /** Delegates a resource of the service for some hours of the sandbox's clock. */
  delegate(loan: {
    address: string;
    resource: Delegation['resource'];
    amount: number;
    hours: number;
  }): Transaction;
  /** Returns an active payment address that the service controls. The same label gives the same address. */
  openAddress(label: string): string;
  /** Calls `listener` after each transfer. Returns a function that removes the listener. */
  onTransfer(listener: (transaction: Transaction) => void): () => void;
  /** Schedules the expiry of delegations in a restored state. */
  resume(): void;
}

export function createChain(world: World): Chain {
  const listeners = new Set<(transaction: Transaction) => void>();

  const getWallet = (address: string): Wallet =>
    world.state.wallets.get(address) ?? walletOf(new Map(), address);

  const write = (entry: Omit<Transaction, 'hash' | 'at'>): Transaction => {
    const { state, clock } = world;
    const hash = bytesToHex(sha256(utf8ToBytes(`transaction ${nextId(state, 'transactions')}`)));
    const transaction = { hash, at: clock.now(), ...entry };
    state.transactions.push(transaction);
    world.changed();
    return transaction;
  };

  const check = ({ from, to, currency, amount }: Transfer) => {
    if (amount <= 0n)
      throw new ApiError(400, errorDetail('INVALID_TRANSFER', 'A transfer moves more than 0'));
    if (from === to)
      throw new ApiError(400, errorDetail('INVALID_TRANSFER', 'Nothing is sent to its own address'));
    const held = getWallet(from)[currency];
    if (from !== FAUCET && held < amount) {
      const message = `${from} holds ${trxFromSun(held)} ${currency}, ${trxFromSun(amount)} needed`;
      throw new ApiError(400, errorDetail('INSUFFICIENT_FUNDS', message));
    }
    if (currency === 'USDT' && !getWallet(to).active) {
      throw new ApiError(
        409,
        errorDetail('ADDRESS_NOT_ACTIVE', `${to} can't receive tokens: it isn't active`),
      );
    }
  };

  const scheduleExpiry = (wallet: Wallet, delegation: Delegation) =>
    world.scheduleAt(delegation.expiresAt, () => {
      wallet.delegations = wallet.delegations.filter((other) => other !== delegation);
      world.changed();
    });

  return {
    getWallet,
    transfer(transfer) {
      check(transfer);
      move(world.state.wallets, transfer);
      const transaction = write({ kind: 'transfer', ...transfer });
      for (const listener of [...listeners]) listener(transaction);
      return transaction;
    },
    activate(address) {
      const wallet = walletOf(world.state.wallets, address);
      if (wallet.active)
        throw new ApiError(409, errorDetail('ADDRESS_ALREADY_ACTIVE', `${address} is active already`));
      wallet.active = true;
      return write({ kind: 'activation', from: SERVICE, to: address, currency: 'TRX', amount: 0n });
    },
    delegate({ address, resource, amount, hours }) {
      const memo = `${amount} ${resource} for ${hours} h`;
      const transaction = write({
        kind: 'delegation',
        from: SERVICE,
        to: address,
        currency: 'TRX',
        amount: 0n,
        memo,
      });
      const expiresAt = world.clock.now() + hours * HOUR_MS;
      const delegation = { resource, amount, expiresAt, txHash: transaction.hash };
      const wallet = walletOf(world.state.wallets, address);
      wallet.delegations.push(delegation);
      scheduleExpiry(wallet, delegation);
      return transaction;
    },
    openAddress(label) {
      const address = chainAddressOf(label);
      openServiceWallet(world.state.wallets, address);
      world.changed();
      return address;
    },
    onTransfer(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    resume() {
      for (const wallet of world.state.wallets.values()) {
        for (const delegation of wallet.delegations) scheduleExpiry(wallet, delegation);
      }
    },
  };
}

/** Destroys the connection of a request. Responds with 500 if there is none (`app.fetch` without a server). */
export function closeConnection(c: Context): Response {
  const outgoing = outgoingOf(c);
  if (!outgoing) return c.json({ detail: 'No connection to cut: serve this with @hono/node-server' }, 500);
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Resolves when the client has disconnected or `signal` is aborted. */
export async function waitForDisconnect(c: Context, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const end of [c.req.raw.signal, signal]) {
      if (end.aborted) resolve();
      end.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}

function outgoingOf(c: Context): ServerResponse | undefined {
  const { outgoing } = (c.env ?? {}) as { outgoing?: unknown };
  return outgoing instanceof ServerResponse ? outgoing : undefined;
}
