import { decisionOf, type Operation, type OperationRef } from '../../operations/operation.ts';
import type { UnknownOutcomes } from '../../operations/queries.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';
import { defineCheck, type Measurement, type Values } from '../check.ts';

export interface WorkCheckDeps {
  unknownOutcomes(): Promise<UnknownOutcomes>;
  /** Returns an operation; `undefined` if it is missing or unreadable. */
  findOperation(ref: OperationRef): Promise<Operation | undefined>;
  /** Age of the oldest notification that waits, in milliseconds. */
  readOutboxBacklog(): Promise<{ chats: number; oldestMs: number | undefined }>;
  /** Returns how long the first reference of each due queue has been due, in milliseconds. */
  overdue(): Promise<readonly { queue: string; ms: number | undefined }[]>;
  /** Returns the work that was given up within the last day, by kind. */
  givenUp(): Promise<Readonly<Record<string, number>>>;
  /** Returns delays of this process's event loop since the last call, in milliseconds. */
  eventLoop: { longestMs(): number; meanMs(): number };
  /** Returns the share of its memory that this process uses, in percent, and the limit in bytes. */
  memory(): { percent: number; maxBytes: number };
}

/** Age of an unknown outcome that is worth a look, in milliseconds. Searches settle most within a minute. */
const LONG_UNKNOWN_MS = 5 * MINUTE_MS;
/** Age of a late notification, in milliseconds. One that can't be sent is retried after ten minutes. */
const LATE_NOTIFICATION_MS = 15 * MINUTE_MS;
/** Delay of due work, in milliseconds. Polls may wait for minutes, because of the service's rate limits. */
const LATE_WORK_MS = 10 * MINUTE_MS;
/** Delay of the event loop, in milliseconds, that leases don't outlast. Other replicas have then taken over the work. */
const STUCK_MS = 8 * SECOND_MS;
/** Mean delay of the event loop that users notice, in milliseconds: each update waits for it several times. */
const SLOW_MS = 100;
/** Share of the memory from which Node collects garbage all the time, in percent. */
const LOW_MEMORY = 85;

const common = { everyMs: MINUTE_MS, scope: 'installation' } as const;

export const OUTCOMES = defineCheck({
  ...{ ...common, name: 'outcomes' },
  problems: { 'outcomes-unknown': 'warning', 'outcomes-not-found': 'error' },
  async measure({
    unknownOutcomes,
  }: WorkCheckDeps): Promise<Measurement<`outcomes-${'unknown' | 'not-found'}`>> {
    const { count, notFound, oldest, oldestMs = 0 } = await unknownOutcomes();
    if (oldest === undefined) return undefined;
    const about = { operation: oldest.id, user: oldest.user };
    if (notFound > 0) return { problem: 'outcomes-not-found', values: { ...about, count: notFound } };
    if (oldestMs < LONG_UNKNOWN_MS) return undefined;
    return { problem: 'outcomes-unknown', values: { ...about, count, minutes: minutesOf(oldestMs) } };
  },
  async valuesAtEnd({ findOperation }, { user, operation: id }): Promise<Values> {
    const operation = await findOperation({ user: Number(user), id: String(id) });
    if (operation === undefined) return {};
    return { outcome: operation.state, admin: String(decisionOf(operation)?.admin ?? 'none') };
  },
});

export const OUTBOX = defineCheck({
  ...{ ...common, name: 'outbox', problems: { 'outbox-late': 'warning' } },
  async measure({ readOutboxBacklog }: WorkCheckDeps) {
    const { chats, oldestMs = 0 } = await readOutboxBacklog();
    if (oldestMs < LATE_NOTIFICATION_MS) return undefined;
    return { problem: 'outbox-late', values: { chats, minutes: minutesOf(oldestMs) } };
  },
});

export const QUEUES = defineCheck({
  ...{ ...common, name: 'queues', problems: { 'queue-late': 'warning' } },
  async measure({ overdue }: WorkCheckDeps) {
    const late = (await overdue()).map(({ queue, ms = 0 }) => ({ queue, ms }));
    const [worst] = late.toSorted((one, other) => other.ms - one.ms);
    if (worst === undefined || worst.ms < LATE_WORK_MS) return undefined;
    return { problem: 'queue-late', values: { queue: worst.queue, minutes: minutesOf(worst.ms) } };
  },
});

export const GIVEN_UP = defineCheck({
  ...{ ...common, name: 'given-up', problems: { 'work-given-up': 'warning' } },
  async measure({ givenUp }: WorkCheckDeps) {
    const counts = Object.entries(await givenUp());
    const kinds = counts.map(([kind, count]) => `${kind} ×${count}`).join(', ');
    return kinds === '' ? undefined : { problem: 'work-given-up', values: { kinds } };
  },
});

export const EVENT_LOOP = defineCheck({
  ...{ name: 'event-loop', everyMs: 10 * SECOND_MS, scope: 'replica', unready: true, onlyRunning: true },
  problems: { 'event-loop-stuck': 'error' },
  async measure({ eventLoop }: WorkCheckDeps) {
    const ms = eventLoop.longestMs();
    if (ms < STUCK_MS) return undefined;
    return { problem: 'event-loop-stuck', values: { seconds: Math.round(ms / SECOND_MS) } };
  },
});

export const EVENT_LOOP_DELAY = defineCheck({
  ...{ name: 'event-loop-delay', everyMs: MINUTE_MS, scope: 'replica', onlyRunning: true },
  problems: { 'event-loop-slow': 'warning' },
  async measure({ eventLoop }: WorkCheckDeps) {
    const ms = Math.round(eventLoop.meanMs());
    return ms < SLOW_MS ? undefined : { problem: 'event-loop-slow', values: { ms } };
  },
});

export const MEMORY = defineCheck({
  ...{ name: 'memory', everyMs: MINUTE_MS, scope: 'replica', onlyRunning: true },
  problems: { 'memory-low': 'warning' },
  async measure({ memory }: WorkCheckDeps) {
    const { percent, maxBytes } = memory();
    if (percent < LOW_MEMORY) return undefined;
    return { problem: 'memory-low', values: { percent, size: `${Math.round(maxBytes / 1024 ** 2)} MB` } };
  },
});

function minutesOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}
