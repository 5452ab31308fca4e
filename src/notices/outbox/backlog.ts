import type { SignedRecords } from '../../storage/signed-records.ts';
import type { Storage } from '../../storage/storage.ts';
import { DUE } from './due-chats.ts';
import { noticeSchema } from './notice.ts';
import { ASIDE, keyOf, type OutboxStore, TOLD } from './outbox-store.ts';

/** Of each lane: beyond it nobody counts. */
const COUNTED = 100;
/** Of each, how many are asked for their age: those that are due the longest. */
const ASKED = 10;

/** What waits to be told: in how many chats, or in more than these, and for how long the longest. */
export interface Backlog {
  chats: number;
  isMore: boolean;
  oldestMs: number | undefined;
}

/** Looks at what waits, with few reads however much that is. */
export function createBacklog(deps: {
  storage: Pick<Storage, 'index'>;
  records: Pick<SignedRecords, 'get'>;
  store: Pick<OutboxStore, 'waiting'>;
  now: () => number;
}): () => Promise<Backlog> {
  const { storage, records, store, now } = deps;

  async function oldestIn(chat: number): Promise<number | undefined> {
    const [first] = await store.waiting(chat, 1);
    return first?.notice.at;
  }

  async function setAsideAt(member: string): Promise<number | undefined> {
    const [chat, name = ''] = member.split('/');
    const content = (await records.get(keyOf(Number(chat), name)))?.content;
    return content === undefined || content === TOLD ? undefined : noticeSchema.parse(JSON.parse(content)).at;
  }

  return async () => {
    const [aside = [], ...lanes] = await Promise.all(
      [ASIDE, ...DUE].map((each) => storage.index.upTo(each, Number.MAX_VALUE, COUNTED + 1)),
    );
    const chats = new Set([...lanes.flat(), ...aside.map((member) => member.split('/')[0] ?? '')]);
    const longestDue = new Set(lanes.flatMap((lane) => lane.slice(0, ASKED)));
    const ages = await Promise.all([
      ...[...longestDue].map((chat) => oldestIn(Number(chat))),
      ...aside.slice(0, ASKED).map(setAsideAt),
    ]);
    const since = ages.filter((at) => at !== undefined);
    return {
      chats: Math.min(chats.size, COUNTED),
      isMore: chats.size > COUNTED,
      oldestMs: since.length > 0 ? Math.max(0, now() - Math.min(...since)) : undefined,
    };
  };
}
