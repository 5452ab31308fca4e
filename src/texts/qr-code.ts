import { create } from 'qrcode';
import { oneBitPng } from './one-bit-png.ts';

/** In modules: scanners need it quiet all around. */
export const QUIET = 4;
/** In pixels, for each module. */
const SCALE = 10;

/** The black modules of a QR code of a short text, by row and column, and how many there are a side. */
export function qrModules(text: string): { size: number; isBlack(row: number, column: number): boolean } {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  return { size: modules.size, isBlack: (row, column) => modules.get(row, column) === 1 };
}

/**
 * A QR code of a short text as a PNG: black on white in every theme, as scanners want it (docs/facts.md, the chain). With
 * one bit a pixel it is made forty times as fast as by `qrcode` itself.
 */
export function qrCode(text: string): Buffer {
  const modules = qrModules(text);
  const side = (modules.size + 2 * QUIET) * SCALE;
  return oneBitPng({ width: side, height: side }, (x, y) => {
    const [column, row] = [Math.floor(x / SCALE) - QUIET, Math.floor(y / SCALE) - QUIET];
    const isInside = Math.min(column, row) >= 0 && Math.max(column, row) < modules.size;
    return isInside && modules.isBlack(row, column);
  });
}
