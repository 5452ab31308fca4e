import { z } from 'zod';
import { printable } from './printable.ts';

const MAX_MESSAGE = 300;

/** Error body in both shapes: `{"detail":"text"}` and `{"detail":{"error":{"code","message"}}}`. */
const ErrorBody = z.object({
  detail: z.union([
    z.string().transform((message) => ({ code: undefined, message })),
    z
      .object({ error: z.object({ code: z.string().optional(), message: z.string().optional() }) })
      .transform(({ error }) => error),
  ]),
});

export interface Rejection {
  code: string;
  message: string;
  /** Wait that the message states (section 7), in milliseconds. */
  retryAfterMs: number | undefined;
}

/** Reads code and message of a refusal. `body` is parsed JSON or `undefined`. The result contains none of `secrets`. */
export function readRejection(status: number, body: unknown, secrets: string[]): Rejection {
  const { code, message = '' } = ErrorBody.safeParse(body).data?.detail ?? {};
  // Removes secrets before shortening. Otherwise a part of a cut secret would remain.
  const words = printable(
    secrets.reduce((text, secret) => text.replaceAll(secret, '…'), withoutUnseen(message)),
    MAX_MESSAGE,
  );
  const isCode = code !== undefined && /^\w{1,64}$/.test(code) && !secrets.some((one) => code.includes(one));
  return {
    code: isCode ? code : `HTTP_${status}`,
    message: words === '' ? `the service answered ${status}` : words,
    retryAfterMs: readWait(words),
  };
}

function withoutUnseen(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim();
}

/** `Rate limit exceeded. Try again in 12 seconds` → 12,000. */
function readWait(words: string): number | undefined {
  const [, seconds] = /(\d{1,5}(?:\.\d{1,3})?)\s*s(?:ec(?:ond)?s?)?\b/i.exec(words) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
