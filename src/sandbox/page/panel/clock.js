import { sandbox } from '../api.js';
import { dayName, exactTime } from '../time.js';
import { button } from './card.js';

const STEPS = [
  { text: '+1 min', seconds: 60 },
  { text: '+5 min', seconds: 5 * 60 },
  { text: '+30 min', seconds: 30 * 60 },
  { text: '+24 h', seconds: 24 * 60 * 60 },
];

/**
 * Shows the sandbox's clock, with buttons that move it forward.
 * @param {{ time: HTMLTimeElement, day: HTMLElement, buttons: HTMLElement }} parts
 * @param {(action: () => Promise<unknown>) => Promise<void>} run
 * @param {(now: number) => void} ticked receives the time in epoch milliseconds, each second and when it is set
 */
export function createClock({ time, day, buttons }, run, ticked) {
  let ahead = 0;

  const tick = () => {
    const now = Date.now() + ahead;
    time.textContent = exactTime(now);
    time.dateTime = new Date(now).toISOString();
    day.textContent = dayName(now);
    ticked(now);
  };
  const set = (now) => {
    ahead = now - Date.now();
    tick();
  };
  const advance = (seconds) => run(() => sandbox.advance(seconds));

  buttons.append(
    ...STEPS.map(({ text, seconds }) =>
      button({ text, label: `Move the clock ${text}`, act: () => advance(seconds) }),
    ),
  );
  setInterval(tick, 1000);
  tick();
  return { set };
}
