import { z } from 'zod';

export const refusal = z
  .strictObject({
    detail: z.union([
      z.string(),
      z.strictObject({
        error: z.strictObject({ code: z.string().regex(/^[A-Z0-9_]+$/), message: z.string() }),
      }),
    ]),
  })
  .describe('Words, or a code with words. Section 7 shows no body but that of a 429.');

export const rateLimited = z
  .strictObject({ detail: z.string().describe('A message with a wait time in seconds.') })
  .describe('Section 7.');
