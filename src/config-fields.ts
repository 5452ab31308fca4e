import { z } from 'zod';

/**
 * Minimum number of different bytes in a key. Of 32 random bytes about 30 differ; fewer suggest zeros or a repeated
 * pattern.
 */
const LEAST_DIFFERENT_BYTES = 20;

/** Schema of a key: 32 bytes in base64. */
export const secretKey = z
  .base64()
  .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
  .refine((bytes) => bytes.length === 32 && new Set(bytes).size >= LEAST_DIFFERENT_BYTES);

export const telegramId = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().positive());

/** Returns a schema of accepted URLs. Removes trailing slashes. */
export function address(accepts: (url: URL) => boolean) {
  return z
    .string()
    .refine((text) => URL.canParse(text) && accepts(new URL(text)))
    .transform((text) => text.replace(/\/+$/, ''));
}

/** Returns a schema of a comma-separated list. */
export function listOf<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
}

/** Returns whether secrets may be sent to this URL: https, or plain http on loopback only. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

/** Returns whether the URL has only scheme, host, port and path. */
export function isBare(url: URL): boolean {
  return !url.username && !url.password && !url.search && !url.hash;
}
