import { badRequest } from '../refusal.ts';

/** A two-letter code, or `''` for everybody else. @throws Refusal */
export function checkLanguage(code: string | undefined): string {
  if (code === undefined || code === '') return '';
  if (!/^[a-z]{2}$/.test(code)) throw badRequest('invalid language code specified');
  return code;
}
