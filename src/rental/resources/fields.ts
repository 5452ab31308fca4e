import { BigNumber } from 'bignumber.js';
import { z } from 'zod';

/** A decimal string; a number in its place is taken and written out. */
export const decimal = z.union([
  z.string().regex(/^-?\d{1,20}(\.\d{1,20})?$/, 'a decimal number is expected'),
  z.number().transform((number) => new BigNumber(number).toFixed()),
]);

/** A chain address as section "Conventions" has it. What is sent anywhere is checked by `readAddress` as well. */
export const chainAddress = z.string().regex(/^T[0-9A-Za-z]{33}$/, 'a chain address is expected');

/** ISO 8601 in UTC; a service that leaves the zone out still means UTC. */
export const timestamp = z
  .string()
  .transform((text) => (/[T ][\d:.]+$/.test(text) ? `${text}Z` : text))
  .refine((text) => !Number.isNaN(Date.parse(text)), 'an ISO 8601 timestamp is expected');

/** Status sets grow: an unknown one passes as the string that it is. */
export const status = z.string().min(1);

/** Deeper than anything the service documents; below it whatever walks through a value has room on the stack. */
const MOST_DEEP = 32;

/** What an event carries. One that is nested without end is none. */
export const eventData = z
  .record(z.string(), z.unknown())
  .refine((data) => isShallow(data), 'nested too deeply');

function isShallow(data: unknown): boolean {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEEP) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

export const recordId = z.int();
