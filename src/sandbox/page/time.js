const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** Formats epoch milliseconds as `14:05`. All formats here use the user's time zone. */
export const timeOfDay = (ms) => minutes.format(ms);
/** Formats epoch milliseconds as `14:05:09`. */
export const exactTime = (ms) => seconds.format(ms);
/** Formats epoch milliseconds as `Friday 21 November`. */
export const dayName = (ms) => day.format(ms);
