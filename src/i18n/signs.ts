import { oneBitPng } from './qr-code.ts';

/** Size in pixels. As wide as the QR code that the sign replaces, but lower. */
const SIZE = { width: 370, height: 120 };
/** Side of the central square that contains the sign, in pixels. */
const SIDE = 120;
const LEFT = (SIZE.width - SIDE) / 2;
const THICK = 6;

/** Line between two points, as fractions of `SIDE`. */
type Stroke = readonly [x: number, y: number, toX: number, toY: number];

const STROKES = {
  over: [
    [0.3, 0.3, 0.7, 0.7],
    [0.3, 0.7, 0.7, 0.3],
  ],
  done: [
    [0.27, 0.53, 0.43, 0.69],
    [0.43, 0.69, 0.74, 0.34],
  ],
} as const satisfies Record<string, readonly Stroke[]>;

const drawn = new Map<keyof typeof STROKES, Buffer>();

/** Returns a cross or a check mark as a PNG. Replaces a QR code that must not be scanned any more. */
export function sign(name: keyof typeof STROKES): Buffer {
  const known = drawn.get(name);
  if (known) return known;
  const strokes: readonly Stroke[] = STROKES[name];
  const picture = oneBitPng(SIZE, (x, y) => strokes.some((stroke) => isNear(stroke, x - LEFT, y)));
  drawn.set(name, picture);
  return picture;
}

function isNear([fromX, fromY, toX, toY]: Stroke, x: number, y: number): boolean {
  const [ax, ay, bx, by] = [fromX * SIDE, fromY * SIDE, toX * SIDE, toY * SIDE];
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy) <= THICK;
}
