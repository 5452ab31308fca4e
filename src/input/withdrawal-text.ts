const VERB = /^(?:withdraw(?:al)?|вывести|выведи(?:те)?|вывод)\s+(.+)$/isu;
/** Sending without *withdraw*: only TRX can be meant, so the unit is needed. */
const SENDING =
  /^(?:(?:send|transfer|отправь|отправьте|отправить|переведи|переведите|перевести)\s+)?(\d[\d.,\s]*(?:trx|трх))((?:\s+.+)?)$/isu;
const AMOUNT = /^(all|вс[её]|\d[\d.,\s]*)(?:trx|трх)?(?:\s+|$)/iu;
const RECIPIENT = /^(?:(?:to|на)\s+(.+)|(T\S+))$/isu;
const ALL = /^(?:all|вс[её])$/iu;

/** One-time code of six digits with one digit too few or too many. */
const MISTYPED_CODE = /^(?:\d{5}|\d{7})$/;

/** Returns whether a number without a unit may be a mistyped one-time code. */
export const mayBeMistypedCode = (text: string): boolean => MISTYPED_CODE.test(text.trim());

/** Returns whether an amount means the whole balance. */
export const isAll = (amount: string): boolean => ALL.test(amount.trim());

/**
 * Reads a withdrawal in words as the text after the command `/withdraw`: `withdraw 10 to ADDRESS`, `вывести всё`. Returns
 * `undefined` for texts about anything else.
 */
export function readWithdrawalText(text: string): string | undefined {
  const whole = text.trim().replace(/[.!?]+$/, '');
  const [, said = sendingIn(whole)] = VERB.exec(whole) ?? [];
  const [given = '', amount = ''] = AMOUNT.exec(said) ?? [];
  const rest = said.slice(given.length);
  const [, named, address] = RECIPIENT.exec(rest) ?? [];
  const to = named ?? address;
  if (rest !== '' && to === undefined) return undefined;
  return [to, amount.trim()].filter(Boolean).join(' ') || undefined;
}

/** Returns amount and recipient of a text like `send 50 trx` or `50 trx to ADDRESS`, or an empty text. */
function sendingIn(text: string): string {
  const [, amount = '', to = ''] = SENDING.exec(text) ?? [];
  const isSending = !/^\d/.test(text) || /^\s+(?:to|на)\s/iu.test(to);
  return isSending ? amount + to : '';
}

/** Questions about withdrawals, in lower case and without signs. Those about one withdrawal ask for its state instead. */
const QUESTION = [
  /^(?:(?:please )?(?:tell|show) me )?how (?:do|can|could|should|to|does|long|fast|soon)(?: .*)? (?:withdraw|cash out)/,
  /^(?:withdrawal|withdraw|withdrawing) (?:fees?|costs?|commission|time|help)$/,
  /(?:^| )(?:fees?|costs?|commission)(?: .*)? (?:withdraw|withdrawal|withdrawals|withdrawing)$/,
  /^(?:what|how much|is there)(?: .*)? (?:withdrawal|withdraw)(?: fees?| costs?| commission| cost me)$/,
  /^how much does (?:it cost to withdraw|a withdrawal cost)$/,
  /^(?:can|could|may) i (?:withdraw|cash out)(?: .*)? (?:usdt|usdc|btc|usd|dollars)$/,
  /^(?:можно|могу|можно ли|могу ли)(?: .*)? (?:вывести|выводить|снять)(?: .*)? (?:usdt|юсдт|доллары)$/,
  /^(?:is|do i need|do you need)(?: .*)? 2fa(?: needed| required| necessary| to withdraw| for withdrawals?)?$/,
  /^как(?: .*)? (?:вывести|выводить|вывожу|вывод|снять)(?: |$)/,
  /^(?:сколько|как долго|как быстро)(?: .*)? (?:идёт|идет|длится|занимает|ждать|стоит)(?: .*)? ?вывод/,
  /^(?:какая )?(?:комиссия|плата|стоимость)(?: .*)? (?:вывод|вывода|выводы)$/,
  /^(?:нужна|нужен|обязательна)(?: .*)? 2fa/,
];

/** Whole texts that ask how withdrawals work. */
export const WITHDRAWAL_QUESTION = {
  test: (text: string) => QUESTION.some((one) => one.test(text.toLowerCase())),
};
