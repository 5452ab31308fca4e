import { readTotpSecret, totpCode, totpStep } from '../../src/sandbox/rental/two-factor.ts';
import type { Person, ShownMessage } from './person.ts';

/** Address that belongs to no seeded account. */
export const TARGET = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

/** TOTP secret of the seeded account with 2FA. */
const secret = readTotpSecret('JBSWY3DPEHPK3PXP');

/** Returns the current 2FA code of the seeded account with 2FA. */
export const codeNow = () => totpCode(secret, totpStep(Date.now()));

/** Completes the questions of a withdrawal. Returns its card. */
export async function toWithdrawalCard(person: Person, amount = '12.5'): Promise<ShownMessage> {
  const { message_id = 0 } = await person.say('/withdraw');
  const below = (part: string) => person.readsBelow({ message_id }, part);
  await below('How much TRX?');
  await (amount === 'All' ? person.tap('All') : person.say(amount));
  await below('Which address is it to go to?');
  await person.say(TARGET);
  return below('Check before you confirm');
}

/** Starts a withdrawal without 2FA, up to the question for the end of the address. */
export async function toEnds(person: Person, address = TARGET, amount = '12.5'): Promise<void> {
  const { message_id = 0 } = await person.say('/withdraw');
  const below = (part: string) => person.readsBelow({ message_id }, part);
  await below('How much TRX?');
  await person.say(amount);
  await below('Which address is it to go to?');
  await person.say(address);
  await below('Type the last 6 characters');
}

/** Confirms a withdrawal, up to the question for its 2FA code. Returns the card. */
export async function toCode(person: Person, amount?: string): Promise<ShownMessage> {
  const card = await toWithdrawalCard(person, amount);
  await person.tap('Confirm');
  return person.shows(card, 'Send me your two-factor code');
}
