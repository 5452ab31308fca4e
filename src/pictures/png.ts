import { promisify } from 'node:util';
import { crc32, deflate, deflateSync } from 'node:zlib';

/** Size in pixels. */
interface Size {
  width: number;
  height: number;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const WHITE = 0xff;
const GREYSCALE = 0;
const RGBA = 6;
const RGBA_BYTES = 4;

const deflateOffThread = promisify(deflate);

/** Encodes a black-and-white image with one bit per pixel. */
export function oneBitPng({ width, height }: Size, isBlack: (x: number, y: number) => boolean): Buffer {
  const line = 1 + Math.ceil(width / 8);
  const pixels = Buffer.alloc(line * height, WHITE);
  for (let y = 0; y < height; y++) {
    pixels[y * line] = 0;
    for (let x = 0; x < width; x++) {
      const at = y * line + 1 + (x >> 3);
      if (isBlack(x, y)) pixels[at] = (pixels[at] ?? WHITE) & ~(0x80 >> (x & 7));
    }
  }
  return png({ width, height, depth: 1, color: GREYSCALE }, deflateSync(pixels));
}

/** Returns a small white picture. */
export function blankPicture(): Buffer {
  return oneBitPng({ width: 300, height: 80 }, () => false);
}

/** Encodes an image with four bytes per pixel, from the top left. Compresses it on another thread. */
export async function rgbaPng({ width, height }: Size, rgba: Buffer): Promise<Buffer> {
  const line = RGBA_BYTES * width;
  const pixels = Buffer.alloc((1 + line) * height);
  for (let y = 0; y < height; y++) rgba.copy(pixels, y * (1 + line) + 1, y * line, (y + 1) * line);
  return png({ width, height, depth: 8, color: RGBA }, await deflateOffThread(pixels));
}

/** Composes a PNG (https://www.w3.org/TR/png-3). Before compression, each line of `data` begins with 0 (no filter). */
function png({ width, height, depth, color }: Size & { depth: number; color: number }, data: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = color;
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typeAndData));
  return Buffer.concat([length, typeAndData, checksum]);
}
