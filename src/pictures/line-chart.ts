import { rgbPng } from './png.ts';

type Color = readonly [red: number, green: number, blue: number];
type Point = readonly [x: number, y: number];

interface Series {
  label: string;
  points: readonly Point[];
}

interface Tick {
  at: number;
  label: string;
}

const SIZE = { width: 800, height: 400 };
/** Space around the plot, in pixels: for the labels of the axes, and for the legend above. */
const MARGIN = { left: 80, right: 24, top: 52, bottom: 40 };
const PLOT = { right: SIZE.width - MARGIN.right, bottom: SIZE.height - MARGIN.bottom };
const LINE_RADIUS_PX = 1.5;
const PAPER: Color = [255, 255, 255];
const GRID: Color = [226, 230, 235];
const INK: Color = [71, 82, 94];
const LINES: readonly [Color, ...Color[]] = [
  [214, 69, 65],
  [38, 110, 203],
  [39, 145, 92],
];

/** Glyphs of 5 × 7 pixels, as one byte for each row from the top: digits, English months, and units of time. */
const GLYPHS: Readonly<Record<string, string>> = {
  '0': '0e11131519110e',
  '1': '040c040404040e',
  '2': '0e11010204081f',
  '3': '1f02040201110e',
  '4': '02060a121f0202',
  '5': '1f101e0101110e',
  '6': '0608101e11110e',
  '7': '1f010204080808',
  '8': '0e11110e11110e',
  '9': '0e11110f01020c',
  '.': '00000000000c0c',
  A: '0e11111f111111',
  D: '1e11111111111e',
  F: '1f10101e101010',
  J: '0702020202120c',
  M: '111b1515111111',
  N: '11191513111111',
  O: '0e11111111110e',
  S: '0f10100e01011e',
  a: '00000e010f110f',
  b: '10101e1111111e',
  c: '00000e1010110e',
  e: '00000e111f100e',
  g: '000f11110f010e',
  h: '10101e11111111',
  l: '0c04040404040e',
  n: '00001e11111111',
  o: '00000e1111110e',
  p: '00001e111e1010',
  r: '00001619101010',
  t: '08081c08080906',
  u: '0000111111130d',
  v: '00001111110a04',
  y: '001111110f010e',
  ч: '000011110f0101',
};
const GLYPH = { width: 5, height: 7, gap: 1, scale: 2 };
const ADVANCE_PX = (GLYPH.width + GLYPH.gap) * GLYPH.scale;

/**
 * Renders a line chart as a PNG of 800 × 400 pixels. `x` and `y` are the ranges of the axes with their labelled ticks.
 * Points outside the ranges are drawn at the edge. Characters without a glyph are left blank.
 */
export function lineChart({
  series,
  x,
  y,
}: {
  series: readonly Series[];
  x: { range: Point; ticks: readonly Tick[] };
  y: { range: Point; ticks: readonly Tick[] };
}): Buffer {
  const canvas = createCanvas();
  const toX = scale(x.range, [MARGIN.left, PLOT.right]);
  const toY = scale(y.range, [PLOT.bottom, MARGIN.top]);
  for (const { at, label } of y.ticks) {
    canvas.line([MARGIN.left, toY(at)], [PLOT.right, toY(at)], 0.5, GRID);
    canvas.text([MARGIN.left - 10 - textWidth(label), toY(at) - 7], label);
  }
  for (const { at, label } of x.ticks) {
    canvas.line([toX(at), MARGIN.top], [toX(at), PLOT.bottom], 0.5, GRID);
    const centered = toX(at) - textWidth(label) / 2;
    canvas.text([Math.min(centered, SIZE.width - textWidth(label) - 4), PLOT.bottom + 12], label);
  }
  let legendAt = MARGIN.left;
  for (const [number, { label, points }] of series.entries()) {
    const color = LINES[number % LINES.length] ?? LINES[0];
    const drawn = points.map(([atX, atY]): Point => [toX(atX), toY(atY)]);
    for (const [at, point] of drawn.entries())
      canvas.line(drawn[at - 1] ?? point, point, LINE_RADIUS_PX, color);
    canvas.line([legendAt, 24], [legendAt + 28, 24], LINE_RADIUS_PX, color);
    canvas.text([legendAt + 38, 17], label);
    legendAt += 38 + textWidth(label) + 36;
  }
  return rgbPng(SIZE, canvas.rgb);
}

const textWidth = (text: string) => [...text].length * ADVANCE_PX;

/** Returns a linear mapping between two ranges. Values outside of `from` map to the ends of `to`. */
function scale([low, high]: Point, [start, end]: Point): (value: number) => number {
  return (value) => {
    const part = high === low ? 0.5 : (value - low) / (high - low);
    return start + Math.min(1, Math.max(0, part)) * (end - start);
  };
}

function createCanvas() {
  const rgb = Buffer.alloc(3 * SIZE.width * SIZE.height, Buffer.from(PAPER));

  /** Mixes a color into a pixel. `share` is 0 to 1. */
  function blend(x: number, y: number, color: Color, share: number): void {
    if (x < 0 || y < 0 || x >= SIZE.width || y >= SIZE.height) return;
    const at = 3 * (y * SIZE.width + x);
    for (const [part, value] of color.entries()) {
      const before = rgb[at + part] ?? 0;
      rgb[at + part] = Math.round(before + (value - before) * share);
    }
  }

  return {
    rgb,
    /** Draws a line with smooth edges and round ends. */
    line([fromX, fromY]: Point, [toX, toY]: Point, radius: number, color: Color): void {
      const [dx, dy] = [toX - fromX, toY - fromY];
      const length = dx * dx + dy * dy;
      const reach = radius + 1;
      for (let y = Math.floor(Math.min(fromY, toY) - reach); y <= Math.max(fromY, toY) + reach; y++) {
        for (let x = Math.floor(Math.min(fromX, toX) - reach); x <= Math.max(fromX, toX) + reach; x++) {
          const along = length === 0 ? 0 : ((x - fromX) * dx + (y - fromY) * dy) / length;
          const part = Math.min(1, Math.max(0, along));
          const distance = Math.hypot(x - fromX - part * dx, y - fromY - part * dy);
          const share = Math.min(1, Math.max(0, radius + 0.5 - distance));
          if (share > 0) blend(x, y, color, share);
        }
      }
    },
    /** Draws a text below and to the right of a point. */
    text([left, top]: Point, text: string): void {
      for (const [place, character] of [...text].entries()) {
        const rows = Buffer.from(GLYPHS[character] ?? '', 'hex');
        for (let y = 0; y < rows.length * GLYPH.scale; y++) {
          for (let x = 0; x < GLYPH.width * GLYPH.scale; x++) {
            const row = rows[Math.floor(y / GLYPH.scale)] ?? 0;
            const isSet = (row >> (GLYPH.width - 1 - Math.floor(x / GLYPH.scale))) & 1;
            if (isSet) blend(Math.round(left) + place * ADVANCE_PX + x, Math.round(top) + y, INK, 1);
          }
        }
      }
    },
  };
}
