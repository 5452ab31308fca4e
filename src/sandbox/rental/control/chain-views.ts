import type { Audit } from '../accounts.ts';
import type { State } from '../state.ts';
import { trxFromSun } from '../sun.ts';
import type { Transaction } from '../transaction.ts';
import { FAUCET, type Money, SERVICE, type Wallet, walletOf } from '../wallets.ts';

/** Maximum number of transactions in a view. Shows the latest. */
const MAX_TRANSACTIONS = 50;
const MAX_ADDRESSES = 50;

/** Returns the addresses of service and accounts, the 50 latest addresses and the 50 latest transactions. */
export function chainView(state: State) {
  const latest = [...state.wallets.keys()].slice(-MAX_ADDRESSES).reverse();
  const names = namesOf(state);
  const addresses = new Set([...names.keys(), ...latest]);
  return {
    addresses: [...addresses].map((address) => walletView(state, address, names)),
    transactions: state.transactions.slice(-MAX_TRANSACTIONS).reverse().map(transactionView),
  };
}

export function addressView(state: State, address: string) {
  const transactions = state.transactions.filter(({ from, to }) => from === address || to === address);
  return {
    ...walletView(state, address, namesOf(state)),
    transactions: transactions.slice(-MAX_TRANSACTIONS).reverse().map(transactionView),
  };
}

export function transactionView({ hash, at, amount, returnTo, ...transaction }: Transaction) {
  return {
    tx_hash: hash,
    at: new Date(at).toISOString(),
    ...transaction,
    amount: trxFromSun(amount),
    return_to: returnTo,
  };
}

function walletView(state: State, address: string, names: Map<string, string>) {
  const wallet = state.wallets.get(address) ?? walletOf(new Map(), address);
  return {
    address,
    name: names.get(address) ?? null,
    active: wallet.active,
    of_service: wallet.ofService,
    trx: trxFromSun(wallet.TRX),
    usdt: trxFromSun(wallet.USDT),
    energy: sumOf(wallet, 'energy'),
    bandwidth: sumOf(wallet, 'bandwidth'),
    delegations: wallet.delegations.map(({ resource, amount, expiresAt, txHash }) => ({
      resource,
      amount,
      expires_at: new Date(expiresAt).toISOString(),
      tx_hash: txHash,
    })),
  };
}

function sumOf(wallet: Wallet, resource: 'energy' | 'bandwidth'): number {
  return wallet.delegations
    .filter((delegation) => delegation.resource === resource)
    .reduce((sum, { amount }) => sum + amount, 0);
}

/** Returns descriptions of known addresses. */
function namesOf(state: State): Map<string, string> {
  return new Map([
    [SERVICE, "the service's wallet"],
    [FAUCET, 'the rest of the world'],
    ...state.accounts.flatMap(({ id, chainAddress, depositAddress }): [string, string][] => [
      [chainAddress, `account ${id}`],
      [depositAddress, `deposits of account ${id}`],
    ]),
  ]);
}

export function auditView({ ok, faults, balances, held, income }: Audit) {
  return { ok, faults, balances: moneyView(balances), held: moneyView(held), income: moneyView(income) };
}

function moneyView({ TRX, USDT }: Money) {
  return { trx: trxFromSun(TRX), usdt: trxFromSun(USDT) };
}
