import { readEnergyOrder } from './energy-terms.ts';
import { isOrderWithoutAddress } from './order-text.ts';

/** `Invoice 7`, `№ 7`, `#7`, `cancel invoice 7`, `resend invoice 7`. */
const NUMBERED =
  /^(?:(?:(?:show|open|cancel|(?:re)?send|share|покажи|открой|отмени|отменить|пришли|прислать)\s+)?(?:invoice|сч[её]т)\s*[#№]?|[#№])\s*(\d{1,15})(?:\s+(?:again|ещ[её]\s+раз|снова))?\.?$/iu;
/** Words of a question about the invoice with a number: `has invoice 12 been paid`, `оплачен ли счёт 12`. */
const INVOICE_WORD = /^(?:invoice|bill|сч[её]т[ау]?)$/u;
const STATUS_WORDS = new Set(
  'the my is was are has have had did been be by now what s of status state about check see tell me paid pay payed payment received unpaid settled open expired delivered delivery done already yet still not please number no статус состояние по проверь проверить проверьте покажи покажите открой оплачен оплатили оплата оплачивали ли уже ещё еще не просрочен истёк истек открыт доставлен что со с как там мой пожалуйста номер'.split(
    ' ',
  ),
);
const BARE_NUMBER = /^\d{1,15}$/;
/** `Order 319`, `Заказ № 12`: the number and the words after it. */
const ORDER = /^(?:order|заказ)\s*[#№]?\s*(\d.*)$/iu;

/** A customer's name of one or two words, or a number: no pronoun and no word for any customer. */
const NAME =
  "((?!(?:i|we|you|he|she|it|they|who|what|where|how|when|that|this|there|the|a|an|my|our|your|his|her|their|just|already|have|has|had|not|never|is|are|was|were|will|to|get|let|today|tomorrow|yesterday|any(?:one|body)|some(?:one|body)|every(?:one|body)|customers?|clients?|buyers?|invoices?|amount|я|мы|вы|ты|он|она|они|кто|что|где|моя|мой|мои|моего|моей|моему|мне|уже|не|ещё|еще|же|клиент\\p{L}*|покупател\\p{L}*)(?:['’\\s?.]|$))[\\p{L}\\p{N}@#№-]+(?:\\s+[\\p{L}\\p{N}@#№-]+){0,2}?)";
/** One invoice by its customer or number: `Zoe's invoice`, `the invoice for Zoe`, `5`. */
const ONE_INVOICE_OF = `(?:(?:the\\s+)?invoice\\s+(?:for|of)\\s+)?${NAME}(?:['’]s\\s+(?:invoice|bill|order))?`;

/** Questions about invoices. The first group that matches is what the meant ones contain. */
const QUESTIONS = [
  {
    // `Is Zoe's invoice paid?`, `Is 5 paid?`, `Has the invoice of Zoe been paid?`, `Zoe paid`.
    kind: 'payment',
    form: new RegExp(
      `^(?:(?:is|was|are|has|have)\\s+${ONE_INVOICE_OF}(?:\\s+been)?(?:\\s+already)?\\s+paid(?:\\s+(?:yet|already|today))?|${NAME}\\s+(?:has\\s+)?(?:already\\s+)?paid(?:\\s+(?:me|already|today))?)[?.!\\s]*$`,
      'iu',
    ),
  },
  {
    // `Status of Zoe's invoice`, `check the invoice of Zoe`, `Zoe's invoice status`.
    kind: 'payment',
    form: /^(?:(?:(?:what['’]?s|what\s+is)\s+)?(?:the\s+)?status\s+of|check)\s+(?:(?:the\s+)?invoice\s+(?:for|of)\s+(\S.*?)|(\S.*?)['’]s\s+(?:invoice|payment|order))(?:\s+status)?[?.\s]*$|^(\S.*?)['’]s\s+(?:invoice|payment|order)\s+status[?.\s]*$/iu,
  },
  {
    // `Счёт Зои оплачен?`, `Оплачен ли счёт Зои?`, `Статус счёта Зои`, `Проверь счёт Зои`.
    kind: 'payment',
    form: /^(?:сч[её]т\s+(?:для\s+)?(\S.*?)\s+(?:уже\s+)?оплачен|оплачен\s+ли\s+(?:уже\s+)?сч[её]т\s+(?:для\s+)?(\S.*?)|статус\s+сч[её]та\s+(?:для\s+)?(\S.*?)|проверь(?:те)?\s+сч[её]т\s+(?:для\s+)?(\S.*?))[?.\s]*$/iu,
  },
  {
    // `Where is Zoe's energy?`, `Zoe's energy`, `Did Zoe get the energy?`, `Где энергия Зои?`, `Зоя получила энергию?`.
    kind: 'payment',
    form: new RegExp(
      `^(?:(?:where(?:\\s+is|['’]s)\\s+)?${NAME}['’]s\\s+(?:energy|order|money)|(?:has|did)\\s+${NAME}\\s+(?:get|got|receive|received)(?:\\s+(?:the|her|his|their))?\\s+energy|где\\s+(?:энергия|заказ|деньги)\\s+(?:для\\s+|у\\s+|от\\s+)?${NAME}|${NAME}\\s+получила?\\s+энергию)(?:\\s+yet)?[?.\\s]*$`,
      'iu',
    ),
  },
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
    form: /^(?:(?:has|did)\s+any(?:one|body)\s+(?:paid|pay)\s+(\d.*?)|(?:has|did)\s+(?!(?:i|he|she|they|it|any(?:one|body)|(?:my|the)\s+(?:customer|client|buyer))\s)(\S.*?)\s+(?:already\s+)?(?:paid|pay)(?:\s+(?:yet|already|today|me))?|where\s+is\s+(\S.*?)['’]s\s+payment|где\s+(?:оплата|плат[её]ж)\s+(?:от\s+)?(\S.*?)|кто(?:-нибудь|-то)?\s+(?:о|за)платил\s+(\d.*?)|(?:о|за)платила?\s+ли\s+(?:уже\s+)?(?!(?:он|она|кто|клиент|покупатель)(?:\s|\?|$))(\S.*?)|(?!(?:я|мы|он|она|они|уже|не|кто\S*|что|клиент|покупатель)\s)(\S.*?)\s+(?:уже\s+)?(?:о|за)платила?)[?\s]*$/iu,
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
  if (isNumbered(text.trim())) return undefined;
  for (const { kind, form } of QUESTIONS) {
    const sought = form.exec(text.trim())?.slice(1).find(Boolean);
    if (sought !== undefined) return { kind, sought };
  }
  return undefined;
}

/** Returns the digits of the invoice that a text names by its number. */
function numberedIn(text: string): string | undefined {
  const [, digits] = NUMBERED.exec(text) ?? [];
  if (digits !== undefined) return digits;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const [number, another] = words.filter((word) => BARE_NUMBER.test(word));
  const others = words.filter((word) => !BARE_NUMBER.test(word));
  const asks = others.filter((word) => !INVOICE_WORD.test(word));
  const isAbout = another === undefined && asks.length < others.length;
  return isAbout && asks.every((word) => STATUS_WORDS.has(word)) ? number : undefined;
}

/** Returns whether a text names an invoice by its number: `Invoice 7`, `#7`, `is invoice 7 paid?`. */
export const isNumbered = (text: string) => numberedIn(text) !== undefined;

/** Returns the number that a text consists of, also after *Invoice* or a number sign. */
export function numberIn(text: string): number | undefined {
  const said = text.trim();
  const digits = numberedIn(said) ?? (BARE_NUMBER.test(said) ? said : undefined);
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Returns the number of a customer's order in a text, with the words after it. Returns `undefined` if it names an amount or
 * hours.
 */
export function orderIn(text: string): string | undefined {
  const [, said = ''] = ORDER.exec(text.trim()) ?? [];
  const { amount, hours } = readEnergyOrder(said, { needsUnits: true });
  const isEnergy = BARE_NUMBER.test(said) ? isOrderWithoutAddress(said) : (amount ?? hours) !== undefined;
  return said === '' || isEnergy ? undefined : said;
}
