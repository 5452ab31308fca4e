import { z } from 'zod';
import { FAULT_KINDS, LEDGER_KINDS } from '../state.ts';
import { count, currency, time, unit } from './fields.ts';

export const ledgerEntry = z.strictObject({
  id: count,
  at: time,
  accountId: count,
  kind: z.enum(LEDGER_KINDS),
  amount: unit,
  balance: unit,
  orderId: count.optional(),
  depositId: count.optional(),
  withdrawalId: count.optional(),
  invoiceId: count.optional(),
  subscriptionId: count.optional(),
  paid: z.strictObject({ currency, amount: unit }).optional(),
});

export const webhookLogEntry = z.strictObject({
  id: count,
  accountId: count,
  eventType: z.string(),
  payload: z.record(z.string(), z.unknown()),
  createdAt: time,
  responseStatus: count,
  attempts: count,
});

export const fault = z.strictObject({
  id: count,
  endpoint: z.string(),
  kind: z.enum(FAULT_KINDS),
  ms: count.optional(),
  status: count.optional(),
  times: count,
});
