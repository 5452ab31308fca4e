import { badRequest } from '../refusal.ts';

/** Returns a two-letter code, or `''` (users without a dedicated language) if it is missing. @throws Refusal */
export function checkLanguage(code: string | undefined): string {
  if (code === undefined || code === '') return '';
  if (!/^[a-z]{2}$/.test(code)) throw badRequest('invalid language code specified');
  return code;
}
