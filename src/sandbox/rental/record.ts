import { z } from 'zod';

/** Amount in the smallest unit, stored as a decimal string. */
export const units = z.codec(z.string().regex(/^-?\d+$/), z.bigint(), { decode: BigInt, encode: String });
/** Record id or counter. */
export const count = z.int().min(0);
/** Time in epoch milliseconds of the sandbox's clock. */
export const time = z.number();

interface RecordDefinition<Schema extends z.ZodType, View, LedgerKind> {
  schema: Schema;
  /** Returns a record as the control API shows it. */
  view(record: z.output<Schema>): View;
  /** Kinds of ledger entries about these records. */
  ledgerKinds: readonly LedgerKind[];
  /** Id before that of the first record. Default: 0 */
  lastId?: number;
}

/**
 * Defines a kind of record that the API creates. A list of them in `RECORDS` of state.ts is part of the state, of its file,
 * and of the control API.
 */
export function defineRecord<Schema extends z.ZodType, View extends object, LedgerKind extends string>(
  definition: RecordDefinition<Schema, View, LedgerKind>,
) {
  return definition;
}
