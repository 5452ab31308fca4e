import { z } from 'zod';

/** A notice as it is stored until it was told. */
export const noticeSchema = z.object({
  kind: z.string(),
  id: z.string(),
  /** It goes before what isn't about money. */
  isMoney: z.boolean(),
  /** For whom holds this account, and nobody else. */
  account: z.number().optional(),
  data: z.unknown(),
  /** Epoch milliseconds: since when it is to be told, and so its place in its chat. */
  at: z.number(),
  /** How often telling it failed. */
  tries: z.number(),
  /** Telling it got no answer: nobody knows whether it was told. */
  unclear: z.boolean().optional(),
});

export type Notice = z.infer<typeof noticeSchema>;
