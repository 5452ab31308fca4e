import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { create } from 'qrcode';
import { expect, test } from 'vitest';
import { qrCode } from '../../src/pictures/qr-code.ts';

const ADDRESSES = [
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4',
  'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig',
];

/** Reads the code with a library other than the one that created it. */
function read(picture: Buffer) {
  const { width, height, data } = PNG.sync.read(picture);
  const found = jsQR.default(new Uint8ClampedArray(data), width, height);
  return { width, height, data, text: found?.data };
}

test.each(ADDRESSES)('encodes exactly the address %s', (address) => {
  expect(read(qrCode(address)).text).toBe(address);
});

test('is a black square on white with a margin of four modules', () => {
  const { width, height, data } = read(qrCode(ADDRESSES[0] ?? ''));
  expect([width, height]).toEqual([370, 370]);
  const colourAt = (x: number, y: number) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)];
  for (let at = 0; at < width; at++) {
    for (const edge of [0, 39, 330, 369]) {
      expect(colourAt(at, edge)).toEqual([255, 255, 255, 255]);
      expect(colourAt(edge, at)).toEqual([255, 255, 255, 255]);
    }
  }
  expect(colourAt(40, 40)).toEqual([0, 0, 0, 255]);
});

test('is a small file', () => {
  expect(qrCode(ADDRESSES[0] ?? '').length).toBeLessThan(2_000);
});

test('has every module in the standard place, not mirrored, with error correction M', () => {
  const [address = ''] = ADDRESSES;
  const { width, data } = read(qrCode(address));
  const { modules } = create(address, { errorCorrectionLevel: 'M' });
  expect(modules.size).toBe(29);
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      const at = 4 * ((row * 10 + 45) * width + column * 10 + 45);
      expect(data[at] === 0).toBe(modules.get(row, column) === 1);
    }
  }
});
