import { createHash } from 'node:crypto';
import type { Broadcast } from '../broadcasts/broadcast.ts';
import type { ContinuityLoss } from '../operations/continuity.ts';
import type { Operation } from '../operations/operation.ts';
import type { Leases } from '../platform/leases.ts';
import { tagOf } from '../platform/storage.ts';
import type { BroadcastNews, OperatorNews } from './kinds.ts';
import type { Outbox } from './outbox.ts';

/** Length of the time window in which the same system alert is sent once, in milliseconds. */
const ALERT_WINDOW_MS = 10 * 60_000;
/** Time during which further messages of a user with the operator's key cause no alert, in milliseconds. */
const KEY_ALERT_PAUSE_MS = 60 * 60_000;

type AdminNews = 'data-lost' | 'continuity-unproved' | 'guests-full';

/** Creates functions that send alerts to all admins. */
export function createAdminNews(deps: {
  leases: Leases;
  outbox: Pick<Outbox, 'add'>;
  admins: ReadonlySet<number>;
  now: () => number;
}) {
  const { leases, outbox, admins, now } = deps;
  const tell = (key: AdminNews) => {
    // Calls within one time window get the same id, so that a retry or another replica causes no duplicates.
    const id = `${key}:${Math.floor(now() / ALERT_WINDOW_MS)}`;
    return Promise.all([...admins].map((chat) => outbox.add({ kind: 'house', id, chat, data: { key } })));
  };
  /**
   * Notifies admins of a change to the operator's account. Calls with the same `id` notify once. `except` is the admin
   * who made the change.
   */
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
    /** Reports unreadable records. `id` identifies the set of records; calls with the same `id` notify once. */
    recordsUnreadable: ({ id, ...about }: { id: string; detail: string; told: 'yes' | 'no' }) => {
      const data = { key: 'records-unreadable', ...about } as const;
      return Promise.all(
        [...admins].map((chat) => outbox.add({ kind: 'house', id: `unreadable:${id}`, chat, data })),
      );
    },
    continuityLost: (loss: ContinuityLoss) => tell(loss === 'lost' ? 'data-lost' : 'continuity-unproved'),
    /** Notifies admins of a broadcast's result, or of the reason why it is paused. */
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
    /** Notifies all admins except the one who turned maintenance on or off. */
    maintenance: ({ turn, admin, id }: { turn: 'on' | 'off'; admin: number; id: string }) => {
      const data = { key: `maintenance-news-${turn}`, admin } as const;
      const others = [...admins].filter((chat) => chat !== admin);
      return Promise.all(
        others.map((chat) => outbox.add({ kind: 'house', id: `maintenance-${turn}:${id}`, chat, data })),
      );
    },
    guestsFull: () =>
      leases.withLease('guests-full-told', () => tell('guests-full'), { keptMs: ALERT_WINDOW_MS }),
    ofOperator,
    /** Notifies admins that a user who isn't an admin has sent the operator's API key. */
    operatorKeySent(by: number) {
      const at = now();
      return leases.withLease(
        `told-of-key:{${by}}`,
        () => ofOperator(`key:${by}:${at}`, { what: 'key', by, at }),
        {
          keptMs: KEY_ALERT_PAUSE_MS,
        },
      );
    },
  };
}

export type TellAdmins = ReturnType<typeof createAdminNews>;

type Outcome = Extract<OperatorNews, { what: 'used' }>['outcome'];

/**
 * Notifies all admins of the outcome of an operation that one of them confirmed on the operator's account. A later,
 * different outcome causes another notification.
 */
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

/**
 * Maximum number of users to notify. If more are affected, the operator has changed something: then only admins are
 * notified.
 */
const MAX_NOTIFIED_USERS = 200;

/** Kinds of records whose loss affects their user, by the prefix of their keys. */
const CONCERNING = new Map([
  ['operation', 'operation'],
  ['invoice', 'invoice'],
  ['link', 'link'],
] as const);

/** Reporter of stored records that can't be read: of another version, under another secret, or changed from outside. */
interface UnreadableRecords {
  /** Adds the key of an unreadable record to the next report. */
  add(key: string): void;
  /**
   * Notifies admins of all records added since the last report, and users of their own records. Rejects on failure; the
   * next call reports the same records again.
   */
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
