import type { Api } from 'grammy';

/** grammY's types ask for the signal of a polyfill; it takes the platform's as well. */
export function forGrammy(signal: AbortSignal) {
  return signal as NonNullable<Parameters<Api['deleteWebhook']>[1]>;
}
