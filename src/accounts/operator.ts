import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { changeRecord, type SignedRecords } from '../platform/records.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Rental } from '../rental-api/client.ts';

/** The account whose key the operator gave this bot. */
export interface Operator {
  /** Its id; `undefined` where there is none, or the service doesn't tell just now. */
  account(): Promise<number | undefined>;
  /** The same as far as it is known already: asks nobody. */
  known(): number | undefined;
  /** Whether this account is the operator's; `undefined` where the service doesn't tell just now. */
  owns(account: number): Promise<boolean | undefined>;
  /** Whether this is the operator's key. Takes as long whatever it is. */
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

/** Of equal length, whatever it is of. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** An update doesn't wait longer to know which account the operator's key opens. */
const WITHIN_MS = 1_500;

/**
 * - `open`: it is there, by the key of the configuration; `undefined` where the service doesn't tell just now which account
 *   that opens.
 * - `gone`: they are no admin, or there is no such account any more.
 */
type Access = { kind: 'open'; apiKey: string | undefined } | { kind: 'gone' };

/** Who may use the operator's account: admins, by a reference to it. What is asked here is asked at every use. */
export interface OperatorAccess {
  /** Whether a link that holds a key of its own leads to the operator's account, as far as that is known. */
  isCopy(account: number, apiKey: string | undefined): boolean;
  isAllowed(user: number): boolean;
  /** What a reference to this account is worth now. */
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

/** The key of what admins have set for the operator's account. */
export const OPERATOR_LIMITS = 'operator-limits';

/** TRX, decimal, that admins may spend in a day until one of them has said how many. */
const CAP = '100.00';

const limitsSchema = z.object({ cap: z.string(), alert: z.string().optional() });

/** TRX, decimal. `cap`: what admins together may spend in a day, 0 for nothing. `alert`: below it the balance is low. */
type OperatorLimitsNow = z.infer<typeof limitsSchema>;

/** What admins have set for the operator's account. Signed, since the cap decides about money. */
export interface OperatorLimits {
  /** Where what is stored isn't ours nobody may spend anything. */
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
