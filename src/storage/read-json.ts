import type { z } from 'zod';

/** What a stored text says by `schema`; `undefined` where it says nothing of the kind: it only adorns or warns. */
export function readJson<Value>(schema: z.ZodType<Value>, text: string | undefined): Value | undefined {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
