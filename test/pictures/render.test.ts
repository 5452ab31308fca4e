import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { createPictureRenderer } from '../../src/pictures/render.ts';
import { svgPicture, svgText } from '../../src/pictures/svg.ts';
import { recordingLog } from '../support/log-lines.ts';

const SIZE = { width: 200, height: 60, background: '#F7F9FB' };

function open() {
  const { log, lines } = recordingLog();
  return { renderPicture: createPictureRenderer({ log }), lines };
}

const pictureOf = (text: string, weight: 500 | 600 = 500) =>
  svgPicture(SIZE, [svgText(text, { x: 10, y: 45, sizePx: 40, maxWidthPx: 180, weight, color: '#FF0000' })]);

/** Returns the number of pixels in the color of the text. */
function countRed(png: Buffer | undefined): number {
  const { data } = PNG.sync.read(png ?? Buffer.alloc(0));
  const isRed = (at: number) => data[at] === 255 && (data[at + 1] ?? 255) < 30 && (data[at + 2] ?? 255) < 30;
  return Array.from({ length: data.length / 4 }, (_, pixel) => isRed(4 * pixel)).filter(Boolean).length;
}

test('renders a PNG in the size and colors of the SVG', async () => {
  const { renderPicture } = open();
  const { width, height, data } = PNG.sync.read(
    (await renderPicture(svgPicture(SIZE, []))) ?? Buffer.alloc(0),
  );
  expect([width, height]).toEqual([200, 60]);
  expect([...data.subarray(0, 4)]).toEqual([0xf7, 0xf9, 0xfb, 255]);
  expect([...data.subarray(-4)]).toEqual([0xf7, 0xf9, 0xfb, 255]);
});

test.each(['Energy', 'Энергия', 'Đã giao', '65,000', '65\u00a0000'])(
  'has the letters of %s',
  async (text) => {
    const { renderPicture } = open();
    const letters = await Promise.all(
      [...text.replace(/\s/g, '')].map((one) => renderPicture(pictureOf(one))),
    );
    for (const png of letters) expect(countRed(png)).toBeGreaterThan(10);
  },
);

test('has a font for bold text', async () => {
  const { renderPicture } = open();
  const [regular, bold] = [
    await renderPicture(pictureOf('65,000')),
    await renderPicture(pictureOf('65,000', 600)),
  ];
  expect(countRed(bold)).toBeGreaterThan(1.1 * countRed(regular));
});

test('draws markup in a text as text', async () => {
  const { renderPicture, lines } = open();
  const png = await renderPicture(pictureOf('</text><rect width="200" height="60" fill="#FF0000"/>&'));
  expect(countRed(png)).toBeLessThan(2_000);
  expect(lines()).toEqual([]);
});

test('renders equal pictures once', async () => {
  const { renderPicture } = open();
  const both = await Promise.all([renderPicture(pictureOf('1')), renderPicture(pictureOf('1'))]);
  expect(both[0]).toBe(both[1]);
  expect(await renderPicture(pictureOf('1'))).toBe(both[0]);
  expect(await renderPicture(pictureOf('2'))).not.toEqual(both[0]);
});

test('keeps only the latest pictures', async () => {
  const { renderPicture } = open();
  const first = await renderPicture(pictureOf('first'));
  const second = await renderPicture(pictureOf('second'));
  for (let at = 0; at < 14; at++) await renderPicture(pictureOf(String(at)));
  // Used again, so it outlives the second one.
  expect(await renderPicture(pictureOf('first'))).toBe(first);
  await renderPicture(pictureOf('one more'));
  expect(await renderPicture(pictureOf('first'))).toBe(first);
  expect(await renderPicture(pictureOf('second'))).not.toBe(second);
});

test('returns no picture and logs the error if it can not be rendered', async () => {
  const { renderPicture, lines } = open();
  expect(await renderPicture('<svg')).toBeUndefined();
  expect(await renderPicture('<svg')).toBeUndefined();
  const line = { level: 'error', msg: 'a picture could not be rendered; the message is sent without it' };
  expect(lines()).toMatchObject([line, line]);
});
