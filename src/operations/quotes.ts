import type { OperatorKeyWatch } from '../accounts/operator.ts';
import { orTimeout } from '../platform/async.ts';
import { isRecent, MINUTE_MS } from '../platform/clock.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import type { AccountOutcome, OpenedAccount, OtherAccount } from '../rental-api/account-reader.ts';
import { isKeyRefused, OPERATOR_ACCOUNT, type Rental } from '../rental-api/client.ts';
import type { Prices } from '../rental-api/schemas.ts';
import {
  ENERGY_PER_TRANSFER,
  estimateEnergy,
  readAddress,
  roundPrice,
  savingOver,
} from '../rental-api/tron.ts';
import { energy } from './kinds/purchases.ts';
import type { Market } from './operation.ts';
import type { LastPrices } from './queries.ts';

const QUOTE_TIMEOUT_MS = 3_000;

/** Maximum age of prices for an estimate, in milliseconds. */
const PRICES_TTL_MS = MINUTE_MS;
/** Maximum age of prices for a comparison with burning, in milliseconds. */
const MARKET_TTL_MS = 10 * MINUTE_MS;

/** Price in TRX (decimal). `at`: time of an old price, in epoch milliseconds. The service names no newer one. */
export interface Estimate {
  trx: string;
  at?: number | undefined;
}

/** Prices of an amount of energy, by hours. Hours without a known price are missing. */
export type EnergyPrices = { 1?: Estimate | undefined; 24?: Estimate | undefined };

/** User's account at the service, opened for one reply. */
interface UserAccount extends OpenedAccount {
  user: number;
  account: number;
}

/** Account whose prices are read. `OPERATOR_ACCOUNT`: with the operator's key, for any user. */
export type PriceSource = UserAccount | typeof OPERATOR_ACCOUNT;

export type Quotes = ReturnType<typeof createQuotes>;

/** Creates the prices, balances and deposit addresses of accounts, as questions and cards need them. */
export function createQuotes({
  rental,
  operatorKey,
  operatorKeyWatch,
  lastPrices,
  now,
}: {
  rental: Pick<Rental, 'prices'>;
  operatorKey: string | undefined;
  operatorKeyWatch: Pick<OperatorKeyWatch, 'lastRefusedAt'>;
  lastPrices: LastPrices;
  now: () => number;
}) {
  const latest = createTtlCache<number, { prices: Prices; readAt: number }>({ ttlMs: MARKET_TTL_MS, now });
  /** Reads in progress, by user and account: users of one account may have different keys. */
  const pending = new Map<string, Promise<AccountOutcome<Prices> | undefined>>();
  let isOperatorRefused = false;
  /** Start of the last read with the operator's key, in milliseconds by `performance.now`. */
  let operatorReadAt = 0;

  async function request(source: PriceSource): Promise<AccountOutcome<Prices> | undefined> {
    if (source !== OPERATOR_ACCOUNT) return source.read((reads) => reads.prices());
    if (operatorKey === undefined) return undefined;
    operatorReadAt = performance.now();
    const listed = await rental.prices(operatorKey);
    isOperatorRefused = isKeyRefused(listed);
    return listed;
  }

  function readPrices(source: PriceSource): Promise<AccountOutcome<Prices> | undefined> {
    const name = source === OPERATOR_ACCOUNT ? 'operator' : `${source.user}/${source.account}`;
    const started = pending.get(name);
    if (started) return started;
    const read = orTimeout(request(source), QUOTE_TIMEOUT_MS)
      .then((listed) => {
        if (listed?.kind === 'accepted')
          latest.set(accountOfSource(source), { prices: listed.value, readAt: now() });
        return listed;
      })
      .finally(() => pending.delete(name));
    pending.set(name, read);
    return read;
  }

  const areRecent = (readAt = 0) => isRecent(readAt, PRICES_TTL_MS, now());
  const hasRecentPrices = (account: number) => areRecent(latest.get(account)?.readAt);

  /** Returns what energy costs by the prices that were read last or, without them, by the last prices that were paid. */
  async function knownEnergyPrices(account: number, amount: number): Promise<EnergyPrices> {
    const { prices, readAt } = latest.get(account) ?? {};
    async function estimate(hours: number): Promise<Estimate | undefined> {
      const listed = prices && estimateEnergy({ amount, hours }, prices);
      if (listed) return { trx: roundPrice(listed), ...(!areRecent(readAt) && { at: readAt }) };
      const paid = await lastPrices.estimate(account, energy.name, { amount, hours });
      return paid && { ...paid, trx: roundPrice(paid.trx) };
    }
    const [hour, day] = await Promise.all([estimate(1), estimate(24)]);
    return { 1: hour, 24: day };
  }

  return {
    /**
     * Returns what energy costs, after reading the prices. If they can't be read, the same older ones apply as everywhere.
     * Doesn't read prices that are at most a minute old, unless `mustBeFresh`.
     */
    async energy(
      source: PriceSource,
      amount: number,
      { mustBeFresh = false }: { mustBeFresh?: boolean } = {},
    ): Promise<EnergyPrices> {
      const account = accountOfSource(source);
      if (mustBeFresh || !hasRecentPrices(account)) await readPrices(source);
      return knownEnergyPrices(account, amount);
    },
    knownEnergyPrices,
    /** Takes over prices of an account that were read elsewhere. */
    update: (account: number, prices: Prices): void => latest.set(account, { prices, readAt: now() }),
    /** Reads the account's prices in the background, so that `energy` needn't wait. */
    prefetch(source: PriceSource): void {
      if (!hasRecentPrices(accountOfSource(source))) void readPrices(source).catch(() => undefined);
    },
    /** Reads prices, once at a time for each source. Returns `undefined` if the service doesn't respond in time. */
    prices: readPrices,
    /** Returns whether the service refuses the operator's key. If it did last time, reads the prices with it again. */
    async isOperatorRefused(): Promise<boolean> {
      const { lastRefusedAt } = operatorKeyWatch;
      if (isOperatorRefused || (lastRefusedAt() ?? 0) > operatorReadAt) await readPrices(OPERATOR_ACCOUNT);
      return isOperatorRefused;
    },
    /** Returns the market prices of an account, if this process has read them within ten minutes. */
    market(account: number): Market | undefined {
      const { burnTrx, usdRate } = latest.get(account)?.prices ?? {};
      return burnTrx === undefined && usdRate === undefined ? undefined : { burnTrx, usdRate };
    },
    /**
     * Returns the price in TRX of energy for one transfer and an hour, and what it saves compared with burning TRX, if this
     * process has read the account's prices within ten minutes.
     */
    offer(account: number): { price: string; burnTrx?: string; percent?: string } | undefined {
      const { prices } = latest.get(account) ?? {};
      const exact = prices && estimateEnergy({ amount: ENERGY_PER_TRANSFER, hours: 1 }, prices);
      if (prices === undefined || exact === undefined) return undefined;
      const price = roundPrice(exact);
      const { burnTrx } = prices;
      const saved = burnTrx && savingOver(burnTrx, { energy: ENERGY_PER_TRANSFER, price });
      return saved ? { price, burnTrx: roundPrice(burnTrx), percent: saved.percent } : { price };
    },
    /** Returns the balance in TRX, or `undefined` if the service doesn't report it in time. */
    async balance(
      { read }: UserAccount,
      withinMs: number = QUOTE_TIMEOUT_MS,
    ): Promise<string | OtherAccount | undefined> {
      const reading = read((reads) => reads.profile());
      const profile = await orTimeout(reading, withinMs);
      if (profile?.kind === 'other-account') return profile;
      return profile?.kind === 'accepted' ? profile.value.balance_trx : undefined;
    },
    /**
     * Returns the deposit address and the TRX (decimal) that a USDT brings. Returns `undefined` if the service doesn't report
     * them in time, if the address is invalid, or if the key opens another account.
     */
    async deposit({ read }: UserAccount): Promise<{ address: string; usdtRate?: string } | undefined> {
      const reading = read((reads) => reads.depositInfo());
      const deposit = await orTimeout(reading, QUOTE_TIMEOUT_MS);
      if (deposit?.kind !== 'accepted') return undefined;
      // Users send money to this address: one with a wrong checksum is worse than none.
      const found = readAddress(deposit.value.deposit_address);
      return found.ok ? { address: found.address, usdtRate: deposit.value.usdt_to_trx_rate } : undefined;
    },
  };
}

function accountOfSource(source: PriceSource): number {
  return source === OPERATOR_ACCOUNT ? OPERATOR_ACCOUNT : source.account;
}
