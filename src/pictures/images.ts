import { crc32, deflateSync } from 'node:zlib';
import { create } from 'qrcode';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const WHITE = 0xff;

/** Encodes a black-and-white image without line filters. Size in pixels. */
function oneBitPng(
  { width, height }: { width: number; height: number },
  isBlack: (x: number, y: number) => boolean,
): Buffer {
  const line = 1 + Math.ceil(width / 8);
  const pixels = Buffer.alloc(line * height, WHITE);
  for (let y = 0; y < height; y++) {
    pixels[y * line] = 0;
    for (let x = 0; x < width; x++) {
      const at = y * line + 1 + (x >> 3);
      if (isBlack(x, y)) pixels[at] = (pixels[at] ?? WHITE) & ~(0x80 >> (x & 7));
    }
  }
  return png({ width, height, depth: 1, color: GREYSCALE }, pixels);
}

const GREYSCALE = 0;
const RGB = 2;

/** Encodes a PNG (https://www.w3.org/TR/png-3). Each line of `pixels` begins with the number of its filter. */
function png(
  { width, height, depth, color }: { width: number; height: number; depth: number; color: number },
  pixels: Buffer,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = color;
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Encodes an image with three bytes per pixel, from the top left. Size in pixels. */
export function rgbPng({ width, height }: { width: number; height: number }, rgb: Buffer): Buffer {
  const line = 3 * width;
  const pixels = Buffer.alloc((1 + line) * height);
  for (let y = 0; y < height; y++) rgb.copy(pixels, y * (1 + line) + 1, y * line, (y + 1) * line);
  return png({ width, height, depth: 8, color: RGB }, pixels);
}

function chunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typeAndData));
  return Buffer.concat([length, typeAndData, checksum]);
}

/** Width of the quiet zone around the code, in modules. */
export const QUIET_ZONE_MODULES = 4;
const MODULE_PX = 10;

/** Returns the modules of a QR code of a short text, and the number of modules per side. */
export function qrModules(text: string): { size: number; isBlack(row: number, column: number): boolean } {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  return { size: modules.size, isBlack: (row, column) => modules.get(row, column) === 1 };
}

/**
 * Renders a QR code of a short text as a PNG: black on white in every theme, as scanners need (docs/facts.md, the chain). With
 * one bit per pixel this is forty times as fast as the `qrcode` package.
 */
export function qrCode(text: string): Buffer {
  const modules = qrModules(text);
  const side = (modules.size + 2 * QUIET_ZONE_MODULES) * MODULE_PX;
  return oneBitPng({ width: side, height: side }, (x, y) => {
    const [column, row] = [
      Math.floor(x / MODULE_PX) - QUIET_ZONE_MODULES,
      Math.floor(y / MODULE_PX) - QUIET_ZONE_MODULES,
    ];
    const isInside = Math.min(column, row) >= 0 && Math.max(column, row) < modules.size;
    return isInside && modules.isBlack(row, column);
  });
}

/** Size in pixels. As wide as the QR code that the sign replaces, but lower. */
const SIGN_SIZE_PX = { width: 370, height: 120 };
/** Side of the central square that contains the sign, in pixels. */
const SQUARE_PX = 120;
const SQUARE_LEFT_PX = (SIGN_SIZE_PX.width - SQUARE_PX) / 2;
const STROKE_RADIUS_PX = 6;

/** Line between two points, as fractions of `SQUARE_PX`. */
type Stroke = readonly [x: number, y: number, toX: number, toY: number];

const STROKES = {
  cross: [
    [0.3, 0.3, 0.7, 0.7],
    [0.3, 0.7, 0.7, 0.3],
  ],
  check: [
    [0.27, 0.53, 0.43, 0.69],
    [0.43, 0.69, 0.74, 0.34],
  ],
} as const satisfies Record<string, readonly Stroke[]>;

const renderedSigns = new Map<keyof typeof STROKES, Buffer>();

/** Returns a cross or a check mark as a PNG. Replaces a QR code that must not be scanned any more. */
export function signImage(name: keyof typeof STROKES): Buffer {
  const known = renderedSigns.get(name);
  if (known) return known;
  const strokes: readonly Stroke[] = STROKES[name];
  const image = oneBitPng(SIGN_SIZE_PX, (x, y) =>
    strokes.some((stroke) => isNearStroke(stroke, x - SQUARE_LEFT_PX, y)),
  );
  renderedSigns.set(name, image);
  return image;
}

function isNearStroke([fromX, fromY, toX, toY]: Stroke, x: number, y: number): boolean {
  const [ax, ay, bx, by] = [fromX * SQUARE_PX, fromY * SQUARE_PX, toX * SQUARE_PX, toY * SQUARE_PX];
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy) <= STROKE_RADIUS_PX;
}
