import { createHash } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58check } from '@scure/base';
import jsQR from 'jsqr';
import { expect, test } from 'vitest';
import { qrSvg } from '../../../src/web/invoice-page/document.ts';

const SCALE = 4;
function addressOf(at: number): string {
  const digest = createHash('sha256').update(`address ${at}`).digest();
  return base58check(sha256).encode(Uint8Array.from([0x41, ...digest.subarray(0, 20)]));
}

/**
 * Draws the image as the SVG standard says (https://www.w3.org/TR/SVG2/paths.html), independently of the code under
 * test.
 */
function drawn(svg: string, scale = SCALE) {
  const [, side = ''] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? [];
  const width = Number(side) * scale;
  const pixels = new Uint8ClampedArray(width * width * 4);
  for (const [, fill = '', path = ''] of svg.matchAll(/<path fill="(#\w+)" d="([^"]*)"\/>/g)) {
    const shade = fill === '#000' ? 0 : 255;
    for (const [, x, y, across, down] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)[hH]-?\d+z/g)) {
      for (let row = Number(y) * scale; row < (Number(y) + Number(down)) * scale; row++) {
        const start = (row * width + Number(x) * scale) * 4;
        const end = start + Number(across) * scale * 4;
        for (let at = start; at < end; at += 4) pixels.set([shade, shade, shade, 255], at);
      }
    }
  }
  return { pixels, width, modules: Number(side) };
}

test.each([
  ['at screen size', SCALE, 10],
  ['at one pixel per module', 1, 100],
])(
  'encodes exactly the address, readable %s',
  (_, scale, count) => {
    for (let at = 0; at < count; at++) {
      const address = addressOf(at);
      const { pixels, width } = drawn(qrSvg(address, ''), scale);
      expect(jsQR.default(pixels, width, width)?.data).toBe(address);
    }
  },
  120_000,
);

test('is black on white with a margin of four modules, and has a name for screen readers', () => {
  const svg = qrSvg(addressOf(0), 'QR code');
  const { pixels, width, modules } = drawn(svg);
  expect(modules).toBe(29 + 8);
  expect(svg).toContain('role="img" aria-label="QR code"');
  const shadeAt = (x: number, y: number) => pixels[4 * (y * width + x)];
  const edge = 4 * SCALE;
  for (let at = 0; at < width; at++) {
    for (let depth = 0; depth < edge; depth++) {
      expect([shadeAt(at, depth), shadeAt(depth, at)]).toEqual([255, 255]);
      expect([shadeAt(at, width - 1 - depth), shadeAt(width - 1 - depth, at)]).toEqual([255, 255]);
    }
  }
  expect(shadeAt(edge, edge)).toBe(0);
  expect(svg.match(/fill="[^"]*"/g)).toEqual(['fill="#fff"', 'fill="#000"']);
});
