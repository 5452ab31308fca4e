import type { BotContext } from './context.ts';

/** What an update is known to need as soon as it comes in: read in one go with its beginning, and not again. */
export interface ReadAhead<T> {
  /** Begins to read. An update that has to wait for its chat begins again, so that it sees what was changed before it. */
  begin(ctx: BotContext, argument: string): void;
  /** What was read, or is read now. */
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
      // Whoever asks for it hears that it failed.
      reading.catch(() => undefined);
      begun.set(ctx, reading);
    },
    of: (ctx, argument) => begun.get(ctx) ?? read(ctx, argument),
  };
}
