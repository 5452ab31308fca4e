import type { Clock } from '../clock.ts';
import { type Chats, type Crowd, createChats, createCrowd } from './chats.ts';
import { createFiles, type Files } from './media.ts';
import { BOT, type Person } from './people.ts';
import { createProfile, type Profile } from './profile.ts';
import { createRateLimiter, type Limits, type RateLimiter } from './rate-limiter.ts';
import { createShares, type Shares } from './shares.ts';
import {
  type Callbacks,
  createCallbacks,
  createDelivery,
  createFeed,
  createPolling,
  createUpdates,
  type Delivery,
  type Feed,
  type Polling,
  type Updates,
} from './updates.ts';

/** State of the simulated Telegram. */
export interface World {
  readonly clock: Clock;
  readonly people: readonly Person[];
  readonly feed: Feed;
  readonly chats: Chats;
  readonly crowd: Crowd;
  readonly updates: Updates;
  readonly polling: Polling;
  readonly delivery: Delivery;
  readonly callbacks: Callbacks;
  readonly files: Files;
  readonly shares: Shares;
  readonly rateLimiter: RateLimiter;
  readonly profile: Profile;
  /** Empties chats, update queue, shared links and crowd. Keeps the bot's settings (webhook, commands). Ids don't restart. */
  reset(): void;
  /** Ends polls and deliveries. */
  stop(): void;
  /** Aborted by `stop`. */
  readonly stopSignal: AbortSignal;
}

const FIRST_UPDATE_ID = 100_001;

export function createWorld({
  clock,
  people,
  limits,
  answered,
}: {
  clock: Clock;
  people: readonly Person[];
  limits: Limits | false;
  answered: (body: string) => void;
}): World {
  const now = () => clock.now();
  const feed = createFeed();
  const crowd = createCrowd({ reservedIds: [BOT.id, ...people.map(({ id }) => id)] });
  const chats = createChats({ people, now, feed, crowd });
  const updates = createUpdates({ now, firstId: FIRST_UPDATE_ID });
  const polling = createPolling({ updates, clock });
  const delivery = createDelivery({ updates, clock, answered });
  const callbacks = createCallbacks({ now });
  const rateLimiter = createRateLimiter({ limits, now });
  const shares = createShares({ feed });
  const stopController = new AbortController();
  return {
    stopSignal: stopController.signal,
    clock,
    people,
    feed,
    chats,
    crowd,
    updates,
    polling,
    delivery,
    callbacks,
    rateLimiter,
    shares,
    files: createFiles(),
    profile: createProfile(),
    reset() {
      updates.clear();
      callbacks.reset();
      rateLimiter.reset();
      shares.reset();
      chats.reset();
      crowd.reset();
    },
    stop() {
      stopController.abort();
      polling.stop();
      delivery.stop();
    },
  };
}
