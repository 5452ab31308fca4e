const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** `14:05`, of epoch milliseconds, in the reader's time zone; so are the others. */
export const timeOfDay = (ms) => minutes.format(ms);
/** `14:05:09` */
export const exactTime = (ms) => seconds.format(ms);
/** `Friday 21 November` */
export const dayName = (ms) => day.format(ms);

const PARTS = {
  w: { weekday: 'long' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
};

/**
 * A time inside a message, in its format, as https://core.telegram.org/bots/api#date-time-entity-formatting says;
 * nothing where the message's own words stand for it.
 * @param {{ unix?: string, format?: string }} entity
 */
export function dateTime({ unix, format = '' }) {
  const known = [...format].filter((letter) => letter in PARTS);
  return known
    .map((letter) => new Intl.DateTimeFormat('en-GB', PARTS[letter]).format(unix * 1000))
    .join(', ');
}
