import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { DAY_MS } from '../platform/clock.ts';
import { defineRecord } from '../platform/records.ts';
import type { Rental } from '../rental-api/client.ts';
import type { AccountsDeps } from './accounts-deps.ts';

/** Unsigned, because it only causes an alert. */
export const LAST_OPERATOR_ACCOUNT = defineRecord({
  keys: 'operator-account',
  content: "Number of the account that the operator's key opened last",
  schema: z.object({ id: z.number() }),
  ttlMs: 7 * DAY_MS,
  signed: false,
  anonymous: true,
});

/** Operator account: the account whose API key is in the configuration. */
export type Operator = ReturnType<typeof createOperator>;

export function createOperator(
  deps: Pick<AccountsDeps, 'operatorKey'> & { rental: Pick<Rental, 'profile'> },
) {
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
    /** Returns the account's id; `undefined` without an operator key, or if the profile couldn't be read. */
    account,
    /** Returns the id if it is already known. Makes no request. */
    knownAccount: (): number | undefined => id,
    /** Returns whether this account is the operator's; `undefined` if the operator's profile couldn't be read. */
    async owns(candidate: number): Promise<boolean | undefined> {
      if (operatorKey === undefined) return false;
      const operatorAccount = await account();
      return operatorAccount === undefined ? undefined : operatorAccount === candidate;
    },
    /** Returns whether this is the operator's key. The time depends only on whether the length is right. */
    isKey: (candidate: string): boolean =>
      hash !== undefined &&
      candidate.length === operatorKey?.length &&
      timingSafeEqual(hashOf(candidate), hash),
  };
}

/** Creates the memory of which account the operator's key opened, which outlives the process. */
export function createLastOperatorAccount({ records }: Pick<AccountsDeps, 'records'>) {
  const last = records.store(LAST_OPERATOR_ACCOUNT);
  return {
    find: async (): Promise<number | undefined> => (await last.get({}))?.id,
    /** Stores the account's number. After a change of the account, stores the new one only seven days later. */
    async update(id: number | undefined): Promise<void> {
      if (id === undefined) return;
      if (!(await last.add({}, { id })) && (await last.get({}))?.id === id) await last.set({}, { id });
    },
  };
}

/** Returns a hash of fixed length, as `timingSafeEqual` needs. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export type OperatorKeyWatch = ReturnType<typeof createOperatorKeyWatch>;

/** Creates a memory of when the service refused the operator's key. A health check reports refusals. */
export function createOperatorKeyWatch({ operatorKey }: Pick<AccountsDeps, 'operatorKey'>) {
  let lastRefusedAt: number | undefined;
  return {
    onKeyRefused(apiKey: string): void {
      if (apiKey === operatorKey) lastRefusedAt = performance.now();
    },
    /** Returns when the key was last refused, in milliseconds by `performance.now`; `undefined` if it never was. */
    lastRefusedAt: () => lastRefusedAt,
  };
}

/** Default daily spending limit of all admins together, in TRX, decimal. */
const DEFAULT_DAILY_CAP = '100.00';

/**
 * Limits in TRX, decimal. `dailyCap`: daily spending limit of all admins together; 0 forbids spending. `alertBelow`:
 * threshold of the low-balance notification.
 */
const limitsSchema = z.object({ dailyCap: z.string(), alertBelow: z.string().optional() });
type OperatorLimitValues = z.infer<typeof limitsSchema>;

export const OPERATOR_LIMITS = defineRecord({
  keys: 'operator-limits',
  content: 'Daily limit of the operator account, and its alert level',
  schema: limitsSchema,
  ttlMs: 'none',
  expiry: 'none: otherwise a limit that an admin has set would change by itself',
  signed: true,
});

/** Limits that admins have set for the operator's account. Signed because the cap limits spending. */
export type OperatorLimits = ReturnType<typeof createOperatorLimits>;

export function createOperatorLimits({ records }: Pick<AccountsDeps, 'records'>) {
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
    /** Returns the limits. The cap is 0 if the stored record fails verification. */
    get,
    /** Sets the daily limit, in TRX, decimal; 0 for none. */
    setCap: (dailyCap: string) => change((before) => ({ ...before, dailyCap })),
    /** Sets the threshold of the low-balance notification, in TRX, decimal, above 0; `undefined` for none. */
    setAlert: (alertBelow: string | undefined) =>
      change(({ dailyCap }) => (alertBelow === undefined ? { dailyCap } : { dailyCap, alertBelow })),
  };
}
