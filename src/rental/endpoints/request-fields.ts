import { z } from 'zod';
import { readAddress } from '../address.ts';
import { ENERGY_DURATIONS, ENERGY_MAX, ENERGY_MIN } from '../limits.ts';

/** A chain address, check digits included, that something is delegated or sent to. */
export const targetAddress = z
  .string()
  .trim()
  .refine((text) => readAddress(text).ok, 'not a chain address');

/** Section 8, of purchases and invoices. */
export const energyAmount = z.int().min(ENERGY_MIN).max(ENERGY_MAX);

/** Section 8: hours of energy. */
export const energyDuration = z
  .number()
  .refine((hours) => ENERGY_DURATIONS.some((one) => one === hours), '1 or 24 hours');

/** A path parameter (section 4, path conventions). */
export const pathId = z.int().min(0);
