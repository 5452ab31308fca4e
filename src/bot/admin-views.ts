import type { Link } from '../accounts/links.ts';
import { type BotUser, PERIODS_DAYS, type UserStatistics } from '../accounts/users.ts';
import type { TextKey } from '../i18n/keys.ts';
import {
  formatAmount,
  formatCount,
  formatDay,
  formatKeyTail,
  formatMoment,
  formatSpan,
  formatTimeWithSeconds,
  LANGUAGES,
  lines,
  paragraphs,
  shortenAddress,
  type Words,
} from '../i18n/texts.ts';
import { headline } from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kind.ts';
import { isUncertain, type Operation, type OperationRef } from '../operations/operation.ts';
import { nextSearchAt } from '../operations/recovery.ts';
import { orTimeout } from '../platform/async.ts';
import { DAY_MS } from '../platform/clock.ts';
import type { CallsSeen } from '../platform/service-calls.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, type View, withAdminButtons } from '../views/view.ts';
import { outboxBacklogLine } from './event-lines.ts';
import type { FeatureDeps } from './feature.ts';

const FIGURE_TIMEOUT_MS = 2_000;

/** Value that was read, which may be zero or `undefined` itself. The figure is `undefined` if reading failed. */
type Figure<Value> = { value: Value } | undefined;
type Figures<Readings> = { [Name in keyof Readings]: Figure<Awaited<Readings[Name]>> };

/** Reads all figures at once. One that fails or takes too long doesn't affect the others. */
async function readFigures<Readings extends Record<string, Promise<unknown>>>(
  readings: Readings,
): Promise<Figures<Readings>> {
  const read = async ([name, reading]: [string, Promise<unknown>]) => {
    const figure = reading.then(
      (value) => ({ value }),
      () => undefined,
    );
    return [name, await orTimeout(figure, FIGURE_TIMEOUT_MS)];
  };
  return Object.fromEntries(await Promise.all(Object.entries(readings).map(read)));
}

/** Reads and describes the state of the bot. `isMaintenance` is `undefined` if it couldn't be read. */
export async function describeState(
  deps: FeatureDeps,
  words: Words,
): Promise<{ html: string; isMaintenance: boolean | undefined }> {
  const { state, paymentsGate, maintenance, readOutboxBacklog, operations } = deps;
  const { storage, overdue } = state;
  const pinging = performance.now();
  const { ping } = await readFigures({ ping: storage.ping() });
  const pingMs = ping && { value: Math.max(1, Math.round(performance.now() - pinging)) };
  const [figures, late] = await Promise.all([
    readFigures({
      durability: storage.durability(),
      fsync: storage.fsyncPolicy(),
      replicas: storage.replicas(),
      closed: paymentsGate.closedNow(),
      maintained: maintenance.find(),
      pending: operations.pendingSummary(),
      backlog: readOutboxBacklog(),
    }),
    readFigures({
      operations: overdue.operations(),
      invoices: overdue.invoices(),
      erasures: overdue.erasures(),
    }),
  ]);
  const { durability, fsync, replicas, closed, maintained, pending, backlog } = figures;
  const count = (number: number) => formatCount(number, words.language);
  const countArguments = (found: Figure<number>): Record<string, string> =>
    found === undefined ? { is: 'unread' } : { is: 'read', count: count(found.value) };

  function paymentLines(): string {
    const by = closed === undefined ? 'unread' : (closed.value?.by ?? 'open');
    const { since, admin } = maintained?.value ?? {};
    const isKnown = since !== undefined && admin !== undefined;
    const on = isKnown ? 'on' : 'on-unknown';
    const is = maintained?.value ? on : 'off';
    return lines(
      words.html('state-money', { by, why: closed?.value?.why ?? '' }),
      words.html('state-maintenance', {
        is: maintained === undefined ? 'unread' : is,
        admin: String(admin ?? ''),
        since: since === undefined ? '' : formatMoment(since, words.language),
      }),
    );
  }

  function storageLines(): string {
    const isDurable = durability?.value.durable;
    const is = isDurable ? 'durable' : 'volatile';
    const why = durability && !durability.value.durable ? durability.value.why : '';
    return lines(
      words.html('state-ping', countArguments(pingMs)),
      words.html('state-durability', { is: durability === undefined ? 'unread' : is, why }),
      // A storage without durability can lose more than this.
      isDurable &&
        fsync?.value !== 'always' &&
        words.html('state-fsync', { policy: fsync?.value ?? 'unread' }),
      words.html('state-replicas', countArguments(replicas)),
    );
  }

  function queueLines(): string {
    const { inProgress = 0, uncertain = 0, isMore } = pending?.value ?? {};
    const going = `${count(inProgress)}${isMore ? '+' : ''}`;
    const lateLine = ([queue, found]: [string, Figure<number | undefined>]) => {
      const is = found?.value === undefined ? 'none' : 'late';
      const span = formatSpan(words, found?.value ?? 0);
      return words.html('state-overdue', { queue, is: found === undefined ? 'unread' : is, span });
    };
    return lines(
      words.html('state-under-way', {
        is: pending === undefined ? 'unread' : 'read',
        going,
        uncertain: count(uncertain),
      }),
      backlog ? outboxBacklogLine(words, backlog.value) : words.html('state-outbox-unread'),
      ...Object.entries(late).map(lateLine),
    );
  }

  const at = deps.now();
  const html = paragraphs(
    lines(words.html('state-title'), paymentLines()),
    lines(words.html('state-rental'), callLines(words, state.rental(), at)),
    lines(words.html('state-telegram'), callLines(words, state.telegram(), at)),
    lines(words.html('state-storage'), storageLines()),
    lines(words.html('state-waits'), queueLines()),
    words.html('state-process', { version: state.version, up: formatSpan(words, at - state.startedAt) }),
    words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
  );
  return { html, isMaintenance: maintained && maintained.value !== undefined };
}

function callLines(words: Words, seen: CallsSeen, now: number): string {
  const { lastSuccessAt, lastFailure, calls, failed, limited, medianMs } = seen;
  const ago = (at: number) => formatSpan(words, now - at);
  const count = (number: number) => formatCount(number, words.language);
  return lines(
    lastSuccessAt !== undefined && words.html('state-last-answer', { ago: ago(lastSuccessAt) }),
    lastFailure && words.html('state-last-failure', { ago: ago(lastFailure.at), why: lastFailure.why }),
    words.html('state-calls', {
      calls: count(calls),
      failed: count(failed),
      limited: count(limited),
      ms: medianMs === undefined ? '–' : count(Math.round(medianMs)),
    }),
  );
}

/** Number of failed requests in a row after which the rental service is reported as unreachable. */
const MIN_FAILED_IN_A_ROW = 2;

/** Returns urgent warnings for admins, one per line; an empty text without any. */
export async function adminWarnings(deps: FeatureDeps, words: Words): Promise<string> {
  const { maintenance, operations, paymentsGate, state } = deps;
  const { maintained, pending, closed } = await readFigures({
    maintained: maintenance.find(),
    pending: operations.pendingSummary(),
    closed: paymentsGate.closed(),
  });
  const { uncertain = 0, isMore = false } = pending?.value ?? {};
  const { failedInARow, lastFailure } = state.rental();
  const isUnreachable = failedInARow >= MIN_FAILED_IN_A_ROW;
  const isClosedByStorage = closed?.value !== undefined && closed.value.by !== 'maintenance';
  const isUnread = maintained === undefined || pending === undefined || closed === undefined;
  return lines(
    uncertain > 0 && words.html('admin-uncertain', { count: isMore ? `${uncertain}+` : uncertain }),
    maintained?.value !== undefined && words.html('admin-maintenance'),
    isClosedByStorage && words.html('admin-no-money'),
    isUnreachable && words.html('admin-rental-away', { why: lastFailure?.why ?? '' }),
    isUnread && words.html('admin-unread'),
  );
}

/** State of the operator's account for admins. Amounts are in TRX, decimal. */
interface OperatorAccountState {
  account: number;
  /** `undefined` if the service doesn't respond in time. */
  balance: string | undefined;
  cap: string;
  spent: string;
  alert: string | undefined;
  reports: 'on' | 'off';
  canSwitch: boolean;
  holders: readonly number[];
  isLinked: boolean;
}

export const OPERATOR = 'operator';

export function operatorView(words: Words, seen: OperatorAccountState): View {
  const { account, balance, cap, spent, alert, reports, canSwitch, holders, isLinked } = seen;
  const html = paragraphs(
    words.html('operator-title'),
    lines(
      words.html('operator-account', { account: String(account) }),
      balance === undefined
        ? words.html('operation-no-balance')
        : words.html('menu-balance-current', { balance }),
      words.html('operator-spent', { spent, cap }),
      words.html('operator-alert', { trx: alert ?? 'none' }),
      words.html('operator-reports', { reports }),
      holders.length > 0 && words.html('operator-holders', { who: holders.join(', ') }),
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
  return withAdminButtons(words, html, [linking], setting, canSwitch ? [switching] : [], refreshRow(words));
}

export function operatorUnavailableView(words: Words, why: 'none' | 'unreachable'): View {
  const html = paragraphs(words.html('operator-title'), words.html(`operator-${why}`));
  return withAdminButtons(words, html, refreshRow(words));
}

const refreshRow = (words: Words) => [button(words, 'button-refresh', callbackData(OPERATOR, 'open'))];

export function userFigures(words: Words, figures: UserStatistics): string {
  const count = (number: number) => formatCount(number, words.language);
  const spans = (of: UserStatistics['newUsers']) => PERIODS_DAYS.map((span) => count(of[span])).join(' · ');
  return paragraphs(
    lines(
      words.html('people-all', { count: `${count(figures.total)}${figures.isPartial ? '+' : ''}` }),
      words.html('people-linked', { count: count(figures.linked) }),
      words.html('people-unreachable', { count: count(figures.unreachable) }),
      figures.banned > 0 && words.html('people-banned', { count: count(figures.banned) }),
    ),
    lines(
      words.html('people-spans'),
      words.html('people-new', { counts: spans(figures.newUsers) }),
      words.html('people-active', { counts: spans(figures.activeUsers) }),
    ),
    lines(
      ...LANGUAGES.map((language) =>
        words.html('people-language', {
          language: words.plain('making-language', { language }),
          count: count(figures.languages[language]),
        }),
      ),
    ),
  );
}

export function operationLine(words: Words, operation: Operation, kinds: Pick<Kinds, 'of'>): string {
  const kind = kinds.of(operation.request);
  return lines(
    `<code>${operation.id}</code> · ${headline(words, kind, operation)} · ${formatMoment(operation.createdAt, words.language)}`,
    kind.title(words, operation.request),
  );
}

export function userLines(words: Words, person: BotUser, link: Link | undefined): string {
  const day = (days: number) => formatDay(days * DAY_MS, words.language);
  return lines(
    words.html('person-title', { user: String(person.user) }),
    words.html('person-since', { first: day(person.firstDay), last: day(person.lastDay) }),
    words.html('person-language', {
      language: words.plain('making-language', { language: person.language }),
    }),
    link
      ? words.html('person-linked', { account: String(link.account), tail: formatKeyTail(link.tail) })
      : words.html('person-guest'),
    person.unreachable && words.html('person-unreachable', { why: person.unreachable }),
    person.isBanned && words.html('person-banned'),
  );
}

const STATUS_LENGTH = 32;

function unresolvedEntry(words: Words, kinds: Kinds, operation: Operation, number: number): string {
  const { request, claimedAt, createdAt } = operation;
  const kind = kinds.of(request);
  const since = formatMoment(claimedAt ?? createdAt, words.language);
  return lines(
    `${number}. ${stateLine(words, operation)} · ${since}`,
    `${kind.title(words, request)} → ${shortenAddress(kind.target(request))}`,
    holderLine(words, operation),
  );
}

function holderLine(words: Words, { user, account }: Operation): string {
  return words.html('unresolved-whose', { user: String(user), account: String(account) });
}

export function unresolvedTitle(words: Words, kinds: Kinds, operation: Operation): string {
  const { id, request, estimate } = operation;
  const kind = kinds.of(request);
  return lines(
    words.html('unresolved-one', { id }),
    stateLine(words, operation),
    kind.title(words, request),
    words.html('unresolved-address', { address: kind.target(request) }),
    holderLine(words, operation),
    estimate !== undefined && words.html('operation-estimate', { estimate }),
  );
}

/** `isLinked`: the service can be queried with the user's key. */
function unresolvedDetails(words: Words, operation: Operation, isLinked: boolean, hasList: boolean): string {
  const { claimedAt, sentAt, decided } = operation;
  const time = (at: number | undefined) =>
    at === undefined ? 'none' : `${formatDay(at, words.language)}, ${formatTimeWithSeconds(at)}`;
  return paragraphs(
    lines(
      words.html('unresolved-confirmed', { time: time(claimedAt) }),
      sentAt !== undefined && words.html('unresolved-sent', { time: time(sentAt) }),
    ),
    sentAt !== undefined && evidenceLines(words, operation, hasList),
    decided &&
      words.html('unresolved-decided', {
        outcome: outcomeName(words, decided.outcome),
        reason: decided.reason,
        admin: String(decided.admin),
        time: time(decided.at),
      }),
    isUncertain(operation) && !isLinked && words.html('unresolved-no-key'),
  );
}

function evidenceLines(words: Words, operation: Operation, hasList: boolean): string {
  const { balanceBefore, search, result } = operation;
  const { seen = {} } = search ?? {};
  const next = nextSearchAt(operation);
  return lines(
    words.html('unresolved-evidence'),
    words.html('unresolved-balance', { before: balanceBefore ?? '–', after: seen.left ?? '–' }),
    hasList
      ? seen.listed && words.html('unresolved-listed', { entries: entriesText(words, seen.listed) })
      : seen.reports && words.html('unresolved-reports', { entries: entriesText(words, seen.reports) }),
    result?.order !== undefined && words.html('operation-order', { order: String(result.order) }),
    words.html('unresolved-checks', {
      count: search?.count ?? 0,
      last: search?.at === undefined ? '–' : formatTimeWithSeconds(search.at),
    }),
    isUncertain(operation) &&
      next !== undefined &&
      words.html('unresolved-next', { next: formatTimeWithSeconds(next) }),
  );
}

function entriesText(
  words: Words,
  entries: readonly { id?: number; order?: number; status: string; amount?: string | undefined }[],
) {
  const each = entries.map(({ id, order, status, amount }) => {
    const suffix = amount ? ` ${formatAmount(toPrintable(amount, STATUS_LENGTH), words.language)} TRX` : '';
    return `№ ${id ?? order} ${toPrintable(status, STATUS_LENGTH)}`.trimEnd() + suffix;
  });
  return each.join(', ') || '–';
}

/** Returns the name of an outcome that an admin chose. */
export function outcomeName(words: Words, outcome: 'done' | 'not-done'): string {
  return words.plain(outcome === 'done' ? 'button-went-through' : 'button-did-not');
}

function stateLine(words: Words, { state, result }: Operation): string {
  const isFailed = state === 'done' && result?.status === 'failed';
  return words.html('unresolved-state', { state: isFailed ? 'failed' : state });
}

export const UNRESOLVED = 'unresolved';

const PAGE_SIZE = 5;
const REF_SEPARATOR = '_';

export function buttonArgumentOf({ user, id }: OperationRef): string {
  return `${user}${REF_SEPARATOR}${id}`;
}

export function refOfButtonArgument(name: string): OperationRef {
  const [user, id = ''] = name.split(REF_SEPARATOR);
  return { user: Number(user), id };
}

export async function unresolvedList(
  { operations, now }: FeatureDeps,
  words: Words,
  wanted: number,
): Promise<View> {
  const { unresolved, kinds } = operations;
  const { operations: all, unreadable, isMore } = await unresolved.list();
  const last = Math.max(0, Math.ceil(all.length / PAGE_SIZE) - 1);
  const page = Math.min(wanted, last);
  const shown = all.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  const numbered = shown.map((operation, at) => ({ operation, number: page * PAGE_SIZE + at + 1 }));
  const detailButtons = numbered.map(({ operation, number }) => ({
    text: String(number),
    callback_data: callbackData(UNRESOLVED, 'one', buttonArgumentOf(operation)),
  }));
  const pageButton = (key: TextKey, to: number) => button(words, key, callbackData(UNRESOLVED, 'page', to));
  const pageButtons = [
    ...(page > 0 ? [pageButton('button-unresolved-older', page - 1)] : []),
    pageButton('button-refresh', page),
    ...(page < last ? [pageButton('button-unresolved-newer', page + 1)] : []),
  ];
  const html = paragraphs(
    words.html('unresolved-title', { count: `${all.length}${isMore ? '+' : ''}` }),
    ...numbered.map(({ operation, number }) => unresolvedEntry(words, kinds, operation, number)),
    unreadable > 0 && words.html('unresolved-unreadable', { count: unreadable }),
    words.html(all.length > 0 ? 'unresolved-open' : 'unresolved-none'),
    words.html('events-as-of', { time: formatTimeWithSeconds(now()) }),
  );
  return withAdminButtons(words, html, detailButtons, pageButtons);
}

export async function unresolvedView(
  { operations, links, now }: FeatureDeps,
  words: Words,
  operation: Operation,
): Promise<View> {
  const { kinds } = operations;
  const { user, account, request, state } = operation;
  const isLinked = (await links.apiKey(user, account)) !== undefined;
  const hasList = kinds.of(request).listing !== undefined;
  const html = paragraphs(
    unresolvedTitle(words, kinds, operation),
    unresolvedDetails(words, operation, isLinked, hasList),
    words.html('events-as-of', { time: formatTimeWithSeconds(now()) }),
  );
  const to = (key: TextKey, name: string) =>
    button(words, key, callbackData(UNRESOLVED, name, buttonArgumentOf(operation)));
  const isOpen = isUncertain(operation);
  return withAdminButtons(
    words,
    html,
    isOpen || state === 'sent' ? [to('button-unresolved-ask', 'ask')] : [],
    isOpen ? [to('button-went-through', 'went'), to('button-did-not', 'failed')] : [],
    [to('button-refresh', 'one'), button(words, 'button-unresolved', callbackData(UNRESOLVED, 'open'))],
  );
}
