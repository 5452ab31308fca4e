import type { Api } from 'grammy';

/** Casts a platform signal to the polyfill's type that grammY's types require. */
export function forGrammy(signal: AbortSignal) {
  return signal as NonNullable<Parameters<Api['deleteWebhook']>[1]>;
}
