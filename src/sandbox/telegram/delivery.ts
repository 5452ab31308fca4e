import { isDeepStrictEqual } from 'node:util';
import { request } from 'undici';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { QueuedUpdate, Update, Updates } from './updates.ts';

export interface Webhook {
  url: string;
  secretToken: string | undefined;
  maxConnections: number;
}

export interface Delivery {
  webhook(): Webhook | undefined;
  /** Sets or removes the webhook. Waiting updates are retried at once, also if the webhook is the same. */
  use(webhook: Webhook | undefined): void;
  /** Returns the last delivery error of this webhook and its time in epoch milliseconds. */
  lastError(): { at: number; message: string } | undefined;
  /** Stops delivering and aborts deliveries in progress. */
  stop(): void;
}

const MAX_DELAY_MS = 60_000;
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Delivers updates to the webhook as Telegram does. Updates of one chat are delivered sequentially. Taps have a lane of
 * their own, so a message and a tap of one user can arrive in parallel. Retries after 1, 2, 4 … seconds if the response
 * isn't 2xx. `answered` receives the body of a 2xx response, which may be an API call.
 */
export function createDelivery({
  updates,
  clock,
  answered,
}: {
  updates: Updates;
  clock: Clock;
  answered: (body: string) => void;
}): Delivery {
  const stopped = new AbortController();
  const failures = new WeakMap<QueuedUpdate, number>();
  /** Lanes that are delivering (undefined) or waiting for a retry (the function that cancels it). */
  let lanes = new Map<string, (() => void) | undefined>();
  let webhook: Webhook | undefined;
  let lastError: { at: number; message: string } | undefined;
  let underWay = 0;

  const pump = () => {
    if (!webhook || stopped.signal.aborted) return;
    for (const queued of updates.waiting()) {
      const lane = laneOf(queued.update);
      if (lanes.has(lane) || underWay >= webhook.maxConnections) continue;
      lanes.set(lane, undefined);
      underWay += 1;
      void deliver(webhook, queued, lane, lanes);
    }
  };

  const deliver = async (to: Webhook, queued: QueuedUpdate, lane: string, mine: typeof lanes) => {
    const problem = await post(to, queued.update, stopped.signal, answered);
    underWay -= 1;
    mine.delete(lane);
    if (problem === undefined) {
      updates.remove(queued);
    } else if (mine === lanes && !stopped.signal.aborted) {
      lastError = { at: clock.now(), message: problem };
      const failed = (failures.get(queued) ?? 0) + 1;
      failures.set(queued, failed);
      const retry = () => {
        mine.delete(lane);
        pump();
      };
      const delay = Math.min(1_000 * 2 ** (failed - 1), MAX_DELAY_MS);
      mine.set(lane, clock.at(clock.now() + delay, retry));
    }
    pump();
  };

  const cancelWaits = () => {
    for (const [lane, cancel] of lanes) {
      if (!cancel) continue;
      cancel();
      lanes.delete(lane);
    }
  };

  updates.onAdded(pump);
  return {
    webhook: () => webhook,
    use(next) {
      cancelWaits();
      if (!isDeepStrictEqual(next, webhook)) {
        lanes = new Map();
        webhook = next;
        lastError = undefined;
      }
      pump();
    },
    lastError: () => lastError,
    stop() {
      stopped.abort();
      cancelWaits();
    },
  };
}

const origin = z.looseObject({
  chat: z.looseObject({ id: z.number() }).optional(),
  from: z.looseObject({ id: z.number() }).optional(),
});

/** Returns the lane of an update: callback queries are ordered per user, other updates per chat. */
function laneOf({ update_id: _, ...update }: Update): string {
  const [kind, payload] = Object.entries(update)[0] ?? [];
  const { chat, from } = origin.safeParse(payload).data ?? {};
  return kind === 'callback_query' ? `tap ${from?.id}` : `chat ${chat?.id ?? from?.id}`;
}

/** Posts an update. Returns the error as Telegram words it, or undefined. */
async function post(
  { url, secretToken }: Webhook,
  update: Update,
  stopped: AbortSignal,
  answered: (body: string) => void,
): Promise<string | undefined> {
  try {
    const response = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secretToken !== undefined && { 'x-telegram-bot-api-secret-token': secretToken }),
      },
      body: JSON.stringify(update),
      signal: stopped,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    });
    const body = await response.body.text();
    const { statusCode, statusText } = response;
    if (statusCode < 200 || statusCode > 299)
      return `Wrong response from the webhook: ${statusCode} ${statusText}`;
    answered(body);
    return undefined;
  } catch {
    return 'Connection failed';
  }
}
