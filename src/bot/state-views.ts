import { counted, moment } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import type { UnderWay } from '../operations/queries.ts';
import type { CallsSeen } from '../platform/recent-calls.ts';
import { orTimeout } from '../platform/retry.ts';
import { waitingLine } from './event-lines.ts';
import type { FeatureDeps } from './feature-deps.ts';
import type { Queue } from './state-sources.ts';

/** Maximum time that a screen waits for a figure, in milliseconds. */
const WITHIN_MS = 2_000;

/** Value that was read, or `undefined` if that failed. Zero and none are values, too. */
type Figure<Value> = { is: Value } | undefined;

type Deps = Pick<FeatureDeps, 'state' | 'paymentsGate' | 'maintenance' | 'backlog' | 'operations'>;

type StateFigures = Awaited<ReturnType<typeof readFigures>>;

/** Reads all figures at once. One that fails neither delays nor hides the others. */
export async function readFigures({ state, paymentsGate, maintenance, backlog, operations }: Deps) {
  const pinging = performance.now();
  const ping = await figure(state.storage.ping());
  const pingMs = ping && { is: Math.max(1, Math.round(performance.now() - pinging)) };
  const [durability, fsync, replicas, closed, maintained, underWay, waiting, due, invoices, jobs] =
    await Promise.all([
      figure(state.storage.durability()),
      figure(state.storage.fsyncPolicy()),
      figure(state.storage.replicas()),
      figure(paymentsGate.closedNow()),
      figure(maintenance.find()),
      figure(operations.underWay()),
      figure(backlog()),
      figure(state.overdue.operations()),
      figure(state.overdue.invoices()),
      figure(state.overdue.jobs()),
    ]);
  const overdue = { operations: due, invoices, jobs } satisfies Record<Queue, unknown>;
  return { pingMs, durability, fsync, replicas, closed, maintained, underWay, waiting, overdue };
}

/** Returns `undefined` if reading fails or takes too long. */
export async function figure<Value>(reading: Promise<Value>): Promise<Figure<Value>> {
  const read = reading.then(
    (is) => ({ is }),
    () => undefined,
  );
  return orTimeout(read, WITHIN_MS);
}

const SECOND_MS = 1_000;
const UNITS = [
  ['d', 86_400 * SECOND_MS],
  ['h', 3_600 * SECOND_MS],
  ['min', 60 * SECOND_MS],
] as const;

/** Returns a duration in the largest unit of which it has at least two: `90 s`, `2 min`, `3 d`. */
export function span(words: Words, ms: number): string {
  const [unit, of] = UNITS.find(([, length]) => ms >= 2 * length) ?? (['s', SECOND_MS] as const);
  return words.plain('state-span', { unit, count: String(Math.max(0, Math.floor(ms / of))) });
}

/** Returns the results of this process's calls to a service. */
export function callLines(words: Words, seen: CallsSeen, now: number): string {
  const { lastSuccessAt, lastFailure, calls, failed, limited, medianMs } = seen;
  const ago = (at: number | undefined) =>
    at === undefined ? { ever: 'no', ago: '' } : { ever: 'yes', ago: span(words, now - at) };
  const count = (number: number) => counted(number, words.language);
  return lines(
    words.html('state-last-answer', ago(lastSuccessAt)),
    words.html('state-last-failure', { ...ago(lastFailure?.at), why: lastFailure?.why ?? '' }),
    words.html('state-calls', {
      ...{
        any: calls > 0 ? 'yes' : 'no',
        calls: count(calls),
        failed: count(failed),
        limited: count(limited),
      },
      ...{ timed: medianMs === undefined ? 'no' : 'yes', ms: count(Math.round(medianMs ?? 0)) },
    }),
  );
}

/** Returns whether operations are accepted, and whether maintenance is on. */
export function moneyLines(words: Words, { closed, maintained }: StateFigures): string {
  const by = closed === undefined ? 'unread' : (closed.is?.by ?? 'open');
  const { since, admin } = maintained?.is ?? {};
  const isKnown = since !== undefined && admin !== undefined;
  const is = maintained === undefined ? 'unread' : !maintained.is ? 'off' : isKnown ? 'on' : 'on-unknown';
  return lines(
    words.html('state-money', { by, why: closed?.is?.why ?? '' }),
    words.html('state-maintenance', {
      ...{ is, admin: String(admin ?? '') },
      since: since === undefined ? '' : moment(since, words.language),
    }),
  );
}

export function storageLines(words: Words, { pingMs, durability, fsync, replicas }: StateFigures): string {
  const is = durability === undefined ? 'unread' : durability.is.durable ? 'durable' : 'volatile';
  const why = durability && !durability.is.durable ? durability.is.why : '';
  return lines(
    words.html('state-ping', number(pingMs, words)),
    words.html('state-durability', { is, why }),
    // A storage without durability can lose more than this.
    is === 'durable' &&
      fsync?.is !== 'always' &&
      words.html('state-fsync', { policy: fsync?.is ?? 'unread' }),
    words.html('state-replicas', number(replicas, words)),
  );
}

/** Returns the number of pending items, and how long the oldest one has been due. */
export function waitLines(words: Words, { underWay, waiting, overdue }: StateFigures): string {
  const late = (queue: Queue) => {
    const found = overdue[queue];
    const is = found === undefined ? 'unread' : found.is === undefined ? 'none' : 'late';
    return words.html('state-overdue', { queue, is, span: span(words, found?.is ?? 0) });
  };
  return lines(
    underWayLine(words, underWay),
    waiting ? waitingLine(words, waiting.is) : words.html('state-outbox-unread'),
    late('operations'),
    late('invoices'),
    late('jobs'),
  );
}

function underWayLine(words: Words, found: Figure<UnderWay>): string {
  if (found === undefined) return words.html('state-under-way', { is: 'unread' });
  const { going, uncertain, isMore } = found.is;
  const of = { going: counted(going, words.language), uncertain: counted(uncertain, words.language) };
  return words.html('state-under-way', { is: isMore ? 'more' : 'all', ...of });
}

function number(found: Figure<number>, { language }: Words): Record<string, string> {
  return found === undefined ? { is: 'unread' } : { is: 'read', count: counted(found.is, language) };
}
