import { z } from 'zod';
import { CURRENCIES } from '../purses.ts';

/** Money as a decimal string of the smallest unit. */
export const unit = z.codec(z.string().regex(/^-?\d+$/), z.bigint(), { decode: BigInt, encode: String });
export const money = z.strictObject({ TRX: unit, USDT: unit });
export const currency = z.enum(CURRENCIES);
/** Record id or counter. */
export const count = z.int().min(0);
/** Epoch milliseconds. */
export const time = z.number();
export const energyHours = z.literal([1, 24]);

/** Returns a codec that stores a map as an object. */
export function mapOf<Value extends z.ZodType>(value: Value) {
  return z.codec(z.record(z.string(), value), z.map(z.string(), z.custom<z.output<Value>>()), {
    decode: (object) => new Map(Object.entries(object)),
    encode: (map) => Object.fromEntries(map),
  });
}
