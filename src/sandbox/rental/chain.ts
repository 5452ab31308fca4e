import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
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
  /** In the smallest unit of the currency; more than 0. */
  amount: bigint;
  memo?: string;
  /** Where it is sent back to, when that isn't `from`. */
  returnTo?: string;
}

/** A small chain: purses by address, and what moves between them. */
export interface Chain {
  /** What an address holds now; an address that was never used holds nothing, and isn't active. */
  look(address: string): Readonly<Purse>;
  /**
   * Moves money, then tells the listeners. TRX activates its receiver, USDT needs an active one (section 4.3).
   * @throws Refusal 400 INVALID_TRANSFER, INSUFFICIENT_FUNDS; 409 ADDRESS_NOT_ACTIVE, with nothing moved.
   */
  transfer(transfer: Transfer): Transaction;
  /** Creates an account on the chain. @throws Refusal 409 ADDRESS_ALREADY_ACTIVE. */
  activate(address: string): Transaction;
  /** Lends a resource of the service's for some hours of the sandbox's clock. */
  delegate(loan: {
    address: string;
    resource: Delegation['resource'];
    amount: number;
    hours: number;
  }): Transaction;
  /** A new address to be paid at, active, whose key the service has; the same one for the same label. */
  openAddress(label: string): string;
  /** Calls `listener` after each transfer, however it came about; answers how to end that. */
  onTransfer(listener: (transaction: Transaction) => void): () => void;
  /** Waits for the end of the delegations that a state from elsewhere brings. */
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
