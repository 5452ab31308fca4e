import { INK, MUTED_INK, svgPicture, svgText } from './svg.ts';

/** Texts of the picture of a paid invoice. */
interface PaidInvoiceTexts {
  state: string;
  energy: string;
  duration: string;
  price: string;
}

const SIZE = { width: 1_200, height: 480 };
const MARGIN_PX = 72;
const SIGN = { y: 196, radius: 96 };
const TEXT_LEFT = MARGIN_PX + 2 * SIGN.radius + 64;
const SIGNS = { check: 'M-40 4L-13 31L42 -26', cross: 'M-30 -30L30 30M-30 30L30 -30' };

/** Colors of the pictures: the background, the disc of the sign, and text in the disc's hue. */
const TONES = {
  delivered: { background: '#EDF7F1', disc: '#2C9E6B', text: '#19724A', rule: '#CFE6DA' },
  paid: { background: '#EEF4FB', disc: '#3C7BD6', text: '#2459A6', rule: '#D0DFF2' },
};
const CLOSED = { background: '#F1F3F6', disc: '#98A4B3' };

/** Draws a paid invoice of 1,200 × 480 pixels as an SVG: a check mark, the energy, and the price. */
export function paidInvoiceSvg(
  state: 'paid' | 'delivered',
  { state: heading, energy, duration, price }: PaidInvoiceTexts,
): string {
  const { background, disc, text, rule } = TONES[state];
  const beside = { x: TEXT_LEFT, maxWidthPx: SIZE.width - TEXT_LEFT - MARGIN_PX };
  return svgPicture({ ...SIZE, background }, [
    sign('check', { x: MARGIN_PX + SIGN.radius, y: SIGN.y, color: disc }),
    svgText(heading, { ...beside, y: 134, sizePx: 46, weight: 600, color: text }),
    svgText(energy, { ...beside, y: 220, sizePx: 80, weight: 600 }),
    svgText(duration, { ...beside, y: 282, sizePx: 44, color: MUTED_INK }),
    `<path d="M${MARGIN_PX} 348H${SIZE.width - MARGIN_PX}" stroke="${rule}" stroke-width="3"/>`,
    svgText(price, {
      x: MARGIN_PX,
      y: 416,
      sizePx: 44,
      maxWidthPx: SIZE.width - 2 * MARGIN_PX,
      color: INK,
    }),
  ]);
}

/** Draws the picture of an invoice that can't be paid any more: a cross. 1,200 × 320 pixels, as an SVG. */
export function closedInvoiceSvg(): string {
  const size = { width: SIZE.width, height: 320 };
  const center = { x: size.width / 2, y: size.height / 2 };
  return svgPicture({ ...size, background: CLOSED.background }, [
    sign('cross', { ...center, color: CLOSED.disc }),
  ]);
}

function sign(name: keyof typeof SIGNS, { x, y, color }: { x: number; y: number; color: string }): string {
  return (
    `<g transform="translate(${x} ${y})"><circle r="${SIGN.radius}" fill="${color}"/>` +
    `<path d="${SIGNS[name]}" fill="none" stroke="#FFFFFF" stroke-width="17" stroke-linecap="round" stroke-linejoin="round"/></g>`
  );
}
