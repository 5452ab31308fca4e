import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { changeRecord, type SignedRecords } from '../platform/records.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Rental } from '../rental-api/client.ts';

/** Operator account: the account whose API key is in the configuration. */
export interface Operator {
  /** Returns the account's id; `undefined` without an operator key, or if the service doesn't say at the moment. */
  account(): Promise<number | undefined>;
  /** Returns the id if it is already known. Makes no request. */
  known(): number | undefined;
  /** Returns whether this account is the operator's; `undefined` if the service doesn't say at the moment. */
  owns(account: number): Promise<boolean | undefined>;
  /** Returns whether this is the operator's key, in constant time. */
  isKey(candidate: string): boolean;
}

export function createOperator({
  rental,
  operatorKey,
}: {
  rental: Pick<Rental, 'profile'>;
  operatorKey: string | undefined;
}): Operator {
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
    known: () => id,
    async owns(asked) {
      if (operatorKey === undefined) return false;
      const own = await account();
      return own === undefined ? undefined : own === asked;
    },
    isKey: (candidate) => hash !== undefined && timingSafeEqual(hashOf(candidate), hash),
  };
}

/** Returns a hash of fixed length, as `timingSafeEqual` needs. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Maximum wait for the id of the operator account, in milliseconds. */
const WITHIN_MS = 1_500;

/**
 * - `open`: the account is available with the configured key. `apiKey` is `undefined` if the service doesn't say at the
 *   moment which account that key opens.
 * - `gone`: the user isn't an admin, or the operator key is missing or opens another account.
 */
type Access = { kind: 'open'; apiKey: string | undefined } | { kind: 'gone' };

/** Access of admins to the operator's account through a reference. Checked at every use. */
export interface OperatorAccess {
  /** Returns whether a link with its own key leads to the operator's account, as far as that is known. */
  isCopy(account: number, apiKey: string | undefined): boolean;
  isAllowed(user: number): boolean;
  /** Returns the user's current access through a reference to this account. */
  of(user: number, account: number): Promise<Access>;
}

export function createOperatorAccess(deps: {
  operator: Pick<Operator, 'account' | 'known' | 'isKey'>;
  operatorKey: string | undefined;
  isAdmin: (user: number) => boolean;
}): OperatorAccess {
  const { operator, operatorKey, isAdmin } = deps;
  return {
    isCopy: (account, apiKey) =>
      operator.known() === account || (apiKey !== undefined && operator.isKey(apiKey)),
    isAllowed: isAdmin,
    async of(user, account) {
      if (operatorKey === undefined || !isAdmin(user)) return { kind: 'gone' };
      const present = await orTimeout(operator.account(), WITHIN_MS);
      if (present !== undefined && present !== account) return { kind: 'gone' };
      return { kind: 'open', apiKey: present === undefined ? undefined : operatorKey };
    },
  };
}

/** Key of the limits that admins have set for the operator's account. */
export const OPERATOR_LIMITS = 'operator-limits';

/** Default daily spending limit of all admins together, in TRX, decimal. */
const CAP = '100.00';

const limitsSchema = z.object({ cap: z.string(), alert: z.string().optional() });

/**
 * Limits in TRX, decimal. `cap`: daily spending limit of all admins together, 0 for none. `alert`: threshold of the
 * low-balance notification.
 */
type OperatorLimitsNow = z.infer<typeof limitsSchema>;

/** Limits that admins have set for the operator's account. Signed because the cap limits spending. */
export interface OperatorLimits {
  /** Returns the limits. The cap is 0 if the stored record fails verification. */
  now(): Promise<OperatorLimitsNow>;
  /** `trx`: decimal. */
  setCap(trx: string): Promise<void>;
  /** `trx`: decimal, above 0; `undefined` for none. */
  setAlert(trx: string | undefined): Promise<void>;
}

export function createOperatorLimits({ records }: { records: SignedRecords }): OperatorLimits {
  const read = (content: string) => limitsSchema.parse(JSON.parse(content));

  async function now(): Promise<OperatorLimitsNow> {
    const record = await records.get(OPERATOR_LIMITS);
    if (record) return read(record.content);
    return { cap: (await records.has(OPERATOR_LIMITS)) ? '0.00' : CAP };
  }

  async function change(to: (before: OperatorLimitsNow) => OperatorLimitsNow): Promise<void> {
    const otherwise = await now();
    const changed = (content: string | undefined) => to(content === undefined ? otherwise : read(content));
    await changeRecord(records, OPERATOR_LIMITS, (content) => JSON.stringify(changed(content)), {});
  }

  return {
    now,
    setCap: (cap) => change((before) => ({ ...before, cap })),
    setAlert: (alert) => change(({ cap }) => ({ cap, ...(alert !== undefined && { alert }) })),
  };
}
