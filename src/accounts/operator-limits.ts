import { z } from 'zod';
import { changeRecord } from '../storage/change-record.ts';
import type { SignedRecords } from '../storage/signed-records.ts';

/** The key of what admins have set for the operator's account. */
export const OPERATOR_LIMITS = 'operator-limits';

/** TRX, decimal, that admins may spend in a day until one of them has said how many. */
const CAP = '100.00';

const limitsSchema = z.object({ cap: z.string(), alert: z.string().optional() });

/** TRX, decimal. `cap`: what admins together may spend in a day, 0 for nothing. `alert`: below it the balance is low. */
export type OperatorLimitsNow = z.infer<typeof limitsSchema>;

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
