const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** `14:05`, of epoch milliseconds, in the reader's time zone; so are the others. */
export const timeOfDay = (ms) => minutes.format(ms);
/** `14:05:09` */
export const exactTime = (ms) => seconds.format(ms);
/** `Friday 21 November` */
export const dayName = (ms) => day.format(ms);
