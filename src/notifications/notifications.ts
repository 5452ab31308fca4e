import type { Links } from '../accounts/links.ts';
import type { Leases } from '../platform/leases.ts';
import type { StoredData } from '../platform/stored-data.ts';
import {
  createAdminAlerts,
  createUnreadableRecords,
  GUEST_LIMIT_ALERT,
  OPERATOR_KEY_ALERT,
} from './admin-alerts.ts';
import { createEventMetrics, EVENT_METRICS } from './event-metrics.ts';
import { createNotificationKinds, type FeatureNotification, type NotificationKindDeps } from './kinds.ts';
import { createNotifyHolders } from './notify-holders.ts';
import { createOutbox, DELIVERY_LEASE } from './outbox.ts';
import { OUTBOX_DATA } from './outbox-store.ts';

/** Everything that the module stores. */
export const NOTIFICATION_DATA: readonly StoredData[] = [
  ...OUTBOX_DATA,
  ...[DELIVERY_LEASE, GUEST_LIMIT_ALERT, OPERATOR_KEY_ALERT, EVENT_METRICS],
];

type OutboxDeps = Omit<Parameters<typeof createOutbox>[0], 'notificationKinds' | 'eventMetrics'>;

/** Creates the outbox with all notification kinds, and what sends notifications through it. */
export function createNotifications(
  deps: OutboxDeps &
    NotificationKindDeps & {
      storage: Parameters<typeof createEventMetrics>[0]['storage'];
      links: Pick<Links, 'find' | 'holders'>;
      leases: Leases;
      /** Kinds that features declare. */
      featureKinds: readonly FeatureNotification[];
    },
) {
  const eventMetrics = createEventMetrics(deps);
  const notificationKinds = createNotificationKinds(deps);
  const outbox = createOutbox({ ...deps, notificationKinds, eventMetrics });
  const adminAlerts = createAdminAlerts({ ...deps, outbox });
  return {
    outbox,
    notify: outbox.notify,
    notifyHolders: createNotifyHolders({ ...deps, outbox }),
    adminAlerts,
    unreadableRecords: createUnreadableRecords({ outbox, adminAlerts }),
    eventMetrics,
  };
}
