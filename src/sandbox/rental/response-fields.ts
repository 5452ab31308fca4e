import { z } from 'zod';

export const recordId = z.int().positive().describe('ID of the record.');

export const chainAddress = z
  .string()
  .regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)
  .describe('Chain address: 34 characters, starting with T.');

/** Money (section 2): two to six decimals. */
export const trxText = z
  .string()
  .regex(/^\d+\.\d{2,6}$/)
  .describe('A decimal amount of TRX.');

export const usdtText = z
  .string()
  .regex(/^\d+\.\d{2,6}$/)
  .describe('A decimal amount of USDT.');

/** Rate or unit price. */
export const decimal = z.string().regex(/^\d+(\.\d+)?$/);

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC.' });

export const txHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('A transaction hash.');

export const amount = z.int().positive();
