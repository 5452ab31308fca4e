import type { Update } from 'grammy/types';

/**
 * What became of an update that was handed over.
 *
 * - `done`: it is handled, or never will be; Telegram can forget it.
 * - `busy`: its chat is being worked on elsewhere; worth another try soon.
 * - `failed`: it wasn't handled; worth another try, not before `afterMs` where Telegram asked to wait.
 */
export type Received = { kind: 'done' } | { kind: 'busy' } | { kind: 'failed'; afterMs?: number };

/** Hands an update to the bot. */
export type Receive = (update: Update) => Promise<Received>;
