import { createHash } from 'node:crypto';
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
  /** To be sent a second time, after an unclear delivery. */
  isSecond: z.boolean().optional(),
  /** Sent a second time, after a crash or an unclear delivery. No timer sends it a third time. */
  isRetold: z.boolean().optional(),
  /** It may have been told before, and is said to be so. */
  isAgain: z.boolean().optional(),
});

export type Notice = z.infer<typeof noticeSchema>;

/** By which it is known in its chat. Ids are the service's words, in part: a hash of what is long or odd. */
export function nameOf({ kind, account, id }: Notice): string {
  const name = `${kind}:${account ?? ''}:${id}`;
  return /^[\w.:,#-]{1,120}$/.test(name) ? name : createHash('sha256').update(name).digest('base64url');
}
