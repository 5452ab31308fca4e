import { adminsOnly, defineFeature } from '../../bot/feature.ts';
import { show } from '../../bot/reply.ts';
import {
  formatCount,
  formatDay,
  formatTimeWithSeconds,
  lines,
  paragraphs,
  type Words,
} from '../../i18n/texts.ts';
import { kindText } from '../../operations/kinds/kind.ts';
import { COUNTED_DAYS, type CountOf, SETTLED } from '../../operations/queries.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withAdminButtons } from '../../views/view.ts';

const OPERATIONS = 'operations';
const COUNTED_SPANS = [1, 7, COUNTED_DAYS] as const;

export const operationsFeature = defineFeature((deps) => {
  const { settledCounts, unresolved, kinds } = deps.operations;

  async function read(words: Words): Promise<View> {
    const at = deps.now();
    const [spans, open] = await Promise.all([settledCounts.upTo(at, COUNTED_SPANS), unresolved.list()]);
    const figures = kinds.all
      .map((kind) => outcomeLines(words, words.html(kindText(kind, 'filter')), kind.name, spans))
      .filter((figure) => figure !== '');
    const count = open.operations.length + open.unreadable;
    const html = paragraphs(
      words.html('operations-title', { day: formatDay(at, words.language) }),
      words.html('operations-spans'),
      ...(figures.length > 0 ? figures : [words.html('operations-none')]),
      words.html('operations-unresolved', { count: open.isMore ? `${count}+` : count }),
      words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
    );
    return withAdminButtons(words, html, [
      button(words, 'button-refresh', callbackData(OPERATIONS, 'open')),
      button(words, 'button-unresolved', callbackData('unresolved', 'open')),
    ]);
  }

  return adminsOnly(deps, {
    name: OPERATIONS,
    button: 'button-operations',
    command: { name: 'operations', text: 'command-operations' },
    open: async (ctx) => show(ctx, await read(ctx.words)),
  });
});

function outcomeLines(words: Words, title: string, kind: string, spans: readonly CountOf[]): string {
  const figures = SETTLED.map((outcome) => {
    const counts = spans.map((of) => of(kind, outcome));
    if (counts.every((count) => count === 0)) return undefined;
    const shown = counts.map((count) => `<b>${formatCount(count, words.language)}</b>`).join(' · ');
    return `${words.html('operations-outcome', { outcome })}: ${shown}`;
  });
  const text = lines(...figures);
  return text && lines(title, text);
}
