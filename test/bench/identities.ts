/** Token of the bot at the Telegram stand-in. */
export const TOKEN = '700:the-token-of-the-bench-and-of-nothing-else';
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** Secret token of the webhooks that the stand-in sets itself. */
export const WEBHOOK_SECRET = 'the-secret-token-of-the-bench';
export const SECRET = 'the secret with which the stand-in signs its events';

/**
 * First user id of each side. The ids differ from all other numbers, so that recorded requests can be searched for
 * them.
 */
export const FIRST_PERSON = {
  app: 710_000_000,
  floor: 720_000_000,
  telegraf: 730_000_000,
  grammy: 740_000_000,
  /** The app of another checkout. */
  other: 750_000_000,
};
/** A bot that is measured. The sides other than `app` are there for comparison. */
export type Side = keyof typeof FIRST_PERSON;

/** Returns the API key of a user's account. The account has the user's id. */
export function keyOf(person: number): string {
  return `key-${person}`;
}

export function personOf(key: string): number {
  return Number(key.slice('key-'.length));
}
