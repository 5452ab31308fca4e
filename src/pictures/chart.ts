import { MUTED_INK, svgNumber, svgPicture, svgText, textWidth } from './svg.ts';

export type Point = readonly [x: number, y: number];

/** Line of a chart. */
interface ChartLine {
  name: string;
  /** Latest value, as text. */
  latest: string;
  color: string;
  isDashed?: boolean;
  /** At least one point, by ascending `x`. */
  points: readonly Point[];
}

/** Axis of a chart with its labels. */
export interface ChartAxis {
  range: Point;
  ticks: readonly { at: number; label: string }[];
}

interface Chart {
  title: string;
  lines: readonly ChartLine[];
  x: ChartAxis;
  y: ChartAxis;
  /** Longest distance on the x-axis between two points of a solid line. Across longer ones the line is faint. */
  maxGap: number;
}

const SIZE = { width: 1_200, height: 640 };
const MARGIN_PX = 48;
const PLOT = { left: 150, right: 956, top: 128, bottom: 544 };
/** Smallest font size. Phones show the picture at a third of its size. */
const SMALL_PX = 34;
const LATEST_PX = 48;
const LABEL_LEFT = PLOT.right + 34;
/** Height of a line's label: its latest value above its name. */
const LABEL_HEIGHT_PX = 98;
/** Lowest label. Further down, its name would touch the labels of the x-axis. */
const LOWEST_LABEL = PLOT.bottom - 36;
const BACKGROUND = '#F7F9FB';
const GRID = '#DFE5EB';

/** Line with positions in the picture. */
interface PlacedLine extends ChartLine {
  /** Curve through all points. */
  path: string;
  /** Points between gaps. */
  runs: readonly (readonly Point[])[];
  end: Point;
  labelY: number;
}

/** Draws a line chart of 1,200 × 640 pixels as an SVG, with the latest value of each line at its right. */
export function chartSvg({ title, lines, x, y, maxGap }: Chart): string {
  const toX = scale(x.range, [PLOT.left, PLOT.right]);
  const toY = scale(y.range, [PLOT.bottom, PLOT.top]);
  const toPicture = ([atX, atY]: Point): Point => [toX(atX), toY(atY)];
  const ends = lines.map(({ points }) => toPicture(points.at(-1) ?? [x.range[1], y.range[0]]));
  const labelYs = spread(ends.map(([, endY]) => endY));
  const placed = lines.map((line, number) => {
    const points = line.points.map(toPicture);
    return {
      ...line,
      points,
      path: curve(points),
      runs: splitAtGaps(line.points, maxGap).map((run) => run.map(toPicture)),
      end: ends[number] ?? [PLOT.right, PLOT.bottom],
      labelY: labelYs[number] ?? PLOT.bottom,
    };
  });
  return svgPicture({ ...SIZE, background: BACKGROUND }, [
    heading(title),
    ...y.ticks.map((tick) => valueTick(tick.label, toY(tick.at))),
    ...x.ticks.map((tick) => timeTick(tick.label, toX(tick.at))),
    ...placed.map((line, number) => (line.isDashed ? '' : area(line, `area-${number}`))),
    ...placed.map((line) => (line.isDashed ? dashedLine(line) : solidLine(line))),
    ...placed.map(({ end, color }) => dot(end, 12, color)),
    ...placed.map(label),
  ]);
}

function heading(text: string): string {
  const maxWidthPx = SIZE.width - 2 * MARGIN_PX;
  return svgText(text, { x: MARGIN_PX, y: 76, sizePx: SMALL_PX + 2, maxWidthPx, weight: 600 });
}

function valueTick(text: string, y: number): string {
  const place = { x: PLOT.left - 24, y: y + 12, maxWidthPx: PLOT.left - 24 - MARGIN_PX / 2 };
  return (
    `<path d="M${PLOT.left} ${svgNumber(y)}H${PLOT.right}" stroke="${GRID}" stroke-width="2"/>` +
    svgText(text, { ...place, sizePx: SMALL_PX, color: MUTED_INK, anchor: 'end' })
  );
}

function timeTick(text: string, centre: number): string {
  const width = textWidth(text, SMALL_PX);
  const [leftmost, rightmost] = [MARGIN_PX + width / 2, SIZE.width - MARGIN_PX - width / 2];
  const place = {
    x: Math.max(leftmost, Math.min(centre, rightmost)),
    y: SIZE.height - 40,
    maxWidthPx: width,
  };
  return svgText(text, { ...place, sizePx: SMALL_PX, color: MUTED_INK, anchor: 'middle' });
}

function area({ points, path, end, color }: PlacedLine, id: string): string {
  const [start = end] = points;
  return (
    `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop stop-color="${color}" stop-opacity="0.16"/>` +
    `<stop offset="1" stop-color="${color}" stop-opacity="0"/></linearGradient>` +
    `<path d="${path}L${svgNumber(end[0])} ${PLOT.bottom}H${svgNumber(start[0])}Z" fill="url(#${id})"/>`
  );
}

function solidLine({ path, runs, color }: PlacedLine): string {
  if (runs.length === 1) return stroke(path, color);
  const single = runs.flatMap((run) => (run.length === 1 ? run : []));
  return [
    stroke(path, color, 'stroke-opacity="0.3"'),
    stroke(runs.map(curve).join(''), color),
    ...single.map((point) => dot(point, 8, color)),
  ].join('');
}

function dashedLine({ path, color }: PlacedLine): string {
  return stroke(path, color, 'stroke-dasharray="16 16"');
}

function stroke(path: string, color: string, more = ''): string {
  return `<path d="${path}" fill="none" stroke="${color}" stroke-width="5" stroke-linecap="round" stroke-linejoin="round" ${more}/>`;
}

function dot([x, y]: Point, radiusPx: number, color: string): string {
  return `<circle cx="${svgNumber(x)}" cy="${svgNumber(y)}" r="${radiusPx}" fill="${color}" stroke="${BACKGROUND}" stroke-width="4"/>`;
}

function label({ name, latest, color, labelY: y }: PlacedLine): string {
  const place = { x: LABEL_LEFT, maxWidthPx: SIZE.width - LABEL_LEFT - MARGIN_PX / 2, color };
  return (
    svgText(latest, { ...place, y, sizePx: LATEST_PX, weight: 600 }) +
    svgText(name, { ...place, y: y + 40, sizePx: SMALL_PX })
  );
}

/** Returns the heights of labels beside points at these heights. Moves labels apart that would overlap. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((_, at) => at).toSorted((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const spaced = [...heights];
  let highest = PLOT.top;
  for (const at of order) {
    const y = Math.max(heights[at] ?? 0, highest);
    spaced[at] = y;
    highest = y + LABEL_HEIGHT_PX;
  }
  let lowest = LOWEST_LABEL;
  for (const at of order.toReversed()) {
    const y = Math.min(spaced[at] ?? 0, lowest);
    spaced[at] = y;
    lowest = y - LABEL_HEIGHT_PX;
  }
  return spaced;
}

function splitAtGaps(points: readonly Point[], maxGap: number): Point[][] {
  const runs: Point[][] = [];
  for (const [at, point] of points.entries()) {
    const before = points[at - 1];
    if (before === undefined || point[0] - before[0] > maxGap) runs.push([point]);
    else runs.at(-1)?.push(point);
  }
  return runs;
}

/** Returns a linear mapping between two ranges. All values of an empty range map to `end`. */
function scale([low, high]: Point, [start, end]: Point): (value: number) => number {
  return (value) => (high === low ? end : start + ((value - low) / (high - low)) * (end - start));
}

/**
 * Returns a smooth path through points: cubic Bézier curves that stay between the values of their ends
 * (M. Steffen, A simple method for monotonic interpolation, 1990).
 */
function curve(points: readonly Point[]): string {
  const [first = [0, 0]] = points;
  const pieces = points.slice(1).map(([x, y], at) => {
    const [fromX, fromY] = points[at] ?? first;
    const third = (x - fromX) / 3;
    const [leaving, arriving] = [slopeAt(points, at), slopeAt(points, at + 1)];
    const controls = [fromX + third, fromY + third * leaving, x - third, y - third * arriving, x, y];
    return `C${controls.map(svgNumber).join(' ')}`;
  });
  return `M${first.map(svgNumber).join(' ')}${pieces.join('')}`;
}

function slopeAt(points: readonly Point[], at: number): number {
  const before = secant(points[at - 1], points[at]);
  const after = secant(points[at], points[at + 1]);
  if (before === undefined || after === undefined) return before?.slope ?? after?.slope ?? 0;
  const mean = (before.slope * after.width + after.slope * before.width) / (before.width + after.width);
  const least = Math.min(Math.abs(before.slope), Math.abs(after.slope), Math.abs(mean) / 2);
  return (Math.sign(before.slope) + Math.sign(after.slope)) * least;
}

function secant(from: Point | undefined, to: Point | undefined) {
  if (from === undefined || to === undefined) return undefined;
  const width = to[0] - from[0];
  return { width, slope: (to[1] - from[1]) / width };
}
