import { createHash } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58check } from '@scure/base';
import jsQR from 'jsqr';
import { expect, test } from 'vitest';
import { qrSvg } from '../../../src/web/invoice-page/qr-svg.ts';

const SCALE = 4;
const addresses = Array.from({ length: 200 }, (_, at) => {
  const digest = createHash('sha256').update(`address ${at}`).digest();
  return base58check(sha256).encode(Uint8Array.from([0x41, ...digest.subarray(0, 20)]));
});

/** Draws it as SVG says (https://www.w3.org/TR/SVG2/paths.html), without anything of who wrote it. */
function drawn(svg: string) {
  const [, side = ''] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? [];
  const width = Number(side) * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4);
  for (const [, fill = '', path = ''] of svg.matchAll(/<path fill="(#\w+)" d="([^"]*)"\/>/g)) {
    const shade = fill === '#000' ? 0 : 255;
    for (const [, x, y, across, down] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)[hH]-?\d+z/g)) {
      for (let row = Number(y) * SCALE; row < (Number(y) + Number(down)) * SCALE; row++) {
        const start = (row * width + Number(x) * SCALE) * 4;
        const end = start + Number(across) * SCALE * 4;
        for (let at = start; at < end; at += 4) pixels.set([shade, shade, shade, 255], at);
      }
    }
  }
  return { pixels, width, modules: Number(side) };
}

test.each(addresses)('%s is read from its code as it stands', (address) => {
  const { pixels, width } = drawn(qrSvg(address, ''));
  expect(jsQR.default(pixels, width, width)?.data).toBe(address);
});

test('is black on white with four quiet modules around, and has a name for who sees none', () => {
  const svg = qrSvg(addresses[0] ?? '', 'QR code');
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
