import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { defineRecord } from '../platform/records.ts';
import type { Rental } from '../rental-api/client.ts';
import type { AccountsDeps } from './accounts-deps.ts';

/** Operator account: the account whose API key is in the configuration. */
export interface Operator {
  /** Returns the account's id; `undefined` without an operator key, or if the service doesn't say at the moment. */
  account(): Promise<number | undefined>;
  /** Returns the id if it is already known. Makes no request. */
  knownAccount(): number | undefined;
  /** Returns whether this account is the operator's; `undefined` if the service doesn't say at the moment. */
  owns(account: number): Promise<boolean | undefined>;
  /** Returns whether this is the operator's key, in constant time. */
  isKey(candidate: string): boolean;
}

export function createOperator(
  deps: Pick<AccountsDeps, 'operatorKey'> & { rental: Pick<Rental, 'profile'> },
): Operator {
  const { rental, operatorKey } = deps;
  const hash = operatorKey === undefined ? undefined : hashOf(operatorKey);
  let id: number | undefined;

  async function account(): Promise<number | undefined> {
    if (id !== undefined || operatorKey === undefined) return id;
    const profile = await rental.profile(operatorKey);
    if (profile.kind === 'accepted') id = profile.value.id;
    return id;
  }

  return {
    account,
    knownAccount: () => id,
    async owns(candidate) {
      if (operatorKey === undefined) return false;
      const operatorAccount = await account();
      return operatorAccount === undefined ? undefined : operatorAccount === candidate;
    },
    isKey: (candidate) => hash !== undefined && timingSafeEqual(hashOf(candidate), hash),
  };
}

/** Returns a hash of fixed length, as `timingSafeEqual` needs. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Default daily spending limit of all admins together, in TRX, decimal. */
const DEFAULT_DAILY_CAP = '100.00';

/**
 * Limits in TRX, decimal. `dailyCap`: daily spending limit of all admins together, 0 for none. `alertBelow`: threshold
 * of the low-balance notification.
 */
const limitsSchema = z.object({ dailyCap: z.string(), alertBelow: z.string().optional() });
type OperatorLimitValues = z.infer<typeof limitsSchema>;

export const OPERATOR_LIMITS = defineRecord({
  keys: 'operator-limits',
  content: 'Daily limit of the operator account, and its balance alert',
  schema: limitsSchema,
  ttlMs: 'none',
  expiry: 'none: otherwise a limit that an admin has set would change by itself',
  signed: true,
});

/** Limits that admins have set for the operator's account. Signed because the cap limits spending. */
export interface OperatorLimits {
  /** Returns the limits. The cap is 0 if the stored record fails verification. */
  get(): Promise<OperatorLimitValues>;
  /** `trx`: decimal. */
  setCap(trx: string): Promise<void>;
  /** `trx`: decimal, above 0; `undefined` for none. */
  setAlert(trx: string | undefined): Promise<void>;
}

export function createOperatorLimits({ records }: Pick<AccountsDeps, 'records'>): OperatorLimits {
  const limits = records.store(OPERATOR_LIMITS);

  async function get(): Promise<OperatorLimitValues> {
    const stored = await limits.get({});
    if (stored) return stored;
    return { dailyCap: (await records.has(OPERATOR_LIMITS.keys)) ? '0.00' : DEFAULT_DAILY_CAP };
  }

  async function change(apply: (before: OperatorLimitValues) => OperatorLimitValues): Promise<void> {
    const fallback = await get();
    await limits.update({}, (before = fallback) => apply(before));
  }

  return {
    get,
    setCap: (dailyCap) => change((before) => ({ ...before, dailyCap })),
    setAlert: (alertBelow) =>
      change(({ dailyCap }) => (alertBelow === undefined ? { dailyCap } : { dailyCap, alertBelow })),
  };
}
