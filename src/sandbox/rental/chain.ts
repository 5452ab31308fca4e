import { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Context } from 'hono';
import { chainAddressOf } from './chain-address.ts';
import {
  type Currency,
  type Delegation,
  FAUCET,
  move,
  openServicePurse,
  type Purse,
  purseOf,
  SERVICE,
} from './purses.ts';
import { coded, Refusal } from './refusal.ts';
import { nextId } from './state.ts';
import { trxFromSun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;

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

/** Simulated chain: purses by address, and transactions between them. */
export interface Chain {
  /** Returns the purse of an address. The purse of an unused address is empty and inactive. */
  look(address: string): Readonly<Purse>;
  /**
   * Moves money, then notifies the listeners. TRX activates its receiver. USDT needs an active receiver (section 4.3).
   * @throws Refusal 400 INVALID_TRANSFER, INSUFFICIENT_FUNDS; 409 ADDRESS_NOT_ACTIVE. Nothing is moved then.
   */
  transfer(transfer: Transfer): Transaction;
  /** Activates an address. @throws Refusal 409 ADDRESS_ALREADY_ACTIVE. */
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

  const look = (address: string): Purse => world.state.purses.get(address) ?? purseOf(new Map(), address);

  const write = (entry: Omit<Transaction, 'hash' | 'at'>): Transaction => {
    const { state, clock } = world;
    const hash = bytesToHex(sha256(utf8ToBytes(`transaction ${nextId(state, 'transaction')}`)));
    const transaction = { hash, at: clock.now(), ...entry };
    state.transactions.push(transaction);
    world.changed();
    return transaction;
  };

  const check = ({ from, to, currency, amount }: Transfer) => {
    if (amount <= 0n) throw new Refusal(400, coded('INVALID_TRANSFER', 'A transfer moves more than 0'));
    if (from === to) throw new Refusal(400, coded('INVALID_TRANSFER', 'Nothing is sent to its own address'));
    const held = look(from)[currency];
    if (from !== FAUCET && held < amount) {
      const message = `${from} holds ${trxFromSun(held)} ${currency}, ${trxFromSun(amount)} needed`;
      throw new Refusal(400, coded('INSUFFICIENT_FUNDS', message));
    }
    if (currency === 'USDT' && !look(to).active) {
      throw new Refusal(409, coded('ADDRESS_NOT_ACTIVE', `${to} can't receive tokens: it isn't active`));
    }
  };

  const releaseInTime = (purse: Purse, delegation: Delegation) =>
    world.at(delegation.expiresAt, () => {
      purse.delegations = purse.delegations.filter((other) => other !== delegation);
      world.changed();
    });

  return {
    look,
    transfer(transfer) {
      check(transfer);
      move(world.state.purses, transfer);
      const transaction = write({ kind: 'transfer', ...transfer });
      for (const listener of [...listeners]) listener(transaction);
      return transaction;
    },
    activate(address) {
      const purse = purseOf(world.state.purses, address);
      if (purse.active)
        throw new Refusal(409, coded('ADDRESS_ALREADY_ACTIVE', `${address} is active already`));
      purse.active = true;
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
      const purse = purseOf(world.state.purses, address);
      purse.delegations.push(delegation);
      releaseInTime(purse, delegation);
      return transaction;
    },
    openAddress(label) {
      const address = chainAddressOf(label);
      openServicePurse(world.state.purses, address);
      world.changed();
      return address;
    },
    onTransfer(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    resume() {
      for (const purse of world.state.purses.values()) {
        for (const delegation of purse.delegations) releaseInTime(purse, delegation);
      }
    },
  };
}

/** Destroys the connection of a request. Responds with 500 if there is none (`app.fetch` without a server). */
export function cut(c: Context): Response {
  const outgoing = outgoingOf(c);
  if (!outgoing) return c.json({ detail: 'No connection to cut: serve this with @hono/node-server' }, 500);
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Resolves when the client has disconnected or `signal` is aborted. */
export async function untilGone(c: Context, signal: AbortSignal): Promise<void> {
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
