// Metrics of this process for Prometheus. All of them are declared here, except those of Node by prom-client.

import type { Broadcast } from './broadcasts/store.ts';
import type { Severity } from './health/check.ts';
import { CHECKS } from './health/checks.ts';
import type { Health, Readiness } from './health/health.ts';
import { EVENT_SOURCES, type EventObserver, REJECTION_REASONS } from './notifications/event-metrics.ts';
import type { OutboxBacklog } from './notifications/outbox-store.ts';
import type { Operation } from './operations/operation.ts';
import type { PendingSummary } from './operations/queries.ts';
import { orTimeout } from './platform/async.ts';
import { createLogThrottle, type Log, reportFailure } from './platform/log.ts';
import { RECURRING_WORK } from './platform/recurring-work.ts';
import type { Call } from './platform/service-calls.ts';
import type { Storage } from './platform/storage.ts';
import { overdueQueues, queueIndexes } from './stored-data.ts';
import { ALLOWED_UPDATES } from './telegram/update-schema.ts';
import type { Receive, Received } from './telegram/updates.ts';
import { DELIVERY_RESULTS } from './views/broadcast-results.ts';

/** The package prom-client. It is loaded only if metrics are served, because loading it takes 45 ms of CPU. */
export type Prometheus = typeof import('prom-client');

/** Values of each label. Every label has a closed set of values, and none names a user, chat, address or order. */
type LabelSets = Readonly<Record<string, readonly string[]>>;
type Labels<Sets extends LabelSets> = { [Name in keyof Sets]: Sets[Name][number] };

const OUTCOMES = ['done', 'refused', 'unknown', 'likely', 'closed'] as const;
const CALL_KINDS = ['answered', 'limited', 'failed'] as const satisfies readonly Call['kind'][];
const UPDATE_RESULTS = ['done', 'busy', 'failed'] as const satisfies readonly Received['kind'][];

const SEVERITIES = ['ok', 'warning', 'error'] as const satisfies readonly (Severity | 'ok')[];

/** Upper bounds of histograms in seconds. */
const UPDATE_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const REQUEST_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const OPERATION_BUCKETS = [0.5, 1, 2.5, 5, 10, 30, 60];
const DELAY_BUCKETS = [0.1, 0.5, 1, 5, 30, 60, 300, 1_800];

/** Age from which figures of the storage are read again, in milliseconds, however often metrics are requested. */
const READ_INTERVAL_MS = 5_000;
/** Maximum wait of a response for the storage, in milliseconds. */
const READ_TIMEOUT_MS = 1_000;

/** Sources that a response reads, besides the counts of this process. */
interface MetricsSources {
  storage: Pick<Storage, 'index'>;
  pendingSummary: () => Promise<PendingSummary>;
  readOutboxBacklog: () => Promise<OutboxBacklog>;
  health: Pick<Health, 'readiness'>;
  log: Log;
}

/** Metric as documents and tests see it. */
interface Declaration {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: LabelSets;
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the metrics of this process. Modules report to them through functions that the composition root passes.
 *
 * @example
 * const metrics = createMetrics(await import('prom-client'), { operationKinds: ['energy'] });
 * metrics.onRentalCall({ kind: 'answered', ms: 120 });
 * createHttpServer(getRequestListener(metrics.serve(sources))).listen(9464);
 */
export function createMetrics(
  prometheus: Prometheus,
  { operationKinds }: { operationKinds: readonly string[] },
) {
  const registry = new prometheus.Registry();
  const registers = [registry];
  /** All metrics that are declared here. */
  const declarations: Declaration[] = [];
  prometheus.collectDefaultMetrics({ register: registry });

  /** Declares a counter. All its series begin with 0, so that the first count is seen as an increase. */
  function counter<const Sets extends LabelSets>(name: string, help: string, sets: Sets) {
    declarations.push({ name, type: 'counter', help, labels: sets });
    const made = new prometheus.Counter({ name, help, labelNames: Object.keys(sets), registers });
    for (const labels of combinationsOf(sets)) made.inc(labels, 0);
    return { add: (labels: Labels<Sets>, by = 1) => made.inc(labels, by) };
  }

  /** Declares a histogram of durations. */
  function histogram<const Sets extends LabelSets>(
    name: string,
    help: string,
    sets: Sets,
    buckets: readonly number[],
  ) {
    declarations.push({ name, type: 'histogram', help, labels: sets });
    const labelNames = Object.keys(sets);
    const made = new prometheus.Histogram({ name, help, labelNames, buckets: [...buckets], registers });
    return {
      observeMs: (labels: Labels<Sets>, ms: number) => made.observe(labels, Math.max(0, ms) / 1_000),
    };
  }

  /** Declares a value that is read for each response. It is left out while it isn't known. */
  function gauge<const Sets extends LabelSets>(name: string, help: string, sets: Sets) {
    declarations.push({ name, type: 'gauge', help, labels: sets });
    const made = new prometheus.Gauge({ name, help, labelNames: Object.keys(sets), registers });
    return {
      set(labels: Labels<Sets>, value: number | undefined): void {
        if (value === undefined) made.remove(labels);
        else made.set(labels, value);
      },
    };
  }

  const updates = histogram(
    'bot_update_duration_seconds',
    'Time from the arrival of an update until it is handled, including the wait for earlier updates of its chat',
    { kind: ALLOWED_UPDATES, result: UPDATE_RESULTS },
    UPDATE_BUCKETS,
  );
  const droppedUpdates = counter(
    'bot_updates_dropped_total',
    'Updates that were dropped because their chat had too many open ones',
    {},
  );
  const outcomes = counter(
    'bot_operation_outcomes_total',
    'Stored outcomes of confirmed operations. An unknown outcome that is found later counts again',
    { kind: operationKinds, outcome: OUTCOMES },
  );
  const operations = histogram(
    'bot_operation_duration_seconds',
    'Time from Confirm to the first stored outcome of an operation',
    { kind: operationKinds },
    OPERATION_BUCKETS,
  );
  const openOperations = gauge(
    'bot_operations_open',
    'Confirmed operations without a final outcome, of all replicas, up to about 200 of each state',
    { state: ['in_progress', 'uncertain'] },
  );
  const calls = counter(
    'bot_requests_total',
    'Requests to the rental service and to Telegram. limited: 429',
    {
      to: ['service', 'telegram'],
      result: CALL_KINDS,
    },
  );
  const callDurations = histogram(
    'bot_request_duration_seconds',
    'Response time of the rental service and of Telegram, without long polls and failed requests',
    { to: ['service', 'telegram'] },
    REQUEST_BUCKETS,
  );
  const events = counter(
    'bot_events_total',
    'Events of the rental service by source. log: found in its log, because the webhook request was missed',
    { source: EVENT_SOURCES },
  );
  const rejections = counter(
    'bot_event_rejections_total',
    'Webhook requests with events that were rejected',
    {
      reason: REJECTION_REASONS,
    },
  );
  const eventDelays = histogram(
    'bot_event_delay_seconds',
    'Time from the arrival of an event until it is handled',
    {},
    DELAY_BUCKETS,
  );
  const notificationDelays = histogram(
    'bot_notification_delay_seconds',
    'Time from queueing a notification until Telegram has accepted it',
    {},
    DELAY_BUCKETS,
  );
  const oldestNotification = gauge(
    'bot_outbox_oldest_notification_seconds',
    'Age of the oldest notification that waits for delivery, of all replicas. 0 if none waits',
    {},
  );
  const broadcastMessages = counter(
    'bot_broadcast_messages_total',
    'Recipients of broadcasts by stored result',
    { result: DELIVERY_RESULTS },
  );
  const queues = queueIndexes();
  const queueLengths = gauge('bot_queue_length', 'References in a due queue, due or not, of all replicas', {
    queue: Object.keys(queues),
  });
  const queueAges = gauge(
    'bot_queue_overdue_seconds',
    'Time for which the first reference of a queue has been due, of all replicas. 0 if none is due',
    { queue: Object.keys(queues) },
  );
  const healthChecks = gauge('bot_health_check', 'Result of a health check: 0 ok, 1 warning, 2 error', {
    check: CHECKS.map(({ name }) => name),
  });
  const storageUp = gauge('bot_storage_up', 'Whether the storage responded within a second: 1 or 0', {});
  const storageLatency = gauge('bot_storage_latency_seconds', 'Response time of the storage to one read', {});

  const eventObserver: EventObserver = {
    eventReceived: (source) => events.add({ source }),
    requestRejected: (reason) => rejections.add({ reason }),
    eventHandled: (delayMs) => eventDelays.observeMs({}, delayMs),
    notificationSent: (delayMs) => notificationDelays.observeMs({}, delayMs),
  };

  const onCall = (to: 'service' | 'telegram') => (call: Call) => {
    calls.add({ to, result: call.kind });
    if (call.kind !== 'failed' && call.ms !== undefined) callDurations.observeMs({ to }, call.ms);
  };

  /** Reads the figures of the storage. Each reading is a function that shows it. */
  async function readStorage({ storage, pendingSummary, readOutboxBacklog }: MetricsSources) {
    const { index } = storage;
    const began = performance.now();
    await index.size(RECURRING_WORK.keys);
    const latencyMs = performance.now() - began;
    const [pending, backlog, overdue, lengths] = await Promise.all([
      pendingSummary(),
      readOutboxBacklog(),
      overdueQueues(storage),
      Promise.all(
        Object.entries(queues).map(async ([queue, indexes]) => {
          const sizes = await Promise.all(indexes.map((name) => index.size(name)));
          return { queue, length: sizes.reduce((sum, size) => sum + size, 0) };
        }),
      ),
    ]);
    return { latencyMs, pending, backlog, overdue, lengths };
  }

  type Readings = Awaited<ReturnType<typeof readStorage>>;

  function show(readings: Readings | undefined, failing: Readiness['failing']): void {
    for (const { name: check } of CHECKS)
      healthChecks.set({ check }, SEVERITIES.indexOf(failing[check] ?? 'ok'));
    storageUp.set({}, readings ? 1 : 0);
    storageLatency.set({}, readings && readings.latencyMs / 1_000);
    openOperations.set({ state: 'in_progress' }, readings?.pending.inProgress);
    openOperations.set({ state: 'uncertain' }, readings?.pending.uncertain);
    oldestNotification.set({}, readings && (readings.backlog.oldestMs ?? 0) / 1_000);
    for (const queue of Object.keys(queues)) {
      queueLengths.set({ queue }, readings?.lengths.find((one) => one.queue === queue)?.length);
      const overdue = readings?.overdue.find((one) => one.queue === queue);
      queueAges.set({ queue }, overdue && (overdue.ms ?? 0) / 1_000);
    }
  }

  return {
    declarations,
    onRentalCall: onCall('service'),
    onTelegramCall: onCall('telegram'),
    eventObserver,
    onUpdateDropped: () => droppedUpdates.add({}),
    /** Returns `receive`, with its duration and result measured. */
    measured(receive: Receive): Receive {
      return async (update) => {
        const began = performance.now();
        const kind = ALLOWED_UPDATES.find((one) => update[one] !== undefined) ?? 'message';
        let result: Received['kind'] = 'failed';
        try {
          const received = await receive(update);
          result = received.kind;
          return received;
        } finally {
          updates.observeMs({ kind, result }, performance.now() - began);
        }
      };
    },
    /** Counts an operation that was written, if its outcome is new. `now`: epoch milliseconds. */
    onOperationWritten(before: Operation | undefined, after: Operation, now: number): void {
      const outcome = OUTCOMES.find((state) => state === after.state);
      if (outcome === undefined || before?.state === outcome || !('claimedAt' in after)) return;
      const { kind } = after.request;
      outcomes.add({ kind, outcome });
      const isFirst = before === undefined || !OUTCOMES.some((state) => state === before.state);
      if (isFirst && after.claimedAt !== undefined) operations.observeMs({ kind }, now - after.claimedAt);
    },
    onBroadcastProgress(before: Broadcast, after: Broadcast): void {
      for (const result of DELIVERY_RESULTS)
        broadcastMessages.add({ result }, Math.max(0, after[result] - before[result]));
    },
    /**
     * Returns the handler of `GET /metrics`. While the storage doesn't respond, the response contains what is in memory.
     */
    serve(sources: MetricsSources): (request: Request) => Promise<Response> {
      const throttle = createLogThrottle();
      let latest: { at: number; readings: Readings } | undefined;
      let reading: Promise<void> | undefined;

      const known = () =>
        latest && performance.now() - latest.at < READ_INTERVAL_MS ? latest.readings : undefined;

      async function read(): Promise<void> {
        try {
          latest = { readings: await readStorage(sources), at: performance.now() };
        } catch (err) {
          latest = undefined;
          const logged = throttle('unread');
          if (logged)
            reportFailure(sources.log, { err, ...logged }, 'the storage could not be read for metrics');
        } finally {
          reading = undefined;
        }
      }

      return async (request) => {
        if (new URL(request.url).pathname !== '/metrics') return new Response(null, { status: 404 });
        if (known() === undefined) {
          reading ??= read();
          await orTimeout(reading, READ_TIMEOUT_MS);
        }
        show(known(), sources.health.readiness().failing);
        return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } });
      };
    },
  };
}

/** Returns all combinations of the labels' values. */
function combinationsOf(sets: LabelSets): Record<string, string>[] {
  return Object.entries(sets).reduce<Record<string, string>[]>(
    (all, [name, values]) => all.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value }))),
    [{}],
  );
}
