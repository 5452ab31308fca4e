import { z } from 'zod';
import { status } from './fields.ts';

/** Section 2, deposit record: `pending`, `confirmed` or `expired`; nothing else of it is documented. */
export const DepositRecord = z.looseObject({ status });

export type DepositRecord = z.infer<typeof DepositRecord>;
