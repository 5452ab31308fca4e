import type { Users } from '../accounts/users.ts';
import type { Broadcast } from '../broadcasts/store.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Contradiction, Result } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import { orTimeout } from '../platform/async.ts';
import { HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import { createLogThrottle, type Log } from '../platform/log.ts';
import { keyOf } from '../platform/records.ts';
import type { Sender } from '../telegram/sender.ts';
import {
  type BroadcastReport,
  type HealthAlert,
  type NotificationContent,
  type NotificationKinds,
  type OperatorAccountChange,
  reportedOutcome,
} from './kinds.ts';
import type { Outbox } from './outbox.ts';
import { compose } from './outbox-message.ts';

/** Window in which the same system alert is sent once, in milliseconds. */
const ALERT_WINDOW_MS = 10 * MINUTE_MS;
/** Maximum wait for an admin's language while the storage fails, in milliseconds. */
const LANGUAGE_TIMEOUT_MS = 2_000;
/** Pause between alerts about one user who sends the operator's key, in milliseconds. */
const KEY_ALERT_PAUSE_MS = HOUR_MS;

const GUEST_LIMIT_ALERT = defineLease({
  keys: 'guest-limit-alert',
  content: 'Admins were notified that guests reached their limit',
  expiry: '10 minutes',
});
const OPERATOR_KEY_ALERT = defineLease({
  keys: 'key-alert:{user}',
  content: 'Admins were notified that this user sent a key of the operator account',
  expiry: '1 hour',
  retained: { own: 'kept-limits' },
});

export const ADMIN_ALERT_DATA = [GUEST_LIMIT_ALERT, OPERATOR_KEY_ALERT] as const;

type OperatorAccountUse = Extract<OperatorAccountChange, { what: 'used' }>;

export function createAdminAlerts(deps: {
  leases: Leases;
  outbox: Pick<Outbox, 'add'>;
  admins: ReadonlySet<number>;
  now: () => number;
  log: Log;
}) {
  const { leases, outbox, now, log } = deps;
  const contradictionThrottle = createLogThrottle();

  /** Notifies all admins except the admin `except`. Calls with the same `id` notify once. */
  function notifyAdmins(
    notification: Extract<
      NotificationContent,
      { kind: 'system-alert' | 'health' | 'operator' | 'broadcast' | 'contradiction' }
    >,
    options?: { except: number },
  ) {
    const admins = [...deps.admins].filter((admin) => admin !== options?.except);
    return Promise.all(admins.map((chat) => outbox.add({ ...notification, chat })));
  }

  /** Reports once for each `about`, so that retries and other replicas cause no duplicates. */
  function alertOnce(key: 'continuity-unproved' | 'guests-full', about: string | number) {
    return notifyAdmins({ kind: 'system-alert', id: `${key}:${about}`, data: { key } });
  }

  /** Reports a change to the operator's account to all admins but `except`, once for each `id`. */
  const operatorAccountChanged = (id: string, data: OperatorAccountChange, options?: { except: number }) =>
    notifyAdmins({ kind: 'operator', id, data }, options);

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
    /** Reports that a health check found a problem, or that it is over, once for each `id`. */
    healthChanged: ({ id, ...data }: HealthAlert) => notifyAdmins({ kind: 'health', id, data }),
    continuityUnproved: (epoch: string) => alertOnce('continuity-unproved', epoch),
    /** Reports a broadcast's result, or that it is paused. */
    broadcastChanged(broadcast: Broadcast) {
      const { id, state, pause, begunAt, endedAt } = broadcast;
      return reportBroadcast(`${id}:${state}:${pause?.at ?? endedAt}`, broadcast, {
        state: state as 'done' | 'stopped' | 'missed' | 'paused',
        ...(begunAt !== undefined && endedAt !== undefined && { ms: endedAt - begunAt }),
      });
    },
    /** Reports that an old record of an ended broadcast was put back and refused, once for each broadcast. */
    broadcastReplayed: (broadcast: Broadcast) =>
      reportBroadcast(`${broadcast.id}:replayed`, broadcast, { state: 'replayed' }),
    /** Notifies all admins except the one who turned maintenance on or off. */
    maintenanceChanged({ turn, admin, id }: { turn: 'on' | 'off'; admin: number; id: string }) {
      const data = { key: `maintenance-notice-${turn}`, admin } as const;
      return notifyAdmins({ kind: 'system-alert', id: `maintenance-${turn}:${id}`, data }, { except: admin });
    },
    /** Logs and reports a record of the service that contradicts an order, once for each order. */
    async orderContradicted({ account, namespace, order, operation, difference }: Contradiction) {
      // Each poll may find it again.
      const throttled = contradictionThrottle(operation);
      const reason = `ordered ${difference.ordered}, reported ${difference.reported ?? 'nothing readable'}`;
      const about = { account, kind: namespace, order, operation, field: difference.fact, reason };
      if (throttled)
        log.error(
          { ...about, ...throttled, advice: 'Ask the service which of them is right.' },
          'a record of the service contradicts an order; it changed nothing',
        );
      await notifyAdmins({
        kind: 'contradiction',
        id: `${account}:${namespace}:${order}`,
        data: { account, namespace, order, operation, difference },
      });
    },
    guestLimitReached: () =>
      leases.withLease(
        keyOf(GUEST_LIMIT_ALERT.keys, {}),
        () => alertOnce('guests-full', Math.floor(now() / ALERT_WINDOW_MS)),
        { keptMs: ALERT_WINDOW_MS },
      ),
    operatorAccountChanged,
    /** Reports that a user other than an admin has sent the operator's API key. */
    operatorKeySent(by: number) {
      const at = now();
      return leases.withLease(
        keyOf(OPERATOR_KEY_ALERT.keys, { user: by }),
        () => operatorAccountChanged(`key:${by}:${at}`, { what: 'key', by, at }),
        { keptMs: KEY_ALERT_PAUSE_MS },
      );
    },
    /** Reports each different outcome of an admin's operation on the operator's account. Ignores others. */
    async operatorAccountUsed(operation: Operation) {
      const { user, id, request, usesOperatorAccount, state, estimate } = operation;
      const result: Result = state === 'done' ? operation.result : {};
      const ofOrder = result.delivered === undefined ? result.status : 'partial';
      const reported = ofOrder === 'failed' || ofOrder === 'partial' ? ofOrder : state;
      const outcome = reportedOutcome.safeParse(reported).data;
      if (!usesOperatorAccount || outcome === undefined) return;
      const { price } = result;
      const data: OperatorAccountUse = {
        ...{ what: 'used', by: user, id, request, outcome, trx: price ?? estimate },
        ...(price === undefined && { isEstimate: true }),
      };
      await operatorAccountChanged(`used:${user}:${id}:${outcome}`, data);
    },
  };
}

export type AdminAlerts = ReturnType<typeof createAdminAlerts>;

/** Creates the function that sends an alert of a health check to all admins at once, best effort, without the storage. */
export function createUnstoredAlerts(deps: {
  notificationKinds: Pick<NotificationKinds, 'find'>;
  sender: Pick<Sender, 'send'>;
  users: Pick<Users, 'find'>;
  texts: Texts;
  admins: ReadonlySet<number>;
  now: () => number;
}) {
  const { notificationKinds, sender, users, texts, admins, now } = deps;

  return async ({ id, ...data }: HealthAlert): Promise<void> => {
    const kind = notificationKinds.find('health');
    if (kind === undefined) return;
    const notification = { kind: kind.name, id, data, isMoney: false, queuedAt: now(), failedAttempts: 0 };
    const group = { kind, pending: [{ name: id, notification }] };
    const sending = [...admins].map(async (chat) => {
      const admin = await orTimeout(users.find(chat), LANGUAGE_TIMEOUT_MS).catch(() => undefined);
      const recipient = { chat, language: admin?.language ?? 'en', unclear: [] };
      await sender.send(chat, compose(texts, group, recipient).view);
    });
    await Promise.all(sending);
  };
}
