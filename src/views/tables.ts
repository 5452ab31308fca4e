import { escapeHtml } from '../i18n/texts.ts';

/** Maximum width of a line. Phones wrap longer ones. */
const MAX_WIDTH = 34;
const WIDE_GAP = 2;
/** End of a cell that was shortened. */
const ELLIPSIS = '…';

/** Alignment of a column. `shrinking`: left-aligned, and shortened first if the lines would be too long. */
type TableColumn = 'left' | 'right' | 'shrinking';

/**
 * Renders rows of plain text as an aligned table in Telegram's HTML. Lines have at most 34 characters. Empty columns are
 * left out.
 *
 *     renderTable(['left', 'right'], [['65,000', '2.32'], ['131,000', '14.67']])
 */
export function renderTable(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => columns.map((_, at) => (row[at] ?? '').replace(/[\r\n\t]/g, ' ')));
  const all = columns.map((kind, at) => ({
    kind,
    at,
    width: Math.max(0, ...cells.map((row) => displayWidth(row[at] ?? ''))),
  }));
  const shown = all.filter(({ width }) => width > 0);
  const widthWith = (gap: number) => shown.reduce((sum, { width }) => sum + width + gap, -gap);
  const gap = widthWith(WIDE_GAP) <= MAX_WIDTH ? WIDE_GAP : 1;
  let excess = widthWith(gap) - MAX_WIDTH;
  // Only implausible values make further columns too wide.
  for (const column of shown.toSorted(byShrinkingOrder)) {
    const cut = Math.max(0, Math.min(excess, column.width - 1));
    column.width -= cut;
    excess -= cut;
  }
  const lines = cells.map((row) => shown.map((column) => padCell(row[column.at] ?? '', column)));
  return `<pre>${lines.map((line) => escapeHtml(line.join(' '.repeat(gap)).trimEnd())).join('\n')}</pre>`;
}

interface SizedColumn {
  kind: TableColumn;
  width: number;
}

function byShrinkingOrder(one: SizedColumn, other: SizedColumn): number {
  const [first, second] = [one, other].map(({ kind }) => (kind === 'shrinking' ? 0 : 1));
  return (first ?? 0) - (second ?? 0) || other.width - one.width;
}

function padCell(text: string, { kind, width }: SizedColumn): string {
  const shown = displayWidth(text) > width ? shorten(text, width) : text;
  const padding = ' '.repeat(width - displayWidth(shown));
  return kind === 'right' ? padding + shown : shown + padding;
}

function shorten(text: string, width: number): string {
  let shown = '';
  for (const { segment } of SEGMENTER.segment(text)) {
    if (displayWidth(shown) + displayWidth(segment) >= width) break;
    shown += segment;
  }
  return shown.trimEnd() + ELLIPSIS;
}

const SEGMENTER = new Intl.Segmenter();
/** Emoji, and letters of double width. */
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|\p{sc=Han}|\p{sc=Hangul}|\p{sc=Hiragana}|\p{sc=Katakana}|[！-｠]/u;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

/** Returns the width of a text in a monospaced font, in characters. An emoji counts two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    if (WIDE.test(segment)) width += 2;
    else if (!INVISIBLE.test(segment)) width += 1;
  }
  return width;
}

/** Returns the emoji at the start of a plain text; an empty text without one. */
export function leadingEmoji(text: string): string {
  const [first] = SEGMENTER.segment(text);
  return first !== undefined && /\p{Emoji_Presentation}|\uFE0F/u.test(first.segment) ? first.segment : '';
}
