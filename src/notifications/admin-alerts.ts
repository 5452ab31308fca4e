import { createHash } from 'node:crypto';
import type { Broadcast } from '../broadcasts/store.ts';
import type { Operation } from '../operations/operation.ts';
import type { ContinuityLoss } from '../operations/payments-gate.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import { tagOf } from '../platform/storage.ts';
import { keyOf, kindOf } from '../platform/stored-data.ts';
import type { BroadcastReport, NotificationContent, OperatorAccountChange } from './kinds.ts';
import type { Outbox } from './outbox.ts';

/** Length of the time window in which the same system alert is sent once, in milliseconds. */
const ALERT_WINDOW_MS = 10 * 60_000;
/** Time during which further messages of a user with the operator's key cause no alert, in milliseconds. */
const KEY_ALERT_PAUSE_MS = 60 * 60_000;

/** Lease that is retained after an alert, so that the next one follows ten minutes later at the earliest. */
export const GUEST_LIMIT_ALERT = defineLease({
  keys: 'guest-limit-alert',
  content: 'Admins were notified that guests reached their limit',
  expiry: '10 minutes',
});
/** Lease that is retained after an alert, so that a user causes at most one in an hour. */
export const OPERATOR_KEY_ALERT = defineLease({
  keys: 'key-alert:{user}',
  content: 'Admins were notified that this user sent a key of the operator account',
  expiry: '1 hour',
  retained: { own: 'kept-limits' },
});

type OperatorAccountUse = Extract<OperatorAccountChange, { what: 'used' }>;

/** Creates functions that alert all admins. */
export function createAdminAlerts({
  leases,
  outbox,
  admins,
  now,
}: {
  leases: Leases;
  outbox: Pick<Outbox, 'add'>;
  admins: ReadonlySet<number>;
  now: () => number;
}) {
  /** Notifies all admins except `except`. Calls with the same `id` notify once. */
  const notifyAdmins = (
    notification: Extract<NotificationContent, { kind: 'system-alert' | 'operator' | 'broadcast' }>,
    { except }: { except?: number } = {},
  ) =>
    Promise.all(
      [...admins].filter((chat) => chat !== except).map((chat) => outbox.add({ ...notification, chat })),
    );

  function alertOncePerWindow(key: 'data-lost' | 'continuity-unproved' | 'guests-full') {
    // Calls within one time window get the same id, so that a retry or another replica causes no duplicates.
    const id = `${key}:${Math.floor(now() / ALERT_WINDOW_MS)}`;
    return notifyAdmins({ kind: 'system-alert', id, data: { key } });
  }

  /**
   * Reports a change to the operator's account. Calls with the same `id` notify once. `except` is the admin who made the
   * change.
   */
  const operatorAccountChanged = (
    id: string,
    data: OperatorAccountChange,
    { except }: { except?: number } = {},
  ) => notifyAdmins({ kind: 'operator', id, data }, except === undefined ? {} : { except });

  function reportBroadcast(
    id: string,
    { total, ...broadcast }: Broadcast,
    report: Omit<BroadcastReport, 'id' | 'total' | 'counts'>,
  ) {
    const { sent, blocked, deactivated, unreachable, failed, unknown, skipped } = broadcast;
    const counts = { sent, blocked, deactivated, unreachable, failed, unknown, skipped };
    return notifyAdmins({ kind: 'broadcast', id, data: { id: broadcast.id, total, counts, ...report } });
  }

  return {
    /** Reports unreadable records. `id` identifies the set of records; calls with the same `id` notify once. */
    recordsUnreadable: ({ id, ...about }: { id: string; detail: string; areUsersNotified: boolean }) =>
      notifyAdmins({
        kind: 'system-alert',
        id: `unreadable:${id}`,
        data: { key: 'records-unreadable', ...about },
      }),
    continuityLost: (loss: ContinuityLoss) =>
      alertOncePerWindow(loss === 'lost' ? 'data-lost' : 'continuity-unproved'),
    /** Reports a broadcast's result, or the reason why it is paused. */
    broadcastChanged(broadcast: Broadcast) {
      const { id, state, pause, begunAt, endedAt } = broadcast;
      return reportBroadcast(`${id}:${state}:${pause?.at ?? endedAt}`, broadcast, {
        state: state as 'done' | 'stopped' | 'missed' | 'paused',
        ...(pause && { why: pause.why }),
        ...(begunAt !== undefined && endedAt !== undefined && { ms: endedAt - begunAt }),
      });
    },
    /** Reports that an old record of an ended broadcast was put back and refused, once for each broadcast. */
    broadcastReplayed: (broadcast: Broadcast) =>
      reportBroadcast(`${broadcast.id}:replayed`, broadcast, { state: 'replayed' }),
    /** Notifies all admins except the one who turned maintenance on or off. */
    maintenanceChanged: ({ turn, admin, id }: { turn: 'on' | 'off'; admin: number; id: string }) =>
      notifyAdmins(
        {
          kind: 'system-alert',
          id: `maintenance-${turn}:${id}`,
          data: { key: `maintenance-news-${turn}`, admin },
        },
        { except: admin },
      ),
    guestLimitReached: () =>
      leases.withLease(keyOf(GUEST_LIMIT_ALERT.keys, {}), () => alertOncePerWindow('guests-full'), {
        keptMs: ALERT_WINDOW_MS,
      }),
    operatorAccountChanged,
    /** Reports that a user who isn't an admin has sent the operator's API key. */
    operatorKeySent(by: number) {
      const at = now();
      return leases.withLease(
        keyOf(OPERATOR_KEY_ALERT.keys, { user: by }),
        () => operatorAccountChanged(`key:${by}:${at}`, { what: 'key', by, at }),
        { keptMs: KEY_ALERT_PAUSE_MS },
      );
    },
    /**
     * Reports the outcome of an operation that an admin confirmed on the operator's account. Does nothing for other
     * operations. A later, different outcome causes another notification.
     */
    async operatorAccountUsed({ user, id, request, operators, state, result, estimate }: Operation) {
      const outcome = outcomeOf(state, result);
      if (!operators || outcome === undefined) return;
      const trx = result?.price ?? estimate;
      const price = trx !== undefined && { trx };
      const data: OperatorAccountUse = { what: 'used', by: user, id, request, outcome, ...price };
      await operatorAccountChanged(`used:${user}:${id}:${outcome}`, data);
    },
  };
}

export type AdminAlerts = ReturnType<typeof createAdminAlerts>;

function outcomeOf(
  state: Operation['state'],
  result: Operation['result'],
): OperatorAccountUse['outcome'] | undefined {
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

/** Kinds of records whose loss affects their user, by the first part of their keys. */
const AFFECTING_USERS = new Map<string, 'operation' | 'invoice' | 'link'>([
  ['operation', 'operation'],
  ['invoice', 'invoice'],
  ['link', 'link'],
]);

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
  adminAlerts: Pick<AdminAlerts, 'recordsUnreadable'>;
}): UnreadableRecords {
  const { outbox, adminAlerts } = deps;
  let found = new Set<string>();

  async function notifyUsers(keys: readonly string[]): Promise<boolean> {
    const notifications = keys.flatMap((key) => {
      const what = AFFECTING_USERS.get(kindOf(key));
      const chat = Number(tagOf(key));
      return what && Number.isSafeInteger(chat)
        ? [{ chat, data: { what, id: key.split(':')[2] ?? '' } }]
        : [];
    });
    if (new Set(notifications.map(({ chat }) => chat)).size > MAX_NOTIFIED_USERS) return false;
    for (const { chat, data } of notifications)
      await outbox.add({ kind: 'unreadable-record', id: `${data.what}:${data.id}`, chat, data });
    return true;
  }

  return {
    add: (key) => void found.add(key),
    async report() {
      if (found.size === 0) return;
      const keys = [...found].sort();
      const areUsersNotified = await notifyUsers(keys);
      await adminAlerts.recordsUnreadable({
        id: createHash('sha256').update(keys.join()).digest('base64url'),
        detail: countsOf(keys),
        areUsersNotified,
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
