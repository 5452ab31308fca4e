import { z } from 'zod';
import { printable } from '../rental-api/printable.ts';

const MOST_FIELDS = 8;
const NAME_LENGTH = 32;
const VALUE_LENGTH = 64;

/** Names and values of what an event carries, by name. */
export const fieldsSchema = z.record(z.string(), z.string());

/**
 * What of an event's data can be shown: its plain values, the first few, each in one line of limited length and without
 * characters that nobody sees. What is nested is left out.
 */
export function shownFields(data: Record<string, unknown>): z.infer<typeof fieldsSchema> {
  const shown = Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[printable(name, NAME_LENGTH), printable(String(value), VALUE_LENGTH)] as const]
      : [],
  );
  return Object.fromEntries(shown.slice(0, MOST_FIELDS));
}
