import { setTimeout as delay } from 'node:timers/promises';
import type { InlineKeyboardButton } from 'grammy/types';
import type { Links } from '../accounts/links.ts';
import type { People } from '../accounts/people.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';
import type { Turns } from '../storage/turns.ts';
import type { Copier } from '../telegram/copier.ts';
import type { Outgoing } from '../telegram/outgoing.ts';
import type { Sender } from '../telegram/sender.ts';
import type { Language, Texts } from '../texts/texts.ts';
import { createReadAudience } from './audience.ts';
import { type Broadcast, isEnded } from './broadcast.ts';
import { createBroadcastStore } from './broadcast-store.ts';
import type { Broadcasts } from './broadcasts.ts';
import { createBulkPace, durationMs } from './bulk-pace.ts';
import { createControl } from './control.ts';
import { createCount } from './count.ts';
import { createBroadcastDrafts } from './drafts.ts';
import { createGather } from './gather.ts';
import { createHear, type Wait } from './halts.ts';
import { createProgress } from './progress.ts';
import { progressView } from './progress-view.ts';
import { createRunner } from './runner.ts';
import { createSendAll } from './send-all.ts';
import { createPrepareCopy } from './send-one.ts';
import { createSendPutOff } from './send-put-off.ts';

/** How often what is under way or due is looked at, in milliseconds. */
const RUN_MS = 2_000;
const SCHEDULED = 200;

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
  /** Tells all admins that an old record of a broadcast was put back and refused; the same once. */
  tellReplayed: (broadcast: Broadcast) => Promise<unknown>;
  runMs: number | undefined;
  /** Time passes by it; by the clock of the wall unless said. */
  wait: Wait | undefined;
  now: () => number;
  log: Log;
}): Broadcasts & { close(): Promise<void> } {
  const { jobs, admins, runMs, wait = delay, now } = deps;
  const continuity = () => deps.storage.continuity();
  const store = createBroadcastStore(deps);
  const readAudience = createReadAudience(deps);
  const pace = createBulkPace(deps);
  const prepareCopy = createPrepareCopy(deps);
  const isAdmin = (user: number) => admins.has(user);
  const hear = createHear({ ...deps, store, isAdmin });
  const view: Broadcasts['view'] = (words, broadcast) => progressView(words, broadcast, now());
  const progress = createProgress({ ...deps, view, wait });
  const runner = createRunner({
    ...{ ...deps, store, hear, progress, continuity },
    gather: createGather({ store, readAudience, hear }),
    sendAll: createSendAll({ ...deps, store, prepareCopy, pace, hear, wait }),
    sendPutOff: createSendPutOff({ ...deps, store, prepareCopy, pace, hear, wait }),
  });
  jobs.every('broadcasts', runMs ?? RUN_MS, runner.run);

  const found = async (ids: readonly string[], is: (broadcast: Broadcast) => boolean) => {
    const held = await Promise.all(ids.map(store.find));
    return held.flatMap((one) => one?.broadcast ?? []).filter(is);
  };

  return {
    drafts: createBroadcastDrafts(deps),
    count: createCount({ readAudience, now }),
    durationMs,
    ...createControl({
      ...{ store, progress, isAdmin, wait, now },
      epoch: async () => (await continuity()).epoch,
    }),
    find: async (id) => (await store.find(id))?.broadcast,
    async active() {
      const id = await store.active();
      const [broadcast] = id === undefined ? [] : await found([id], (one) => !isEnded(one));
      return broadcast;
    },
    scheduled: async () =>
      found(await store.scheduled(Number.MAX_VALUE, SCHEDULED), ({ state }) => state === 'scheduled'),
    ended: async (limit) => found(await store.latest(limit), isEnded),
    view,
    shownIn: progress.shownIn,
    close: runner.close,
  };
}
