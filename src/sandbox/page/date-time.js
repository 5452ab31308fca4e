import { element } from './element.js';

const PARTS = {
  w: { weekday: 'long' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
};
const WHOLE = { dateStyle: 'full', timeStyle: 'short' };

/** Units of relative times in seconds, largest first. */
const UNITS = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/**
 * Renders a time in a message in its format, language and time zone of the user. Without a format it shows `words`, with
 * the time as a tooltip. https://core.telegram.org/bots/api#date-time-entity-formatting
 * @param {{ unix: string, format: string }} entity
 * @param {string} words
 * @param {{ language: string, now: () => number }} reader
 */
export function dateTime({ unix, format }, words, { language, now }) {
  const ms = unix * 1000;
  const attributes = { datetime: new Date(ms).toISOString(), title: formatted(ms, WHOLE, language) };
  if (format === 'r') {
    const text = relative(ms - now(), language);
    return element('time', { ...attributes, class: 'relative', 'data-language': language, text });
  }
  const text = [...format].map((letter) => formatted(ms, PARTS[letter], language)).join(', ');
  return element('time', { ...attributes, text: text || words });
}

/** Updates all relative times below `root`. `now` is in epoch milliseconds. */
export function updateRelativeTimes(root, now) {
  for (const time of root.querySelectorAll('time.relative')) {
    const text = relative(Date.parse(time.dateTime) - now, time.dataset.language);
    if (time.textContent !== text) time.textContent = text;
  }
}

const formatted = (ms, parts, language) => new Intl.DateTimeFormat(localeOf(language), parts).format(ms);

function relative(ms, language) {
  const seconds = Math.trunc(ms / 1000);
  const [unit, length] = UNITS.find((one) => Math.abs(seconds) >= one[1]) ?? UNITS.at(-1);
  return new Intl.RelativeTimeFormat(localeOf(language)).format(Math.trunc(seconds / length), unit);
}

/** Returns British English for `en`, as on the rest of the page. */
const localeOf = (language) => (language === 'en' ? 'en-GB' : language);
