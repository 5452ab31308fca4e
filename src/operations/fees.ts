// Fees of subscriptions, as the service last named them: to each account, and the latest to any account.

import { z } from 'zod';
import { DAY_MS, utcDay } from '../platform/clock.ts';
import { defineRecord, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Kinds, NamedFees, Result } from './kinds/kind.ts';
import type { SentOperation } from './operation.ts';

const feeSchema = z.object({
  /** TRX, decimal. */
  trx: z.string().regex(/^\d+(\.\d+)?$/),
  /** Day (UTC) on which the service named the fee. The time would tell more about its account than is needed. */
  day: z.iso.date(),
});

const feesSchema = z.object({
  daily: feeSchema.optional(),
  transfer: feeSchema.optional(),
  guaranteedTransfer: feeSchema.optional(),
}) satisfies z.ZodType<Partial<Record<keyof NamedFees, unknown>>>;

/** Fees by the names of {@link NamedFees}. A missing one isn't known. */
export type Fees = z.infer<typeof feesSchema>;

/** Old fees say little about current ones. */
const OWN_TTL_MS = 30 * DAY_MS;
/** Longer than for one account: an old fee, shown with its day, says more than none. */
const LATEST_TTL_MS = 180 * DAY_MS;

const FEES_OF_ACCOUNT = defineRecord({
  keys: 'fees-of-account:account:kind',
  content: 'Fees that the service last named to the account, with the days',
  schema: feesSchema,
  ttlMs: OWN_TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-account' },
});

/** Shown to all users, so it says nothing about whose fees they were. */
const LATEST_FEES = defineRecord({
  keys: 'latest-fees:kind',
  content: 'Fees that the service last named to any account, with the days',
  schema: feesSchema,
  ttlMs: LATEST_TTL_MS,
  signed: true,
  anonymous: true,
});

/** Remembered fees. Accounts may pay different fees, so those of the account itself are separate. */
export interface RememberedFees {
  own: Fees;
  ofAnyAccount: Fees;
}

export type FeeMemory = ReturnType<typeof createFeeMemory>;

export function createFeeMemory(deps: { records: SignedRecords; kinds: Kinds; now: () => number }) {
  const { kinds, now } = deps;
  const ofAccount = deps.records.store(FEES_OF_ACCOUNT);
  const latest = deps.records.store(LATEST_FEES);

  return {
    /** Remembers the fees that the reply to this operation named, unless newer ones are known. */
    async record({ account, request, attempt: { sentAt } }: SentOperation, result: Result): Promise<void> {
      const { kind } = request;
      const named = kinds.of(request).namedFees?.(request, result);
      if (named === undefined) return;
      const update = (known: Fees = {}) =>
        updated(known, named, { day: utcDay(sentAt), today: utcDay(now()) });
      await Promise.all([ofAccount.update({ account, kind }, update), latest.update({ kind }, update)]);
    },
    /** Returns the remembered fees of an operation kind, as they were named to the account and to any account. */
    async recall(account: number, kind: string): Promise<RememberedFees> {
      const [own = {}, ofAnyAccount = {}] = await Promise.all([
        ofAccount.get({ account, kind }),
        latest.get({ kind }),
      ]);
      return { own, ofAnyAccount };
    },
  };
}

/**
 * Returns the known fees with the named ones that aren't older, or `undefined` if all are older. A known fee of a future
 * day, from before the clock was set back, counts as one of `today`.
 */
function updated(
  known: Fees,
  named: NamedFees,
  { day, today }: { day: string; today: string },
): Fees | undefined {
  const isOlder = (fee: Fees['daily']) => fee !== undefined && day < (fee.day < today ? fee.day : today);
  const newer = Object.entries(named).flatMap(([name, trx]) =>
    trx === undefined || isOlder(known[name as keyof Fees]) ? [] : [[name, { trx, day }]],
  );
  return newer.length === 0 ? undefined : { ...known, ...Object.fromEntries(newer) };
}

/** Everything that this file stores. */
export const FEE_DATA: readonly StoredData[] = [FEES_OF_ACCOUNT, LATEST_FEES];
