import { createHash } from 'node:crypto';
import type { Broadcast } from '../broadcasts/broadcast.ts';
import type { ContinuityLoss } from '../operations/continuity.ts';
import type { Operation } from '../operations/operation.ts';
import type { Turns } from '../platform/leases.ts';
import { tagOf } from '../platform/storage.ts';
import type { BroadcastNews, OperatorNews } from './kinds.ts';
import type { Outbox } from './outbox.ts';

/** What goes on being so is said again after this. */
const AGAIN_MS = 10 * 60_000;
/** Who sends a key of the operator's account once more within this is told of once. */
const KEY_AGAIN_MS = 60 * 60_000;

type AdminNews = 'data-lost' | 'continuity-unproved' | 'guests-full';

/** Tells every admin something of the house. */
export function createAdminNews(deps: {
  turns: Turns;
  outbox: Pick<Outbox, 'add'>;
  admins: ReadonlySet<number>;
  now: () => number;
}) {
  const { turns, outbox, admins, now } = deps;
  const tell = (key: AdminNews) => {
    // Said again within that time, by another replica or since it failed for one of them, it is the same.
    const id = `${key}:${Math.floor(now() / AGAIN_MS)}`;
    return Promise.all([...admins].map((chat) => outbox.add({ kind: 'house', id, chat, data: { key } })));
  };
  /** Of the operator's account; `id` names it: said again it is the same. `except`: whose doing it is. */
  const ofOperator = (id: string, data: OperatorNews, { except }: { except?: number } = {}) =>
    Promise.all(
      [...admins]
        .filter((chat) => chat !== except)
        .map((chat) => outbox.add({ kind: 'operator', id, chat, data })),
    );
  function ofBroadcast(
    id: string,
    { total, ...broadcast }: Broadcast,
    how: Omit<BroadcastNews, 'id' | 'total' | 'counts'>,
  ) {
    const { sent, blocked, deactivated, unreachable, failed, unknown, skipped } = broadcast;
    const counts = { sent, blocked, deactivated, unreachable, failed, unknown, skipped };
    const data = { id: broadcast.id, total, counts, ...how };
    return Promise.all([...admins].map((chat) => outbox.add({ kind: 'broadcast', id, chat, data })));
  }
  return {
    /** `id` names the records: the same are told once. */
    recordsUnreadable: ({ id, ...about }: { id: string; detail: string; told: 'yes' | 'no' }) => {
      const data = { key: 'records-unreadable', ...about } as const;
      return Promise.all(
        [...admins].map((chat) => outbox.add({ kind: 'house', id: `unreadable:${id}`, chat, data })),
      );
    },
    continuityLost: (loss: ContinuityLoss) => tell(loss === 'lost' ? 'data-lost' : 'continuity-unproved'),
    /** How a broadcast came out, or why it is held up. */
    broadcast(broadcast: Broadcast) {
      const { id, state, pause, begunAt, endedAt } = broadcast;
      return ofBroadcast(`${id}:${state}:${pause?.at ?? endedAt}`, broadcast, {
        state: state as 'done' | 'stopped' | 'missed' | 'paused',
        ...(pause && { why: pause.why }),
        ...(begunAt !== undefined && endedAt !== undefined && { ms: endedAt - begunAt }),
      });
    },
    /** Reports that an old record of an ended broadcast was put back and refused, once for each broadcast. */
    broadcastReplayed: (broadcast: Broadcast) =>
      ofBroadcast(`${broadcast.id}:replayed`, broadcast, { state: 'replayed' }),
    /** To the others: whoever turned it knows. */
    maintenance: ({ turn, admin, id }: { turn: 'on' | 'off'; admin: number; id: string }) => {
      const data = { key: `maintenance-news-${turn}`, admin } as const;
      const others = [...admins].filter((chat) => chat !== admin);
      return Promise.all(
        others.map((chat) => outbox.add({ kind: 'house', id: `maintenance-${turn}:${id}`, chat, data })),
      );
    },
    guestsFull: () => turns.take('guests-full-told', () => tell('guests-full'), { keptMs: AGAIN_MS }),
    ofOperator,
    /** Somebody who is no admin has sent a key of the operator's account. */
    operatorKeySent(by: number) {
      const at = now();
      return turns.take(`told-of-key:{${by}}`, () => ofOperator(`key:${by}:${at}`, { what: 'key', by, at }), {
        keptMs: KEY_AGAIN_MS,
      });
    },
  };
}

export type TellAdmins = ReturnType<typeof createAdminNews>;

type Outcome = Extract<OperatorNews, { what: 'used' }>['outcome'];

/** Tells all admins what one of them has confirmed on the operator's account, as it comes to an outcome, and to another. */
export function createOperatorUse({ tellAdmins }: { tellAdmins: Pick<TellAdmins, 'ofOperator'> }) {
  return async (operation: Operation): Promise<void> => {
    const { user: by, id, request, operators, result, estimate } = operation;
    const outcome = outcomeOf(operation);
    if (!operators || outcome === undefined) return;
    const trx = result?.price ?? estimate;
    const price = trx !== undefined && { trx };
    const name = `used:${by}:${id}:${outcome}`;
    await tellAdmins.ofOperator(name, { what: 'used', by, id, request, outcome, ...price });
  };
}

function outcomeOf({ state, result }: Operation): Outcome | undefined {
  switch (state) {
    case 'done':
      return result?.status === 'failed' ? 'failed' : 'done';
    case 'refused':
    case 'unknown':
    case 'likely':
    case 'closed':
      return state;
    default:
      return undefined;
  }
}

/** More users than this are concerned only if the operator changed something: then admins alone are notified. */
const MAX_NOTIFIED_USERS = 200;

/** Kinds of records whose loss a user has to know of, by the prefix of their keys. */
const CONCERNING = new Map([
  ['operation', 'operation'],
  ['invoice', 'invoice'],
  ['link', 'link'],
] as const);

/** Reports stored records that can't be read: of another version, under another secret, or changed from outside. */
interface UnreadableRecords {
  /** Remembers the key of such a record until the next report. */
  add(key: string): void;
  /** Notifies admins of all that were added since the last report, and users of their own. Rejects to be tried again. */
  report(): Promise<void>;
}

export function createUnreadableRecords(deps: {
  outbox: Pick<Outbox, 'add'>;
  tellAdmins: Pick<TellAdmins, 'recordsUnreadable'>;
}): UnreadableRecords {
  const { outbox, tellAdmins } = deps;
  let found = new Set<string>();

  async function notifyUsers(keys: readonly string[]): Promise<boolean> {
    const notices = keys.flatMap((key) => {
      const what = CONCERNING.get(kindOf(key));
      const chat = Number(tagOf(key));
      return what && Number.isSafeInteger(chat)
        ? [{ chat, data: { what, id: key.split(':')[2] ?? '' } }]
        : [];
    });
    if (new Set(notices.map(({ chat }) => chat)).size > MAX_NOTIFIED_USERS) return false;
    for (const { chat, data } of notices)
      await outbox.add({ kind: 'unreadable-record', id: `${data.what}:${data.id}`, chat, data });
    return true;
  }

  return {
    add: (key) => void found.add(key),
    async report() {
      if (found.size === 0) return;
      const keys = [...found].sort();
      const isTold = await notifyUsers(keys);
      await tellAdmins.recordsUnreadable({
        id: createHash('sha256').update(keys.join()).digest('base64url'),
        detail: countsOf(keys),
        told: isTold ? 'yes' : 'no',
      });
      found = new Set([...found].filter((key) => !keys.includes(key)));
    },
  };
}

/** `link ×1, operation ×3` */
function countsOf(keys: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(kindOf(key), (counts.get(kindOf(key)) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${kind} ×${count}`).join(', ');
}

function kindOf(key: string) {
  return key.split(':', 1)[0] as typeof CONCERNING extends Map<infer Kind, unknown> ? Kind : never;
}
