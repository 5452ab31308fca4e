/** The bot's token at the simulated Telegram. */
export const TOKEN = '700:the-token-of-the-tests-and-of-nothing-else';
export const FIRST_PERSON = 1_000;
/** Every fourth shares the account of the one before, so that evidence of two is in the same account. */
const SHARING = 4;

/** The account of the rental service that a person links. */
export function accountOf(person: number): number {
  return person % SHARING === SHARING - 1 ? person - 1 : person;
}

/** Its API key. */
export function keyOf(account: number): string {
  return `key-${account}`;
}
