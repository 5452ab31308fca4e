import type { BotContext } from './context.ts';

/**
 * Data that an update is known to need when it arrives. It is read together with the update's transaction, and only
 * once.
 */
export interface ReadAhead<T> {
  /**
   * Starts to read. Called again if the update had to wait for its chat, so that it sees the changes made before it.
   */
  begin(ctx: BotContext, argument: string): void;
  /** Returns what was read ahead, or reads it now. */
  of(ctx: BotContext, argument: string): Promise<T>;
}

/**
 * @example
 * const gate = readAhead(() => paymentsGate.closed());
 * return { name: 'energy', ahead: { open: gate.begin }, open: async (ctx) => say(await gate.of(ctx, '')) };
 */
export function readAhead<T>(read: (ctx: BotContext, argument: string) => Promise<T>): ReadAhead<T> {
  const begun = new WeakMap<BotContext, Promise<T>>();
  return {
    begin(ctx, argument) {
      const reading = read(ctx, argument);
      // Callers of `of` get the error.
      reading.catch(() => undefined);
      begun.set(ctx, reading);
    },
    of: (ctx, argument) => begun.get(ctx) ?? read(ctx, argument),
  };
}
