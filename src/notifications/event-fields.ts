import { z } from 'zod';
import { printable } from '../rental-api/printable.ts';

const MAX_FIELDS = 8;
const NAME_LENGTH = 32;
const VALUE_LENGTH = 64;

/** Fields of an event: values by name. */
export const fieldsSchema = z.record(z.string(), z.string());

/**
 * Returns the fields of an event that can be shown: its first few plain values. Each is cut to one line of limited
 * length without invisible characters. Omits nested values.
 */
export function shownFields(data: Record<string, unknown>): z.infer<typeof fieldsSchema> {
  const shown = Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[printable(name, NAME_LENGTH), printable(String(value), VALUE_LENGTH)] as const]
      : [],
  );
  return Object.fromEntries(shown.slice(0, MAX_FIELDS));
}
