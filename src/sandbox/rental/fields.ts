import type { HonoRequest } from 'hono';
import { z } from 'zod';
import { CURRENCIES } from './purses.ts';
import { Refusal } from './refusal.ts';
import { sunFromTrx } from './sun.ts';

const figures = new Intl.NumberFormat('en-US');

/** Returns a schema for an integer from `min` to `max`, inclusive. */
export function whole(min: number, max: number) {
  const error = `expected a whole number from ${figures.format(min)} to ${figures.format(max)}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** Returns a schema for a string. `what` is its description and part of its error text. */
export function text(what: string) {
  return z.string({ error: `expected ${what}` }).describe(what);
}

/** Schema for a decimal string of TRX. Its output is in sun. */
export const trx = text('a decimal string of TRX, like "12.50"').transform((value, context) => {
  const sun = sunFromTrx(value);
  if (sun !== undefined) return sun;
  context.addIssue('expected a decimal string of TRX with up to six decimals, like "12.50"');
  return z.NEVER;
});

/** Schema for an amount of TRX or USDT above 0. Its output is in the smallest unit; both have six decimals. */
export const money = text('a decimal string, like "12.50"').transform((value, context) => {
  const amount = sunFromTrx(value);
  if (amount) return amount;
  context.addIssue('expected a decimal string of more than 0 with up to six decimals, like "12.50"');
  return z.NEVER;
});

export const currency = z.enum(CURRENCIES, { error: 'expected TRX or USDT' });

/** Parses the JSON body of a request. @throws Refusal 422 that names each invalid field and the expected value. */
export async function readBody<Body>(request: HonoRequest, schema: z.ZodType<Body>): Promise<Body> {
  const result = schema.safeParse(parse(await request.text()));
  if (result.success) return result.data;
  const faults = new Map<string, string>();
  for (const issue of result.error.issues) {
    const field = issue.path.join('.') || 'body';
    const whatever = issue.path.length === 0 && issue.code === 'invalid_type';
    if (!faults.has(field)) faults.set(field, whatever ? 'expected a JSON object' : issue.message);
  }
  throw new Refusal(422, [...faults].map(([field, message]) => `${field}: ${message}`).join('; '));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
