import type { ShownStanding } from '../../invoices/invoice.ts';

/** SVG paths in a 24 by 24 view box. */
const CLOCK = 'M12 7v5l3.5 2M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18';
const CHECK = 'M5 12.5l4.5 4.5L19 7.5';
const BOLT = 'M13 3L5 14h6l-1 7l8-11h-6z';
const PAUSE = 'M12 7.5v5.5M12 16.5v.1M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18';

const OF_STANDING: Record<ShownStanding | 'none', string> = {
  open: CLOCK,
  ending: CLOCK,
  paid: BOLT,
  late: PAUSE,
  delivered: CHECK,
  over: PAUSE,
  failed: PAUSE,
  unchecked: PAUSE,
  unrecognized: PAUSE,
  stale: CLOCK,
  none: PAUSE,
};

export function iconOf(standing: keyof typeof OF_STANDING): string {
  return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${OF_STANDING[standing]}"/></svg>`;
}

/** Tab icon as a data URL. */
export const TAB_ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6b53"/><path fill="#fff" d="${BOLT}"/></svg>`,
)}`;
