import type { Update } from 'grammy/types';

/**
 * Result of handling an update.
 *
 * - `done`: handled, or never to be handled. Can be confirmed to Telegram.
 * - `busy`: another update of the chat is being handled elsewhere. To be retried soon.
 * - `failed`: not handled. To be retried, after `afterMs` if Telegram asked to wait.
 */
export type Received = { kind: 'done' } | { kind: 'busy' } | { kind: 'failed'; afterMs?: number };

/** Passes an update to the bot. */
export type Receive = (update: Update) => Promise<Received>;
