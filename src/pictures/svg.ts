/** Font weights that the renderer has. */
type Weight = 500 | 600;

/** Colors of text. Both are readable on every background of the pictures. */
export const INK = '#1B2733';
export const MUTED_INK = '#5A6878';

/** Average width of a character of the font, as a fraction of the font size. */
const CHARACTER_WIDTH = 0.6;

/** Escapes a text for SVG. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns the estimated width of a text, in pixels. */
export function textWidth(text: string, sizePx: number): number {
  return [...text].length * CHARACTER_WIDTH * sizePx;
}

/** Returns an SVG text, smaller than `sizePx` if it would be wider than `maxWidthPx`. `y` is its baseline. */
export function svgText(
  text: string,
  {
    x,
    y,
    sizePx,
    maxWidthPx,
    weight = 500,
    color = INK,
    anchor = 'start',
  }: {
    x: number;
    y: number;
    sizePx: number;
    maxWidthPx: number;
    weight?: Weight;
    color?: string;
    anchor?: 'start' | 'middle' | 'end';
  },
): string {
  const fittingPx = sizePx * Math.min(1, maxWidthPx / textWidth(text, sizePx));
  return (
    `<text x="${svgNumber(x)}" y="${svgNumber(y)}" font-size="${svgNumber(fittingPx)}" font-weight="${weight}" ` +
    `fill="${color}" text-anchor="${anchor}">${escapeXml(text)}</text>`
  );
}

/** Formats a number for SVG with at most one decimal. */
export function svgNumber(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Returns a complete SVG on an opaque background. Size in pixels. */
export function svgPicture(
  { width, height, background }: { width: number; height: number; background: string },
  content: readonly string[],
): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="Inter">` +
    `<rect width="${width}" height="${height}" fill="${background}"/>${content.join('')}</svg>`
  );
}
