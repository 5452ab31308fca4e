import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { printable } from '../printable.ts';

/**
 * A field that a response needn't have. An unreadable value counts as absent: it must not void the rest of the response.
 *
 * @example
 * tx_hash: optional(transactionHash) // string | null | undefined
 */
export const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

const decimalText = z.string().regex(/^-?\d{1,20}(\.\d{1,20})?$/, 'a decimal number is expected');

/** Reads an amount: a decimal string, or a number that represents it exactly. Returns a decimal string. */
export const decimal = z.union([
  decimalText,
  z
    .number()
    .min(Number.MIN_SAFE_INTEGER)
    .max(Number.MAX_SAFE_INTEGER)
    .transform((number) => new BigNumber(number).decimalPlaces(20).toFixed())
    .pipe(decimalText),
]);

/**
 * Reads a price or a fee, in the currency of its field. The service charges for everything (section 1), so zero or less is
 * treated as missing, like null.
 */
export const price = decimal
  .nullish()
  .transform((amount) => (amount != null && new BigNumber(amount).gt(0) ? amount : undefined))
  .optional();

/** Reads a number, or a decimal string that a number represents exactly. */
export const numeric = z.union([
  z.number(),
  z
    .string()
    .max(40)
    .refine((text) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && new BigNumber(text).eq(Number(text)))
    .transform(Number),
]);

/** Reads a boolean. Null and a missing field mean *off*. */
export const flag = z
  .boolean()
  .nullish()
  .transform((isOn) => isOn ?? false);

/**
 * Text of the service for display, cut to `most` characters. Never rejected because of its content, since that would make the
 * outcome of an executed request unknown.
 */
export const said = (most: number) => z.string().transform((text) => printable(text, most));

/** Chain address (section "Conventions"). Targets of transfers are also checked by `readAddress`. */
export const chainAddress = z.string().regex(/^T[0-9A-Za-z]{33}$/, 'a chain address is expected');

/** ISO 8601 in UTC. A timestamp without a zone counts as UTC. */
export const timestamp = z
  .string()
  .transform((text) => (/[T ][\d:.]+$/.test(text) ? `${text}Z` : text))
  .refine((text) => !Number.isNaN(Date.parse(text)), 'an ISO 8601 timestamp is expected');

/** Reads the time at which a record was created. Null is treated as missing. */
export const createdAt = timestamp
  .nullish()
  .transform((at) => at ?? undefined)
  .optional();

/** Name from the service, made printable and cut to `most` characters. A name without printable characters becomes `?`. */
export const named = (most: number) =>
  z
    .string()
    .min(1)
    .transform((text) => printable(text, most) || '?');

/** Status of a record. Unknown ones are accepted, because the service may add some. */
export const status = named(64);

/** Transaction hash. 64 hexadecimal digits on the chain, but only a string in the specification. */
export const transactionHash = said(128);

/** Maximum depth of event data. Deeper than any documented value, and safe for recursive functions. */
const MOST_DEEP = 32;

/** Data of an event. Rejects data nested too deeply. */
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

/** Id of a record: an integer, or a string of its digits. */
export const recordId = numeric.pipe(z.int());
