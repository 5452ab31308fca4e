import { formatDay, formatMoment, formatTimeWithSeconds, shortenAddress } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import { isUncertain, type Operation, type OperationRef } from '../operations/operation.ts';
import { nextSearchAt } from '../operations/recheck-schedule.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import type { FeatureDeps } from './feature.ts';

/** Maximum number of characters of a status or an amount from the service. */
const STATUS_LENGTH = 32;

/** Returns an entry of the list, in three lines. */
function unresolvedEntry(words: Words, kinds: Kinds, operation: Operation, at: number): string {
  const { request, user, account, claimedAt, createdAt } = operation;
  const kind = kinds.of(request);
  const since = formatMoment(claimedAt ?? createdAt, words.language);
  return lines(
    `${at}. ${stateLine(words, operation)} · ${since}`,
    `${kind.title(words, request)} → ${shortenAddress(kind.target(request))}`,
    words.html('unresolved-whose', { user: String(user), account: String(account) }),
  );
}

/** Returns what the operation is, and its status. */
export function unresolvedTitle(words: Words, kinds: Kinds, operation: Operation): string {
  const { id, request, user, account, estimate } = operation;
  const kind = kinds.of(request);
  return lines(
    words.html('unresolved-one', { id }),
    stateLine(words, operation),
    kind.title(words, request),
    words.html('unresolved-address', { address: kind.target(request) }),
    words.html('unresolved-whose', { user: String(user), account: String(account) }),
    estimate !== undefined && words.html('operation-estimate', { estimate }),
  );
}

/**
 * Returns all that is known about the operation's outcome. `isLinked`: the service can be queried with the user's key.
 */
function unresolvedDetails(
  words: Words,
  operation: Operation,
  { isLinked, hasList }: { isLinked: boolean; hasList: boolean },
): string {
  const { claimedAt, sentAt, decided } = operation;
  const time = (at: number | undefined) =>
    at === undefined ? 'none' : `${formatDay(at, words.language)}, ${formatTimeWithSeconds(at)}`;
  return paragraphs(
    lines(
      words.html('unresolved-confirmed', { time: time(claimedAt) }),
      words.html('unresolved-sent', { time: time(sentAt) }),
    ),
    sentAt !== undefined && evidence(words, operation, hasList),
    decided &&
      words.html('unresolved-decided', {
        outcome: decided.outcome,
        reason: decided.reason,
        admin: String(decided.admin),
        time: time(decided.at),
      }),
    isUncertain(operation) && !isLinked && words.html('unresolved-no-key'),
  );
}

function evidence(words: Words, operation: Operation, hasList: boolean): string {
  const { balanceBefore, search, result } = operation;
  const { seen = {} } = search ?? {};
  const next = nextSearchAt(operation);
  return lines(
    words.html('unresolved-evidence'),
    words.html('unresolved-balance', { before: balanceBefore ?? 'none', after: seen.left ?? 'none' }),
    hasList
      ? seen.listed && words.html('unresolved-listed', { entries: entriesText(seen.listed) })
      : seen.reports && words.html('unresolved-reports', { entries: entriesText(seen.reports) }),
    result?.order !== undefined && words.html('operation-order', { order: String(result.order) }),
    words.html('unresolved-looks', {
      count: search?.count ?? 0,
      last: search?.at === undefined ? 'none' : formatTimeWithSeconds(search.at),
    }),
    isUncertain(operation) &&
      words.html('unresolved-next', { next: next === undefined ? 'none' : formatTimeWithSeconds(next) }),
  );
}

/** Returns records as the service describes them: number, status and amount. */
function entriesText(
  entries: readonly { id?: number; order?: number; status: string; amount?: string | undefined }[],
) {
  const each = entries.map(({ id, order, status, amount }) =>
    [
      `№ ${id ?? order}`,
      toPrintable(status, STATUS_LENGTH),
      amount && `${toPrintable(amount, STATUS_LENGTH)} TRX`,
    ]
      .filter(Boolean)
      .join(' '),
  );
  return each.length === 0 ? 'none' : each.join(', ');
}

function stateLine(words: Words, { state, result }: Operation): string {
  const isFailed = state === 'done' && result?.status === 'failed';
  return words.html('unresolved-state', { state: isFailed ? 'failed' : state });
}

/** Name of the feature that handles the buttons of these views. */
export const UNRESOLVED = 'unresolved';

const PAGE_SIZE = 5;
/** Separator between the user and the number of an operation. */
const REF_SEPARATOR = '_';

/** Returns the reference of an operation as buttons contain it. */
export function buttonArgumentOf({ user, id }: OperationRef): string {
  return `${user}${REF_SEPARATOR}${id}`;
}

export function refOfButtonArgument(name: string): OperationRef {
  const [user, id = ''] = name.split(REF_SEPARATOR);
  return { user: Number(user), id };
}

/** Creates the views of unresolved operations: the list in pages, and one operation with all its details. */
export function createUnresolvedViews(deps: Pick<FeatureDeps, 'operations' | 'links' | 'now'>) {
  const { links, now } = deps;
  const { unresolved, kinds } = deps.operations;

  const navigationRow = (words: Words) => [
    button(words, 'button-admin', callbackData('menu', 'admin')),
    menuButton(words),
  ];

  async function list(words: Words, wanted: number): Promise<View> {
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
      words.html('unresolved-title', { count: all.length, more: isMore ? 'yes' : 'no' }),
      ...numbered.map(({ operation, number }) => unresolvedEntry(words, kinds, operation, number)),
      unreadable > 0 && words.html('unresolved-unreadable', { count: unreadable }),
      words.html(all.length > 0 ? 'unresolved-open' : 'unresolved-none'),
      words.html('events-as-of', { time: formatTimeWithSeconds(now()) }),
    );
    const rows = [detailButtons, pageButtons].filter((row) => row.length > 0);
    return {
      html,
      keyboard: [...rows, navigationRow(words)],
    };
  }

  async function one(words: Words, operation: Operation): Promise<View> {
    const { user, account, request, state } = operation;
    const isLinked = (await links.apiKey(user, account)) !== undefined;
    const hasList = kinds.of(request).listing !== undefined;
    const html = paragraphs(
      unresolvedTitle(words, kinds, operation),
      unresolvedDetails(words, operation, { isLinked, hasList }),
      words.html('events-as-of', { time: formatTimeWithSeconds(now()) }),
    );
    const to = (key: TextKey, name: string) =>
      button(words, key, callbackData(UNRESOLVED, name, buttonArgumentOf(operation)));
    const isOpen = isUncertain(operation);
    return {
      html,
      keyboard: [
        ...(isOpen || state === 'sent' ? [[to('button-unresolved-ask', 'ask')]] : []),
        ...(isOpen ? [[to('button-went-through', 'went'), to('button-did-not', 'failed')]] : []),
        [to('button-refresh', 'one'), button(words, 'button-unresolved', callbackData(UNRESOLVED, 'open'))],
        navigationRow(words),
      ],
    };
  }

  return { list, one };
}
