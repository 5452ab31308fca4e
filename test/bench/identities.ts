/** The bot's token at the stand-in of Telegram. */
export const TOKEN = '700:the-token-of-the-bench-and-of-nothing-else';
export const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const SECRET = 'the secret with which the stand-in signs its events';

/** Who is served by whom. Ids are unlike any other number, so that they can be found in what is recorded. */
export const FIRST_PERSON = { app: 710_000_000, floor: 720_000_000 };
export type Side = keyof typeof FIRST_PERSON;

/** A person's account has the person's own number. */
export function keyOf(person: number): string {
  return `key-${person}`;
}

export function personOf(key: string): number {
  return Number(key.slice('key-'.length));
}
