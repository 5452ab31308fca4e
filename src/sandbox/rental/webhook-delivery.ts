import { createHmac } from 'node:crypto';
import { request } from 'undici';

export interface Delivery {
  url: string;
  secret: string;
  /** Sent, and signed, byte for byte. */
  body: string;
  timeoutMs: number;
  /** Ends the attempt early. */
  signal: AbortSignal;
}

/** Makes one attempt; answers the receiver's HTTP status, or 0 when there was no answer. Redirects aren't followed. */
export async function deliver({ url, secret, body, timeoutMs, signal }: Delivery): Promise<number> {
  const attempt = new AbortController();
  const end = () => attempt.abort();
  const timeout = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-signature': sign(secret, body) },
      body,
      // A connection of its own: a kept one that the receiver has just closed would look like a failure.
      reset: true,
      signal: attempt.signal,
    });
    await response.body.dump().catch(() => undefined);
    return response.statusCode;
  } catch {
    return 0;
  } finally {
    clearTimeout(timeout);
    signal.removeEventListener('abort', end);
  }
}

/** Lower-case hex HMAC-SHA256 of the raw body. */
function sign(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
