import type { Link } from '../accounts/links.ts';
import { type BotUser, PERIODS_DAYS, type UserStatistics } from '../accounts/users.ts';
import { formatCount, formatDay, formatKeyTail, formatMoment } from '../i18n/formats.ts';
import { LANGUAGES, type Words } from '../i18n/texts.ts';
import { button, callbackData, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';
import { headline } from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { PendingSummary } from '../operations/queries.ts';
import type { CallsSeen } from '../platform/recent-calls.ts';
import { orTimeout } from '../platform/retry.ts';
import { waitingLine } from './event-lines.ts';
import type { FeatureDeps, Queue } from './feature.ts';

/** Maximum time that a screen waits for a figure, in milliseconds. */
const FIGURE_TIMEOUT_MS = 2_000;

/** Value that was read, or `undefined` if that failed. Zero and none are values, too. */
type Figure<Value> = { value: Value } | undefined;

interface StateDeps
  extends Pick<FeatureDeps, 'state' | 'paymentsGate' | 'maintenance' | 'readOutboxBacklog' | 'operations'> {}

type StateFigures = Awaited<ReturnType<typeof readFigures>>;

/** Reads all figures at once. One that fails neither delays nor hides the others. */
export async function readFigures({
  state,
  paymentsGate,
  maintenance,
  readOutboxBacklog,
  operations,
}: StateDeps) {
  const pinging = performance.now();
  const ping = await readFigure(state.storage.ping());
  const pingMs = ping && { value: Math.max(1, Math.round(performance.now() - pinging)) };
  const [durability, fsync, replicas, closed, maintained, underWay, waiting, due, invoices, jobs] =
    await Promise.all([
      readFigure(state.storage.durability()),
      readFigure(state.storage.fsyncPolicy()),
      readFigure(state.storage.replicas()),
      readFigure(paymentsGate.closedNow()),
      readFigure(maintenance.find()),
      readFigure(operations.pendingSummary()),
      readFigure(readOutboxBacklog()),
      readFigure(state.overdue.operations()),
      readFigure(state.overdue.invoices()),
      readFigure(state.overdue.jobs()),
    ]);
  const overdue = { operations: due, invoices, jobs } satisfies Record<Queue, unknown>;
  return { pingMs, durability, fsync, replicas, closed, maintained, underWay, waiting, overdue };
}

/** Returns `undefined` if reading fails or takes too long. */
async function readFigure<Value>(reading: Promise<Value>): Promise<Figure<Value>> {
  const read = reading.then(
    (value) => ({ value }),
    () => undefined,
  );
  return orTimeout(read, FIGURE_TIMEOUT_MS);
}

const SECOND_MS = 1_000;
const UNITS = [
  ['d', 86_400 * SECOND_MS],
  ['h', 3_600 * SECOND_MS],
  ['min', 60 * SECOND_MS],
] as const;

/** Returns a duration in the largest unit of which it has at least two: `90 s`, `2 min`, `3 d`. */
export function durationText(words: Words, ms: number): string {
  const [unit, of] = UNITS.find(([, length]) => ms >= 2 * length) ?? (['s', SECOND_MS] as const);
  return words.plain('state-span', { unit, count: String(Math.max(0, Math.floor(ms / of))) });
}

/** Returns the results of this process's calls to a service. */
export function callLines(words: Words, seen: CallsSeen, now: number): string {
  const { lastSuccessAt, lastFailure, calls, failed, limited, medianMs } = seen;
  const ago = (at: number | undefined) =>
    at === undefined ? { ever: 'no', ago: '' } : { ever: 'yes', ago: durationText(words, now - at) };
  const count = (number: number) => formatCount(number, words.language);
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
export function paymentLines(words: Words, { closed, maintained }: StateFigures): string {
  const by = closed === undefined ? 'unread' : (closed.value?.by ?? 'open');
  const { since, admin } = maintained?.value ?? {};
  const isKnown = since !== undefined && admin !== undefined;
  const is = maintained === undefined ? 'unread' : !maintained.value ? 'off' : isKnown ? 'on' : 'on-unknown';
  return lines(
    words.html('state-money', { by, why: closed?.value?.why ?? '' }),
    words.html('state-maintenance', {
      ...{ is, admin: String(admin ?? '') },
      since: since === undefined ? '' : formatMoment(since, words.language),
    }),
  );
}

export function storageLines(words: Words, { pingMs, durability, fsync, replicas }: StateFigures): string {
  const is = durability === undefined ? 'unread' : durability.value.durable ? 'durable' : 'volatile';
  const why = durability && !durability.value.durable ? durability.value.why : '';
  return lines(
    words.html('state-ping', countArguments(pingMs, words)),
    words.html('state-durability', { is, why }),
    // A storage without durability can lose more than this.
    is === 'durable' &&
      fsync?.value !== 'always' &&
      words.html('state-fsync', { policy: fsync?.value ?? 'unread' }),
    words.html('state-replicas', countArguments(replicas, words)),
  );
}

/** Returns the number of pending items, and how long the oldest one has been due. */
export function queueLines(words: Words, { underWay, waiting, overdue }: StateFigures): string {
  const late = (queue: Queue) => {
    const found = overdue[queue];
    const is = found === undefined ? 'unread' : found.value === undefined ? 'none' : 'late';
    return words.html('state-overdue', { queue, is, span: durationText(words, found?.value ?? 0) });
  };
  return lines(
    underWayLine(words, underWay),
    waiting ? waitingLine(words, waiting.value) : words.html('state-outbox-unread'),
    late('operations'),
    late('invoices'),
    late('jobs'),
  );
}

function underWayLine(words: Words, found: Figure<PendingSummary>): string {
  if (found === undefined) return words.html('state-under-way', { is: 'unread' });
  const { inProgress, uncertain, isMore } = found.value;
  const of = {
    going: formatCount(inProgress, words.language),
    uncertain: formatCount(uncertain, words.language),
  };
  return words.html('state-under-way', { is: isMore ? 'more' : 'all', ...of });
}

function countArguments(found: Figure<number>, { language }: Words): Record<string, string> {
  return found === undefined ? { is: 'unread' } : { is: 'read', count: formatCount(found.value, language) };
}

/** Failed requests in a row before the rental service is reported as unreachable. A single failure isn't reported. */
const MIN_FAILED_IN_A_ROW = 2;

type AdminHeadDeps = Pick<FeatureDeps, 'maintenance' | 'operations' | 'paymentsGate' | 'state'>;

/** Creates the function that returns urgent warnings for admins, one per line. The text is empty if there are none. */
export function createAdminWarnings({ maintenance, operations, paymentsGate, state }: AdminHeadDeps) {
  return async (words: Words): Promise<string> => {
    const [maintained, underWay, closed] = await Promise.all([
      readFigure(maintenance.find()),
      readFigure(operations.pendingSummary()),
      readFigure(paymentsGate.closed()),
    ]);
    const { uncertain = 0, isMore = false } = underWay?.value ?? {};
    const { failedInARow, lastFailure } = state.rental();
    const isAway = failedInARow >= MIN_FAILED_IN_A_ROW;
    const byStorage = closed?.value !== undefined && closed.value.by !== 'maintenance';
    const isUnread = maintained === undefined || underWay === undefined || closed === undefined;
    return lines(
      uncertain > 0 && words.html('admin-uncertain', { count: uncertain, more: isMore ? 'yes' : 'no' }),
      maintained?.value !== undefined && words.html('admin-maintenance'),
      byStorage && words.html('admin-no-money'),
      isAway && words.html('admin-rental-away', { why: lastFailure?.why ?? '' }),
      isUnread && words.html('admin-unread'),
    );
  };
}

/** Data of the operator's account that admins see. Amounts are in TRX, decimal. */
interface OperatorAccountState {
  account: number;
  /** `undefined` if the service doesn't respond in time. */
  balance: string | undefined;
  cap: string;
  taken: string;
  alert: string | undefined;
  reports: 'on' | 'off';
  /** Whether service reports can be turned on or off here. */
  canSwitch: boolean;
  /** Admins who have linked the account. */
  holders: readonly number[];
  /** Whether the admin who opened the screen has linked it. */
  isLinked: boolean;
}

/** Name of the feature that shows this screen. */
export const OPERATOR = 'operator';

/** Returns the screen of the operator's account: its data, and all actions. */
export function operatorView(words: Words, seen: OperatorAccountState): View {
  const { account, balance = 'unknown', cap, taken, alert, reports, canSwitch, holders, isLinked } = seen;
  const html = paragraphs(
    words.html('operator-title'),
    lines(
      words.html('operator-account', { account: String(account) }),
      words.html('operator-balance', { balance }),
      words.html('operator-spent', { taken, cap }),
      words.html('operator-alert', { trx: alert ?? 'none' }),
      words.html('operator-reports', { reports }),
      words.html('operator-holders', { who: holders.join(', ') || 'nobody' }),
    ),
    words.html('operator-note'),
  );
  const linking = isLinked
    ? button(words, 'button-operator-unlink', callbackData('account', 'unlink'))
    : button(words, 'button-operator-link', callbackData(OPERATOR, 'link'), 'primary');
  const asks =
    reports === 'on'
      ? callbackData('reports', 'operator-off', OPERATOR)
      : callbackData('reports', 'operator');
  const switching = { text: words.plain('button-events-operator', { reports }), callback_data: asks };
  const setting = [
    button(words, 'button-operator-cap', callbackData(OPERATOR, 'cap')),
    button(words, 'button-operator-alert', callbackData(OPERATOR, 'alert')),
  ];
  return {
    html,
    keyboard: [
      [linking],
      setting,
      ...(canSwitch ? [[switching]] : []),
      refreshRow(words),
      navigationRow(words),
    ],
  };
}

/** Returns the screen if there is no operator account, or if the service can't be reached. */
export function operatorUnavailableView(words: Words, why: 'none' | 'unreachable'): View {
  return {
    html: paragraphs(words.html('operator-title'), words.html(`operator-${why}`)),
    keyboard: [refreshRow(words), navigationRow(words)],
  };
}

const refreshRow = (words: Words) => [button(words, 'button-refresh', callbackData(OPERATOR, 'open'))];

const navigationRow = (words: Words) => [
  button(words, 'button-admin', callbackData('menu', 'admin')),
  menuButton(words),
];

const DAY_MS = 24 * 3600_000;

/** Returns the numbers of users, in lines. */
export function userFigures(words: Words, figures: UserStatistics): string {
  const count = (number: number) => formatCount(number, words.language);
  const spans = (of: UserStatistics['newUsers']) => PERIODS_DAYS.map((span) => count(of[span])).join(' · ');
  return paragraphs(
    lines(
      words.html('people-all', { count: count(figures.total), part: figures.isPartial ? 'yes' : 'no' }),
      words.html('people-linked', { count: count(figures.linked) }),
      words.html('people-gone', { count: count(figures.unreachable) }),
      figures.banned > 0 && words.html('people-barred', { count: count(figures.banned) }),
    ),
    lines(
      words.html('people-spans'),
      words.html('people-met', { counts: spans(figures.newUsers) }),
      words.html('people-here', { counts: spans(figures.activeUsers) }),
    ),
    lines(
      ...LANGUAGES.map((language) =>
        words.html('people-language', { language, count: count(figures.languages[language]) }),
      ),
    ),
  );
}

/** Returns an operation of the user, with its status. */
export function operationLine(words: Words, operation: Operation, kinds: Pick<Kinds, 'of'>): string {
  const kind = kinds.of(operation.request);
  return lines(
    `<code>${operation.id}</code> · ${headline(words, kind, operation)} · ${formatMoment(operation.createdAt, words.language)}`,
    kind.title(words, operation.request),
  );
}

/** Returns what is known about a user. */
export function userLines(words: Words, person: BotUser, link: Link | undefined): string {
  const day = (days: number) => formatDay(days * DAY_MS, words.language);
  return lines(
    words.html('person-title', { user: String(person.user) }),
    words.html('person-since', { first: day(person.firstDay), last: day(person.lastDay) }),
    words.html('person-language', { language: person.language }),
    link
      ? words.html('person-linked', { account: String(link.account), tail: formatKeyTail(link.tail) })
      : words.html('person-guest'),
    person.unreachable && words.html('person-gone', { why: person.unreachable }),
    person.isBanned && words.html('person-barred'),
  );
}
