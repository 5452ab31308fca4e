import { z } from 'zod';

/** Of 32 random bytes about 30 differ; fewer than this are all zero, or a pattern that was repeated. */
const LEAST_DIFFERENT_BYTES = 20;

/** 32 bytes, base64. */
export const secretKey = z
  .base64()
  .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
  .refine((bytes) => bytes.length === 32 && new Set(bytes).size >= LEAST_DIFFERENT_BYTES);

export const telegramId = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().positive());

/** An address without slashes at its end. */
export function address(accepts: (url: URL) => boolean) {
  return z
    .string()
    .refine((text) => URL.canParse(text) && accepts(new URL(text)))
    .transform((text) => text.replace(/\/+$/, ''));
}

/** Separated by commas. */
export function listOf<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
}

/** Only where nobody can listen in may secrets go over plain http. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

/** Nothing but scheme, host, port and path. */
export function isBare(url: URL): boolean {
  return !url.username && !url.password && !url.search && !url.hash;
}
