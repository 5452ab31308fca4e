import type { FeatureDeps } from '../../bot/feature.ts';
import type { TextKey } from '../../i18n/keys.ts';
import {
  formatMoment,
  formatTimeWithSeconds,
  lines,
  paragraphs,
  shortenAddress,
  type Words,
} from '../../i18n/texts.ts';
import { headline } from '../../operations/card.ts';
import type { Kinds } from '../../operations/kinds/kind.ts';
import type { ConfirmedOperation } from '../../operations/operation.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withAdminButtons } from '../../views/view.ts';
import { buttonArgumentOf, holderLine, operatorNumber, UNRESOLVED } from '../views/admin-operation.ts';

const PAGE_SIZE = 5;

function unresolvedEntry(
  words: Words,
  { kinds, operators, now }: { kinds: Kinds; operators: number | undefined; now: number },
  operation: ConfirmedOperation,
  number: number,
): string {
  const { request, claimedAt } = operation;
  const kind = kinds.of(request);
  const since = formatMoment(claimedAt, words.language);
  return lines(
    `${number}. ${headline(words, kind, operation, now)} · ${since}`,
    `${kind.title(words, request)} → ${shortenAddress(kind.target(request))}`,
    holderLine(words, operation, operators),
  );
}

export async function unresolvedList(deps: FeatureDeps, words: Words, wanted: number): Promise<View> {
  const { now } = deps;
  const { unresolved, kinds } = deps.operations;
  const [{ operations: all, unreadable, isMore }, operators] = await Promise.all([
    unresolved.list(),
    operatorNumber(deps),
  ]);
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
    ...numbered.map(({ operation, number }) =>
      unresolvedEntry(words, { kinds, operators, now: now() }, operation, number),
    ),
    unreadable > 0 && words.html('unresolved-unreadable', { count: unreadable }),
    words.html(all.length > 0 ? 'unresolved-open' : 'unresolved-none'),
    words.html('events-as-of', { time: formatTimeWithSeconds(now()) }),
  );
  return withAdminButtons(words, html, detailButtons, pageButtons);
}
