import { createHmac } from 'node:crypto';
import { request } from 'undici';

export interface Delivery {
  url: string;
  secret: string;
  /** Raw body, as signed and sent. */
  body: string;
  timeoutMs: number;
  /** Aborts the attempt. */
  signal: AbortSignal;
}

/** Makes one attempt. Returns the HTTP status, or 0 if there was no response. Doesn't follow redirects. */
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
      // Uses a new connection. A reused one that the receiver has just closed would look like a failure.
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

/** Returns the lower-case hex HMAC-SHA256 of the raw body. */
function sign(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
