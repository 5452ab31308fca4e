import { adminsOnly } from '../bot/admins-only.ts';
import { defineFeature } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { formatCount, formatDay, formatTimeWithSeconds } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';
import { kindText } from '../operations/kinds/kind.ts';
import { COUNTED_DAYS, type CountOf, SETTLED } from '../operations/queries.ts';

const NAME = 'operations';
const DAYS = [1, 7, COUNTED_DAYS] as const;

/** Creates the feature that shows admins how operations ended, by kind, and how many are unresolved. */
export const operationsFeature = defineFeature((deps) => {
  const { now } = deps;
  const { settledCounts, unresolved, kinds } = deps.operations;

  async function read(words: Words): Promise<View> {
    const at = now();
    const [spans, open] = await Promise.all([settledCounts.upTo(at, DAYS), unresolved.list()]);
    const figures = kinds.all
      .map((kind) => ofKind(words, words.html(kindText(kind, 'filter')), kind.name, spans))
      .filter((figure) => figure !== '');
    const count = open.operations.length + open.unreadable;
    const html = paragraphs(
      words.html('operations-title', { day: formatDay(at, words.language) }),
      words.html('operations-spans'),
      ...(figures.length > 0 ? figures : [words.html('operations-none')]),
      words.html('operations-unresolved', { count, more: open.isMore ? 'yes' : 'no' }),
      words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
    );
    return {
      html,
      keyboard: [
        [
          button(words, 'button-refresh', callbackData(NAME, 'open')),
          button(words, 'button-unresolved', callbackData('unresolved', 'open')),
        ],
        [button(words, 'button-admin', callbackData('menu', 'admin')), menuButton(words)],
      ],
    };
  }

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-operations',
    command: { name: 'operations', text: 'command-operations' },
    open: async (ctx) => show(ctx, await read(ctx.words)),
  });
});

/** Returns a line for each outcome that occurred. The text is empty if there was none. */
function ofKind(words: Words, title: string, kind: string, spans: readonly CountOf[]): string {
  const figures = SETTLED.map((outcome) => {
    const counts = spans.map((of) => of(kind, outcome));
    if (counts.every((count) => count === 0)) return undefined;
    const said = counts.map((count) => `<b>${formatCount(count, words.language)}</b>`).join(' · ');
    return `${words.html('operations-outcome', { outcome })}: ${said}`;
  });
  const there = lines(...figures);
  return there && lines(title, there);
}
