import { readEnergyOrder } from './energy-terms.ts';
import { isOrderWithoutAddress } from './order-text.ts';

/** `Invoice 7`, `№ 7`, `#7`, `cancel invoice 7`, `resend invoice 7`. */
const NUMBERED =
  /^(?:(?:(?:show|open|cancel|(?:re)?send|share|покажи|открой|отмени|отменить|пришли|прислать)\s+)?(?:invoice|сч[её]т)\s*[#№]?|[#№])\s*(\d{1,15})(?:\s+(?:again|ещ[её]\s+раз|снова))?\.?$/iu;
const BARE_NUMBER = /^\d{1,15}$/;
/** `Order 319`, `Заказ № 12`: the number and the words after it. */
const ORDER = /^(?:order|заказ)\s*[#№]?\s*(\d.*)$/iu;

/** Questions about invoices. The first group that matches is what the meant ones contain. */
const QUESTIONS = [
  {
    // `Show invoices for Zoe`, `Zoe's invoices`, `покажи счета для Зои`.
    kind: 'of',
    form: /^(?:(?:(?:show|list|find|open|all|the|my|покажи|показать|найди|все)\s+)*(?:invoices|счета)\s+(?:(?:for|of|to|для|на)\s+)?(?!(?:today|yesterday|this|last|all|my|for|of|за|по|сегодня)(?:\s|$))(\S.*?)|(?!(?:what|where|who|how|let|it|that)['’])(\S.*?)['’]s\s+invoices?)[?.]*$/iu,
  },
  // `Find Dave`.
  { kind: 'search', form: /^(?:find|search(?: for)?|найди|найти)\s+(\S.*)$/iu },
  {
    // `Invoice for Zoe`, `счёт Зоя`: a present invoice or a new one.
    kind: 'new',
    form: /^(?:(?:the|my|new|create|make|an?|новый|выстави(?:ть)?|создай|создать)\s+)*(?:invoice\s+(?:for|of)|сч[её]т(?:\s+(?:для|на))?)\s+(\S.*)$/iu,
  },
  {
    // `Has Bob paid yet?`, `Did anyone pay 4.23?`, `Where is Zoe's payment?`, `Оплатила ли Зоя?`, `Боб оплатил?`.
    kind: 'payment',
    form: /^(?:(?:has|did)\s+any(?:one|body)\s+(?:paid|pay)\s+(\d.*?)|(?:has|did)\s+(?!(?:i|he|she|they|any(?:one|body)|(?:my|the)\s+(?:customer|client|buyer))\s)(\S.*?)\s+(?:already\s+)?(?:paid|pay)(?:\s+(?:yet|already|today|me))?|where\s+is\s+(\S.*?)['’]s\s+payment|где\s+(?:оплата|плат[её]ж)\s+(?:от\s+)?(\S.*?)|кто(?:-нибудь|-то)?\s+(?:о|за)платил\s+(\d.*?)|(?:о|за)платила?\s+ли\s+(?:уже\s+)?(?!(?:он|она|кто|клиент|покупатель)(?:\s|\?|$))(\S.*?)|(?!(?:я|мы|он|она|они|уже|не|кто\S*|что|клиент|покупатель)\s)(\S.*?)\s+(?:уже\s+)?(?:о|за)платила?)[?\s]*$/iu,
  },
  {
    // `Link for Bob`, `disable the link of Bob`, `ссылка для Боба`.
    kind: 'link',
    form: /^(?:.*\s)?(?:links?\s+(?:for|of)|ссылк\p{L}+\s+для)\s+(\S.*)$/iu,
  },
] as const;

/** Reads which invoices a text asks about: `sought` is a note, an address, a price or a number. */
export function readInvoiceQuestion(
  text: string,
): { kind: (typeof QUESTIONS)[number]['kind']; sought: string } | undefined {
  for (const { kind, form } of QUESTIONS) {
    const sought = form.exec(text.trim())?.slice(1).find(Boolean);
    if (sought !== undefined && !(kind === 'new' && isNumbered(text.trim()))) return { kind, sought };
  }
  return undefined;
}

/** Returns whether a text names an invoice by its number: `Invoice 7`, `#7`. */
export const isNumbered = (text: string) => NUMBERED.test(text);

/** Returns the number that a text consists of, also after *Invoice* or a number sign. */
export function numberIn(text: string): number | undefined {
  const said = text.trim();
  const digits = NUMBERED.exec(said)?.[1] ?? (BARE_NUMBER.test(said) ? said : undefined);
  return digits === undefined ? undefined : Number(digits);
}

/** Returns the number of a customer's order in a text, with the words after it. Returns `undefined` if it names an amount or hours. */
export function orderIn(text: string): string | undefined {
  const [, said = ''] = ORDER.exec(text.trim()) ?? [];
  const { amount, hours } = readEnergyOrder(said, { needsUnits: true });
  const isEnergy = BARE_NUMBER.test(said) ? isOrderWithoutAddress(said) : (amount ?? hours) !== undefined;
  return said === '' || isEnergy ? undefined : said;
}
