import { z } from 'zod';
import { readAddress } from '../address.ts';
import { ENERGY_DURATIONS, ENERGY_MAX, ENERGY_MIN } from '../limits.ts';

/** Target of a delegation or transfer: a chain address with a valid checksum. */
export const targetAddress = z
  .string()
  .trim()
  .refine((text) => readAddress(text).ok, 'not a chain address');

/** Energy of purchases and invoices (section 8). */
export const energyAmount = z.int().min(ENERGY_MIN).max(ENERGY_MAX);

/** Hours of energy (section 8). */
export const energyDuration = z
  .number()
  .refine((hours) => ENERGY_DURATIONS.some((one) => one === hours), '1 or 24 hours');

/** Path parameter (section 4, path conventions). */
export const pathId = z.int().min(0);
