import type { FeatureDeps } from '../../bot/feature.ts';
import type { TextKey } from '../../i18n/keys.ts';
import {
  formatAmount,
  formatDay,
  formatMoment,
  formatTimeWithSeconds,
  lines,
  paragraphs,
  shortenAddress,
  type Words,
} from '../../i18n/texts.ts';
import type { Kinds } from '../../operations/kinds/kind.ts';
import {
  type Attempted,
  type ConfirmedOperation,
  decisionOf,
  isConfirmed,
  isUncertain,
  type Operation,
  type OperationRef,
  wasSent,
} from '../../operations/operation.ts';
import { nextSearchAt } from '../../operations/recovery.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withAdminButtons } from '../../views/view.ts';

const STATUS_LENGTH = 32;

function unresolvedEntry(words: Words, kinds: Kinds, operation: ConfirmedOperation, number: number): string {
  const { request, claimedAt } = operation;
  const kind = kinds.of(request);
  const since = formatMoment(claimedAt, words.language);
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
    words.html('operation-address', { address: kind.target(request) }),
    holderLine(words, operation),
    estimate !== undefined && words.html('operation-estimate', { estimate }),
  );
}

/** `isLinked`: the service can be queried with the user's key. */
function unresolvedDetails(words: Words, operation: Operation, isLinked: boolean, hasList: boolean): string {
  const time = (at: number) => `${formatDay(at, words.language)}, ${formatTimeWithSeconds(at)}`;
  const decision = decisionOf(operation);
  return paragraphs(
    lines(
      isConfirmed(operation) && words.html('unresolved-confirmed', { time: time(operation.claimedAt) }),
      wasSent(operation) && words.html('unresolved-sent', { time: time(operation.attempt.sentAt) }),
    ),
    wasSent(operation) && evidenceLines(words, operation, hasList),
    decision &&
      words.html('unresolved-decided', {
        outcome: outcomeName(words, decision.outcome),
        reason: decision.reason,
        admin: String(decision.admin),
        time: time(decision.at),
      }),
    isUncertain(operation) && !isLinked && words.html('unresolved-no-key'),
  );
}

function evidenceLines(words: Words, operation: ConfirmedOperation & Attempted, hasList: boolean): string {
  const { search, attempt } = operation;
  const { seen = {} } = search ?? {};
  const order = operation.state === 'done' ? operation.result.order : undefined;
  const next = nextSearchAt(operation);
  return lines(
    words.html('unresolved-evidence'),
    words.html('unresolved-balance', { before: attempt.balanceBefore ?? '–', after: seen.left ?? '–' }),
    hasList
      ? seen.listed && words.html('unresolved-listed', { entries: entriesText(words, seen.listed) })
      : seen.reports && words.html('unresolved-reports', { entries: entriesText(words, seen.reports) }),
    order !== undefined && words.html('operation-order', { order: String(order) }),
    words.html('unresolved-checks', {
      count: search?.count ?? 0,
      last: search ? formatTimeWithSeconds(search.at) : '–',
    }),
    next !== undefined && words.html('unresolved-next', { next: formatTimeWithSeconds(next) }),
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

export function outcomeName(words: Words, outcome: 'done' | 'not-done'): string {
  return words.plain(outcome === 'done' ? 'button-went-through' : 'button-did-not');
}

function stateLine(words: Words, operation: Operation): string {
  const isFailed = operation.state === 'done' && operation.result.status === 'failed';
  return words.html('unresolved-state', { state: isFailed ? 'failed' : operation.state });
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
    isOpen || state === 'sent' ? [to('button-check-again', 'ask')] : [],
    isOpen ? [to('button-went-through', 'went'), to('button-did-not', 'failed')] : [],
    [to('button-refresh', 'one'), button(words, 'button-unresolved', callbackData(UNRESOLVED, 'open'))],
  );
}
