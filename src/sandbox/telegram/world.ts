import type { Clock } from '../clock.ts';
import { type Chats, type Crowd, createChats, createCrowd } from './chats.ts';
import { createFiles, type Files } from './media.ts';
import { createPace, type Limits, type Pace } from './pace.ts';
import { BOT, type Person } from './people.ts';
import { createProfile, type Profile } from './profile.ts';
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
  readonly pace: Pace;
  readonly profile: Profile;
  /** Empties chats, update queue, shared links and crowd. Keeps the bot's settings (webhook, commands). Ids don't restart. */
  reset(): void;
  /** Ends polls and deliveries. */
  stop(): void;
  /** Aborted by `stop`. */
  readonly stopped: AbortSignal;
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
  const crowd = createCrowd({ taken: [BOT.id, ...people.map(({ id }) => id)] });
  const chats = createChats({ people, now, feed, crowd });
  const updates = createUpdates({ now, firstId: FIRST_UPDATE_ID });
  const polling = createPolling({ updates, clock });
  const delivery = createDelivery({ updates, clock, answered });
  const callbacks = createCallbacks({ now });
  const pace = createPace({ limits, now });
  const shares = createShares({ feed });
  const stopped = new AbortController();
  return {
    stopped: stopped.signal,
    ...{ clock, people, feed, chats, crowd, updates, polling, delivery, callbacks, pace, shares },
    files: createFiles(),
    profile: createProfile(),
    reset() {
      updates.clear();
      callbacks.reset();
      pace.reset();
      shares.reset();
      chats.reset();
      crowd.reset();
    },
    stop() {
      stopped.abort();
      polling.stop();
      delivery.stop();
    },
  };
}
