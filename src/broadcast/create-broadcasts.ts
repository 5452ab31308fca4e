import { setTimeout as delay } from 'node:timers/promises';
import type { InlineKeyboardButton } from 'grammy/types';
import type { Links } from '../accounts/links.ts';
import type { People } from '../accounts/people.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import { untilWritten } from '../storage/contention.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';
import type { Turns } from '../storage/turns.ts';
import type { Copier } from '../telegram/copier.ts';
import type { Outgoing } from '../telegram/outgoing.ts';
import type { Sender } from '../telegram/sender.ts';
import type { Language, Texts } from '../texts/texts.ts';
import { createReadAudience } from './audience.ts';
import { type Broadcast, type Contents, isEnded } from './broadcast.ts';
import { createBroadcastStore, type Held } from './broadcast-store.ts';
import type { Broadcasts } from './broadcasts.ts';
import { createBulkPace } from './bulk-pace.ts';
import { createCount } from './count.ts';
import { type BroadcastDraft, createBroadcastDrafts } from './drafts.ts';
import { createGather } from './gather.ts';
import { createHear, type Wait } from './halts.ts';
import { createProgress } from './progress.ts';
import { durationMs, progressView } from './progress-view.ts';
import { createRunner } from './runner.ts';
import { createSendAll } from './send-all.ts';
import { createSendOne } from './send-one.ts';
import { createSendPutOff } from './send-put-off.ts';

/** How often what is under way or due is looked at, in milliseconds. */
const RUN_MS = 1_000;
/** Whoever is at it hears a wish within a second, mostly. */
const HEARD_WITHIN_MS = 2_000;
const LOOK_MS = 50;
const TEST_WITHIN_MS = 3_000;
const SCHEDULED = 200;
const NOTHING_YET = {
  ...{ total: 0, settled: 0, sent: 0, blocked: 0, deactivated: 0, unreachable: 0, failed: 0 },
  ...{ unknown: 0, skipped: 0, putOff: [], objections: 0, retaken: 0, sendingMs: 0 },
};

/** Call before jobs start. */
export function createBroadcasts(deps: {
  storage: Storage;
  records: SignedRecords;
  turns: Turns;
  jobs: Jobs;
  people: People;
  links: Pick<Links, 'find'>;
  sender: Sender;
  copier: Copier;
  outgoing: Pick<Outgoing, 'fewerFrom'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  /** The way to opt out, below each copy. */
  optOut: (language: Language) => InlineKeyboardButton[];
  /** Tells all admins how one came out, or why it is held up; the same once. */
  tell: (broadcast: Broadcast) => Promise<unknown>;
  runMs: number | undefined;
  /** Time passes by it; by the clock of the wall unless said. */
  wait: Wait | undefined;
  now: () => number;
  log: Log;
}): Broadcasts & { close(): Promise<void> } {
  const { jobs, admins, runMs, wait = delay, now } = deps;
  const store = createBroadcastStore(deps);
  const readAudience = createReadAudience(deps);
  const pace = createBulkPace(deps);
  const sendOne = createSendOne(deps);
  const isAdmin = (user: number) => admins.has(user);
  const hear = createHear({ store, isAdmin });
  const view: Broadcasts['view'] = (words, broadcast) => progressView(words, broadcast, now());
  const progress = createProgress({ ...deps, view, wait });
  const runner = createRunner({
    ...{ ...deps, store, hear, progress },
    gather: createGather({ store, readAudience, hear }),
    sendAll: createSendAll({ ...deps, store, sendOne, pace, hear, wait }),
    sendPutOff: createSendPutOff({ ...deps, store, sendOne, pace, hear, wait }),
  });
  jobs.every('broadcasts', runMs ?? RUN_MS, runner.run);

  const found = async (ids: readonly string[]) => {
    const held = await Promise.all(ids.map(store.find));
    return held.flatMap((one) => one?.broadcast ?? []);
  };

  /** Changes a record that nobody is at; answers whether it did. `to`: `undefined` where there is nothing to change. */
  const change = (id: string, to: (broadcast: Broadcast) => Partial<Broadcast> | undefined) =>
    untilWritten(async () => {
      const held = await store.find(id);
      const changes = held && to(held.broadcast);
      if (held === undefined || changes === undefined) return false;
      return (await store.replace(held, changes)) ? true : undefined;
    });

  /** Has whoever is at it do so, and waits a little for that; what they don't come to is done by the next. */
  async function wish(held: Held, wished: 'pause' | 'stop', by: number): Promise<boolean> {
    const { id } = held.broadcast;
    await store.wish(id, { wish: wished, by });
    // Whoever lost which one is under way finds it again.
    await store.activate(id);
    for (let waited = 0; waited < HEARD_WITHIN_MS; waited += LOOK_MS) {
      const present = (await store.find(id))?.broadcast;
      if (present === undefined || isEnded(present)) return present?.state === 'stopped';
      if (present.state === 'paused') break;
      await wait(LOOK_MS);
    }
    return true;
  }

  /** What is under way besides this one; a test, which takes a moment, is waited for. */
  async function anotherThan(id: string): Promise<string | undefined> {
    for (let waited = 0; ; waited += LOOK_MS) {
      const active = await store.active();
      if (active === undefined || active === id) return undefined;
      const broadcast = (await store.find(active))?.broadcast;
      // Of one that nobody can read nothing comes: it is in nobody's way.
      if (broadcast === undefined) await store.ended({ id: active, endedAt: now() });
      const isTest = broadcast === undefined || broadcast.audience.who === 'me';
      if (!isTest || waited >= TEST_WITHIN_MS) return active;
      await wait(LOOK_MS);
    }
  }

  function broadcastOf({ id, admin, contents, audience, at }: BroadcastDraft): Broadcast {
    if (contents.default === undefined || audience === undefined)
      throw new Error('a draft is to be whole before it is begun');
    return {
      ...{ id, admin, audience, ...NOTHING_YET },
      contents: contents as Contents,
      state: at === undefined ? 'gathering' : 'scheduled',
      ...{ createdAt: now(), startAt: at ?? now() },
    };
  }

  return {
    drafts: createBroadcastDrafts(deps),
    count: createCount({ readAudience, now }),
    durationMs,
    async start(draft) {
      const known = (await store.find(draft.id))?.broadcast;
      const broadcast = known ?? broadcastOf(draft);
      const { id, state, startAt } = broadcast;
      if (isEnded(broadcast)) return 'started';
      const active = await anotherThan(id);
      if (state !== 'scheduled' && active !== undefined) return 'busy';
      // There before it is due or under way: of one that is and isn't there nothing can come.
      if (known === undefined) await store.add(broadcast);
      if (state === 'scheduled') await store.schedule(id, startAt);
      return state === 'scheduled' ? 'scheduled' : (await store.activate(id)) ? 'started' : 'busy';
    },
    async pause(id, admin) {
      const held = await store.find(id);
      const isGoing = held?.broadcast.state === 'gathering' || held?.broadcast.state === 'sending';
      return held !== undefined && isGoing && wish(held, 'pause', admin);
    },
    async resume(id, admin) {
      if (!(await store.unwish(id))) return false;
      await store.activate(id);
      return change(id, (broadcast) =>
        broadcast.state === 'paused'
          ? {
              state: broadcast.begunAt === undefined ? 'gathering' : 'sending',
              pause: undefined,
              admin: isAdmin(broadcast.admin) ? broadcast.admin : admin,
            }
          : undefined,
      );
    },
    async stop(id, admin) {
      const held = await store.find(id);
      if (held === undefined || isEnded(held.broadcast)) return false;
      if (held.broadcast.state !== 'scheduled') return wish(held, 'stop', admin);
      const endedAt = now();
      const isStopped = await change(id, ({ state }) =>
        state === 'scheduled' ? { state: 'stopped', endedAt } : undefined,
      );
      if (!isStopped) return false;
      await store.ended({ id, endedAt });
      await progress.settled({ ...held.broadcast, state: 'stopped', endedAt });
      return true;
    },
    find: async (id) => (await store.find(id))?.broadcast,
    async active() {
      const id = await store.active();
      return id === undefined ? undefined : (await store.find(id))?.broadcast;
    },
    scheduled: async () => found(await store.scheduled(Number.MAX_VALUE, SCHEDULED)),
    ended: async (limit) => found(await store.latest(limit)),
    view,
    shownIn: progress.shownIn,
    close: runner.close,
  };
}
