import { element } from '../element.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Creates a countdown to a time (ISO 8601) of the sandbox's clock. `updateCountdowns` updates it. */
export const countdown = (until) => element('time', { class: 'left', datetime: until });

/** Updates all countdowns below `root`. `now` is in epoch milliseconds. */
export function updateCountdowns(root, now) {
  for (const time of root.querySelectorAll('time.left')) {
    const words = remaining(Date.parse(time.dateTime) - now);
    if (time.textContent !== words) time.textContent = words;
  }
}

function remaining(ms) {
  if (ms <= 0) return 'over';
  if (ms < MINUTE) return `${Math.ceil(ms / SECOND)} s left`;
  const minutes = `${Math.floor((ms % HOUR) / MINUTE)} min left`;
  return ms < HOUR ? minutes : `${Math.floor(ms / HOUR)} h ${minutes}`;
}
