export interface Person {
  readonly id: number;
  readonly first_name: string;
  readonly username: string;
  readonly language_code: string;
  readonly role: 'guest' | 'account holder' | 'merchant' | 'admin';
}

/** The sandbox's users. Each has a private chat with the bot under the same id. */
export const PEOPLE: readonly Person[] = [
  { id: 501, first_name: 'Guest', username: 'demo_guest', language_code: 'en', role: 'guest' },
  {
    id: 502,
    first_name: 'Account holder',
    username: 'demo_account_holder',
    language_code: 'en',
    role: 'account holder',
  },
  { id: 503, first_name: 'Merchant', username: 'demo_merchant', language_code: 'ru', role: 'merchant' },
  { id: 504, first_name: 'Admin', username: 'demo_admin', language_code: 'en', role: 'admin' },
];

/** Group of all users and the bot. The bot is in privacy mode there. */
export const GROUP = { id: -1001, title: 'Demo group' } as const;

export const BOT = { id: 700, username: 'rental_demo_bot', name: 'Energy Rental' } as const;
