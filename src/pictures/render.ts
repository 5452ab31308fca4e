import { createRequire } from 'node:module';
import type { Log } from '../platform/log.ts';
import { rgbaPng } from './png.ts';

/** Renders an SVG as a PNG of the same size. Returns `undefined` if that isn't possible. */
export type RenderPicture = (svg: string) => Promise<Buffer | undefined>;

const FONTS = ['500Medium/Inter_500Medium.ttf', '600SemiBold/Inter_600SemiBold.ttf'];
const ADVICE =
  'If @resvg/resvg-js is missing, run npm ci on this machine. Otherwise report it as a defect of the bot.';
/** Number of pictures that are kept: those that were used last. */
const MAX_KEPT = 16;

/**
 * Creates the renderer of pictures. It works on other threads and uses its own fonts only, so pictures are equal on all
 * machines. It keeps the latest pictures, so equal ones are rendered once. The native module is loaded with the first
 * picture; it may be missing on some platforms.
 *
 * @example
 * const renderPicture = createPictureRenderer({ log });
 * const photo = await renderPicture(chartSvg(chart));
 */
export function createPictureRenderer({ log }: { log: Log }): RenderPicture {
  const kept = new Map<string, Promise<Buffer | undefined>>();

  return (svg) => {
    const known = kept.get(svg);
    const rendering =
      known ??
      render(svg).catch((err) => {
        log.error({ err, advice: ADVICE }, 'a picture could not be rendered; the message is sent without it');
        kept.delete(svg);
        return undefined;
      });
    kept.delete(svg);
    kept.set(svg, rendering);
    for (const oldest of [...kept.keys()].slice(0, -MAX_KEPT)) kept.delete(oldest);
    return rendering;
  };
}

async function render(svg: string): Promise<Buffer> {
  const require = createRequire(import.meta.url);
  const { renderAsync }: typeof import('@resvg/resvg-js') = require('@resvg/resvg-js');
  const fontFiles = FONTS.map((name) => require.resolve(`@expo-google-fonts/inter/${name}`));
  const image = await renderAsync(svg, { font: { loadSystemFonts: false, fontFiles } });
  return rgbaPng(image, image.pixels);
}
