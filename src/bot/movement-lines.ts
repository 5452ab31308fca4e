import { moment, shortened } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import type { DepositRecord, Withdrawal } from '../rental-api/schemas.ts';

/** Returns the line of a deposit: time, amount and status. */
export function depositLine(words: Words, { amount, currency, status, created_at }: DepositRecord): string {
  return words.html('movement-deposit', {
    when: whenOf(words, created_at),
    amount: amount ?? '?',
    currency: currency ?? '',
    status,
  });
}

/** Returns the line of a withdrawal: time, amount, fee, status and address. */
export function withdrawalLine(words: Words, withdrawal: Withdrawal): string {
  const { amount_trx: amount, fee_trx: fee, status, created_at, to_address } = withdrawal;
  return words.html('movement-withdrawal', {
    ...{ when: whenOf(words, created_at), amount, fee: fee ?? '?', status },
    to: shortened(to_address),
  });
}

function whenOf({ language }: Words, time: string | undefined): string {
  return time === undefined ? '–' : moment(Date.parse(time), language);
}
