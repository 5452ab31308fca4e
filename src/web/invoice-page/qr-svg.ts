import { QUIET, qrModules } from '../../texts/qr-code.ts';

/** Renders a QR code of a short text as SVG: black on white in every theme, one unit per module. `label` is HTML. */
export function qrSvg(text: string, label: string): string {
  const { size, isBlack } = qrModules(text);
  const side = size + 2 * QUIET;
  const runs: string[] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (!isBlack(row, column)) continue;
      const start = column;
      while (column < size && isBlack(row, column)) column++;
      runs.push(`M${start + QUIET} ${row + QUIET}h${column - start}v1h-${column - start}z`);
    }
  }
  return `<svg class="qr" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges" role="img" aria-label="${label}"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${runs.join('')}"/></svg>`;
}
