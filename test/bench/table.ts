import type { Spread } from './slices.ts';

/** Formats a table in Markdown with text in the first column and figures in the others. */
export function table(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.map(shown).join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

/** Formats a value with three significant digits. */
export function shown(value: string | number): string {
  if (typeof value === 'string') return value;
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}

export function spread({ median, least, most }: Spread): string {
  return `${shown(median)} (${shown(least)}–${shown(most)})`;
}

/** Compares the value as it is shown, because smaller differences are noise. */
export function aim(value: number, most: number, unit = ''): string {
  return `≤ ${shown(most)}${unit}: ${Number(value.toPrecision(3)) <= most ? 'met' : 'missed'}`;
}

/** Formats the numbers of failed walks by reason. */
export function failureLines(failures: Record<string, number>): string[] {
  return Object.entries(failures).map(([why, count]) => `Failed ${count} times: ${why}`);
}
