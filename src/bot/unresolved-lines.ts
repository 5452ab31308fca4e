import { clockSeconds, dayOf, moment, shortened } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { lines, paragraphs } from '../i18n/view.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import { isUncertain, type Operation } from '../operations/operation.ts';
import { nextSearchAt } from '../operations/recheck-schedule.ts';
import { printable } from '../rental-api/printable.ts';

/** Maximum number of characters of a status or an amount from the service. */
const STATUS_LENGTH = 32;

/** Returns an entry of the list, in three lines. */
export function unresolvedEntry(words: Words, kinds: Kinds, operation: Operation, at: number): string {
  const { request, user, account, claimedAt, createdAt } = operation;
  const kind = kinds.of(request);
  const since = moment(claimedAt ?? createdAt, words.language);
  return lines(
    `${at}. ${stateLine(words, operation)} · ${since}`,
    `${kind.title(words, request)} → ${shortened(kind.target(request))}`,
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
export function unresolvedDetails(
  words: Words,
  operation: Operation,
  { isLinked, hasList }: { isLinked: boolean; hasList: boolean },
): string {
  const { claimedAt, sentAt, decided } = operation;
  const time = (at: number | undefined) =>
    at === undefined ? 'none' : `${dayOf(at, words.language)}, ${clockSeconds(at)}`;
  return paragraphs(
    lines(
      words.html('unresolved-confirmed', { time: time(claimedAt) }),
      words.html('unresolved-sent', { time: time(sentAt) }),
    ),
    sentAt !== undefined && evidence(words, operation, hasList),
    decided &&
      words.html('unresolved-decided', {
        ...{ outcome: decided.outcome, reason: decided.reason, admin: String(decided.admin) },
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
      ? seen.listed && words.html('unresolved-listed', { entries: entriesOf(seen.listed) })
      : seen.reports && words.html('unresolved-reports', { entries: entriesOf(seen.reports) }),
    result?.order !== undefined && words.html('operation-order', { order: String(result.order) }),
    words.html('unresolved-looks', {
      count: search?.count ?? 0,
      last: search?.at === undefined ? 'none' : clockSeconds(search.at),
    }),
    isUncertain(operation) &&
      words.html('unresolved-next', { next: next === undefined ? 'none' : clockSeconds(next) }),
  );
}

/** Returns records as the service describes them: number, status and amount. */
function entriesOf(
  entries: readonly { id?: number; order?: number; status: string; amount?: string | undefined }[],
) {
  const each = entries.map(({ id, order, status, amount }) =>
    [
      `№ ${id ?? order}`,
      printable(status, STATUS_LENGTH),
      amount && `${printable(amount, STATUS_LENGTH)} TRX`,
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
