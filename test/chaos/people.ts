import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';
import type { SeedAccount } from '../../src/sandbox/rental/state.ts';

/** Token of the bot in the simulated Telegram. */
export const TOKEN = '700:the-token-of-the-tests-and-of-nothing-else';
export const FIRST_PERSON = 1_000;
/** Every fourth user shares the account of the previous one, so that both have evidence in one account. */
const SHARING = 4;

/** Returns the account that a user links. */
export function accountOf(person: number): number {
  return person % SHARING === SHARING - 1 ? person - 1 : person;
}

/** Returns the API key of an account. */
export function keyOf(account: number): string {
  return `key-${account}`;
}

const base58check = createBase58check(sha256);

/** Returns the valid chain address of a label. Each label has its own. */
export function addressOf(label: string): string {
  return base58check.encode(Uint8Array.of(0x41, ...sha256(utf8ToBytes(`chaos ${label}`)).subarray(0, 20)));
}

/** Returns an account of the sandbox with much TRX. */
export function seedAccount(id: number): SeedAccount {
  return {
    id,
    email: `account-${id}@example.com`,
    key: keyOf(id),
    balance_trx: '10000000.00',
    chain_address: addressOf(`chain of account ${id}`),
    deposit_address: addressOf(`deposits of account ${id}`),
    created_at: '2025-01-01T00:00:00.000Z',
  };
}

/** Returns a user of the simulated Telegram who has an account. */
export function sandboxPerson(id: number) {
  const role = 'account holder' as const;
  return { id, first_name: `Person ${id}`, username: `person_${id}`, language_code: 'en' as const, role };
}
