import { ENERGY_PER_TRANSFER, findAddressInput, joinAddressPieces } from '../rental-api/tron.ts';
import {
  type EnergyTerms,
  isOrderable,
  isOrderWord,
  isTimeUnit,
  readChange,
  readEnergyOrder,
} from './energy-terms.ts';
import { parseWholeNumber } from './numbers.ts';
import { talkIn } from './small-talk.ts';

/** Other words that an order may have. A longer text is about something else. */
const MAX_OTHER_WORDS = 6;
/** Number of characters that are read as an order. */
const MAX_ORDER_LENGTH = 500;

/** Length of the shortest word that can be meant as an address, such as `TR7N..6t`. Long texts have many shorter words. */
const MIN_ADDRESS_LENGTH = 8;

/** Separates the words that are meant as addresses from all others. */
export function separateAddresses(text: string): { to: string; said: string } {
  const parts = joinAddressPieces(text).split(/\s+/).filter(Boolean);
  const isMeant = (part: string) => part.length >= MIN_ADDRESS_LENGTH && findAddressInput(part) !== undefined;
  return { to: parts.filter(isMeant).join(' '), said: parts.filter((part) => !isMeant(part)).join(' ') };
}

/**
 * Returns whether a text names only an amount of energy or hours: `65k`, `2 transfers 1h`, `131000`, `24 hours`. A number
 * that isn't in thousands needs a unit, because it may be a late answer or a one-time code.
 */
export function isOrderWithoutAddress(text: string): boolean {
  const terms = readChange(text);
  const number = parseWholeNumber(text);
  if (terms === undefined || /\p{L}/u.test(text)) return terms !== undefined;
  return number === undefined ? isOrderable(terms.amount ?? 0) : number > 0 && number % 1_000 === 0;
}

const BANDWIDTH = /(?<!\p{L})(?:bandwidth|bw|пропускн\p{L}+(?:\s+способност\p{L}+)?)(?!\p{L})/giu;
/** Energy, also with bandwidth. */
const WITH_ENERGY = /energy|энерги|(?:with|с)\s+bandwidth/iu;

/**
 * Returns the amount and duration in a text that orders bandwidth, not energy, as far as they are given: `350 3 days` for
 * `ADDRESS 350 bandwidth for 3 days`. Returns `undefined` for any other text.
 */
export function readBandwidthOrder(text: string): string | undefined {
  const { said } = separateAddresses(text.slice(0, MAX_ORDER_LENGTH));
  const left = said.replace(BANDWIDTH, ' ');
  if (left === said || WITH_ENERGY.test(said)) return undefined;
  return left
    .split(/\s+/)
    .filter((word) => /\d/.test(word) || isTimeUnit(word))
    .join(' ');
}

/** Returns whether the words beside a saved name only ask for an order: `send energy to`, `65k 24h`. */
export function isRequest(text: string): boolean {
  return wordsOf(text).every((word) => isRequestWord(word) || /^\d/.test(word) || talkIn([word]));
}

/** Note of an order. `isNoteUnclear`: the words beside the address may be about the order instead. */
export interface NotedOrder extends EnergyTerms {
  note: string;
  isNoteUnclear: boolean;
}

/**
 * Reads an order with a note before or behind its addresses: `ADDRESS 65k Order 319`, `ADDRESS Order 319 1h`, `for Zoe:
 * ADDRESS`. Terms that begin or end the text on one side of an address aren't part of the note. Returns `undefined` without
 * a note, and for a question or a command.
 */
export function readNotedOrder(text: string): NotedOrder | undefined {
  const words = joinAddressPieces(text.slice(0, MAX_ORDER_LENGTH)).split(/\s+/).filter(Boolean);
  const isAddress = (word: string) => findAddressInput(word)?.kind === 'address';
  const at = words.findIndex(isAddress);
  if (at < 0 || isQuestion(text)) return undefined;
  const said = words
    .slice(0, at)
    .join(' ')
    .replace(THANKS, '')
    .replace(WALLET, '')
    .replace(BEFORE_ADDRESS, '');
  const before = separateNote(said.replace(INTRODUCTION, ''));
  const others = words.slice(at + 1).filter((word) => !isAddress(word));
  const saidBehind = others.join(' ').replace(BEHIND_ADDRESS, '').replace(SIGNATURE, '').replace(THANKS, '');
  const behind = separateNote(withoutFor(saidBehind));
  const name = before.note.replace(INTRODUCTION, '');
  const meaning = meaningBefore(name);
  const note = [
    meaning === 'request' ? '' : withPreposition(name, said),
    withPreposition(withoutFor(behind.note), saidBehind),
  ]
    .filter(Boolean)
    .join(' ');
  if (note === '') return undefined;
  const { amount, hours } = readBesideAddress(words.filter((word) => !isOrderNumber(word)).join(' '));
  const terms = { amount, hours, ...before.terms, ...behind.terms };
  return {
    ...(terms.amount !== undefined && { amount: terms.amount }),
    ...(terms.hours !== undefined && { hours: terms.hours }),
    note,
    isNoteUnclear: meaning === 'unclear' || LOOSE_NUMBER.test(note),
  };
}

/** Returns for whom an order is, or `undefined` if it doesn't say: `for Bob`, `для Вани`. */
export function readCustomer(text: string): string | undefined {
  const { note = '', isNoteUnclear } = readNotedOrder(text) ?? {};
  const name = note.replace(/^(?:для|на)\s+/iu, '');
  const isForName = text
    .toLowerCase()
    .match(/(?:^|\s)(?:for|для)\s+.*/su)?.[0]
    .includes(name.toLowerCase());
  const isPerson = wordsOf(name).some((word) => !isRequestWord(word));
  return isForName && isPerson && !isNoteUnclear ? note : undefined;
}

/** Returns a Russian name in a text with the preposition before it, which its case needs: `для Вани`. */
export function withPreposition(name: string, text: string): string {
  if (!/^\p{Script=Cyrillic}/u.test(name)) return name;
  const [, preposition] = PREPOSITION.exec(text.slice(0, text.lastIndexOf(name))) ?? [];
  return preposition === undefined ? name : `${preposition.toLowerCase()} ${name}`;
}

/** Returns the words behind an address without *for* before a name or terms: `for 3 days`, `for Zoe`, `на 3 дня`. */
export function withoutFor(text: string): string {
  return text.replace(/^(?:for|для|на)\s+/iu, '');
}

/** Returns whether the words beside an address ask for energy for the user's own wallet: `buy energy`, `купить себе`. */
export function isOwnPurchase(text: string): boolean {
  const words = wordsOf(separateAddresses(text.slice(0, MAX_ORDER_LENGTH)).said);
  return (
    words.some((word) => PURCHASE.test(word)) &&
    words.every((word) => isRequestWord(word) || /^\d+$/.test(word))
  );
}

/** Returns whether a text asks to send USDT to its address, which then is the recipient: `send 10 usdt to ADDRESS`. */
export function isTransferTo(text: string): boolean {
  const [said = ''] = joinAddressPieces(text.slice(0, MAX_ORDER_LENGTH)).split(/(?=\bT[0-9A-Za-z]{33}\b)/);
  return TRANSFER_TO.test(said);
}

/** Separates the terms that begin or end a text from the note between them, which is empty if the text has only terms. */
function separateNote(text: string): { terms: EnergyTerms; note: string } {
  if (readEnergyOrder(text).rest === '')
    return { terms: areTerms(text) ? { ...readChange(text) } : {}, note: '' };
  const {
    rest,
    hasOtherWords: _,
    ...first
  } = readEnergyOrder(text, { stopsAtOther: true, needsUnits: true });
  const noted = rest.split(' ');
  const length = noted.findIndex((_, from) => from > 0 && areTerms(noted.slice(from).join(' ')));
  const [note, last] = length < 0 ? [noted, []] : [noted.slice(0, length), noted.slice(length)];
  return {
    terms: { ...readChange(last.join(' ')), ...first },
    note: note.join(' ').replace(BEFORE_TERMS, ''),
  };
}

/** Words that introduce the customer before an address: `invoice for`, `send to`, `для`, `for my customer`. */
const INTRODUCTION =
  /^(?:(?:please|pls|пожалуйста)\s+)*(?:send\s+(?=\d|to\s|for\s))?(?:(?:(?:new|create|make|send|новый|выстави(?:ть)?|создай|создать)\s+)?(?:an?\s+)?(?:invoice|bill|payment\s+link|сч[её]т|ссылк\p{L}+)(?:\s+(?:for\s+payment|на\s+оплату))?(?:\s+|$))?(?:(?:energy|энерги[яию])\s+(?=for\s|to\s|для\s|на\s))?(?:(?:for|to|для|на)\s+)?(?:(?:(?:my|the|мо\p{L}+)\s+)?(?:customer|client|buyer|покупател\p{L}+|клиент\p{L}*)\s+(?=\p{L}))?/iu;
/** Preposition before a name, also with a word for the customer between them. */
const PREPOSITION = /(?:^|\s)(для|на)\s+(?:(?:мо\p{L}+\s+)?(?:покупател|клиент)\p{L}*\s+)?$/iu;
/** Words between a customer's name and their address: `Mia's wallet is`, `Мия, кошелёк`. */
const WALLET =
  /(?:['’]s)?[\s,:]+(?:the\s+)?(?:(?:new|tron|trc20|usdt)\s+)*(?:wallet|address|addr)(?:\s+is)?[\s:–—-]*$|[\s,:]+(?:кошел[её]к|адрес)[\s:–—-]*$/iu;
/** Punctuation and short words between a note and the address behind it: `Zoe:`, `Zoe to`. */
const BEFORE_ADDRESS = /(?:\s+(?:to|at|for|на|по|для))?[\s:,;–—-]*$/iu;
/** Punctuation between the address and a note behind it. */
const BEHIND_ADDRESS = /^[\s:,;–—-]+/u;
/** Punctuation between a note and the terms behind it: `Zoe, 2 transfers`. */
const BEFORE_TERMS = /[\s,;:–—-]+$/u;
const THANKS = /(?:^|[\s,]+)(?:thanks|thank you|thx|please|pls|спасибо|пожалуйста)[.!]*$/iu;
/** Thanks behind an address, with the name of the author: `thanks, Pete`. */
const SIGNATURE = /^(?:thanks|thank you|thx|спасибо)(?=[\s,.!]).*$/iu;
/** Name with a number that may be an amount as well: `10 Olga`, `(Mia) 100`. */
const LOOSE_NUMBER = /^\d{1,3}\s+\p{L}+$|^\(.+\)\s*\d{1,3}$/u;
const CUSTOMER = /^(?:the|(?:customer|client|buyer)s?|(?:клиент|покупател)\p{L}*)$/u;
/** Words before an address that are about the order, not about a customer. */
const REQUEST = new Set(
  'please pls send need needs want use buy purchase rent get give take make can could would my me myself i we us he she his her this that these here is are it the address adress addr wallet account tron trc20 transfer transfers пожалуйста плиз нужно нужна надо хочу хочет дай дайте отправь отправьте отправить пришли сделай сделайте закажи купи купить куплю аренда арендуй арендовать мне меня себе себя мой моя мой нам это этот этому вот адрес адреса кошелёк кошелек кошелька аккаунт'.split(
    ' ',
  ),
);
/** Words of a purchase that no customer pays. */
const PURCHASE = /^(?:buy|purchase|rent|myself|купи(?:ть)?|куплю|аренд(?:а|уй|овать)|себе|себя)$/u;
/** The words before the recipient's address: `send 10 usdt to`, `перевести 10 usdt на`. */
const TRANSFER_TO =
  /(?:^|\s)(?:send(?:ing)?|transfer(?:ring)?|pay(?:ing)?|отправ\p{L}+|перев(?:ести|еди|ожу|едите)|послать|пошли)\s+(?:\S+\s+){0,3}(?:usdt|tether|trc20)(?:\s+(?:to|на|address|адрес)(?:\s+(?:this|address|адрес|этот))*)?[\s:]*$/iu;
/** Words of a question or a command about an address. */
const QUESTION = new Set(
  'show list find check invoices price prices cost costs how much what when where why покажи показать найди найти проверь счета цена цену цены стоимость сколько стоит какая какой где когда почему'.split(
    ' ',
  ),
);

const ORDER_WORD = /^(?:order|заказ)$/;

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns whether a word is about an order, not about a customer. */
const isRequestWord = (word: string) =>
  REQUEST.has(word) || ORDER_WORD.test(word) || isOrderWord(word) || isOrderWithoutAddress(word);

/** Returns whether a text with an address asks for something that is no order. */
export function isQuestion(text: string): boolean {
  const words = wordsOf(separateAddresses(text.slice(0, MAX_ORDER_LENGTH)).said);
  return /[?？]\s*$/u.test(text) || words.some((word) => QUESTION.has(word));
}

/** Returns what words before an address are: a note, a greeting or a request, or something that may be a note. */
function meaningBefore(text: string): 'note' | 'request' | 'unclear' {
  const words = wordsOf(text);
  const isTalk = words.some((word) => talkIn([word]));
  if (!/\p{L}/u.test(text) || isTalk) return 'request';
  if (words.every((word) => isRequestWord(word) || CUSTOMER.test(word))) return 'request';
  return words.length > MAX_OTHER_WORDS || words.some((word) => REQUEST.has(word)) ? 'unclear' : 'note';
}

/** Returns whether a word may be the number of a customer's order, although it is in the range of energy. */
const isOrderNumber = (word: string) => /^\d{5,}$/.test(word) && !isOrderWithoutAddress(word);

/** Returns whether a text names only terms that can be ordered, each number with its unit or in thousands. */
function areTerms(text: string): boolean {
  const { rest, amount = ENERGY_PER_TRANSFER } = readEnergyOrder(text, { needsUnits: true });
  return rest === '' && isOrderWithoutAddress(text) && isOrderable(amount);
}

/** Terms beside an address. `isIgnored`: a number isn't used. `refused`: an amount with its unit that can't be ordered. */
interface TermsBesideAddress extends EnergyTerms {
  isIgnored: boolean;
  refused?: number | undefined;
}

/** Reads the terms in a text with an address. Among more than {@link MAX_OTHER_WORDS} other words, there are none. */
export function readBesideAddress(text: string): TermsBesideAddress {
  const { said } = separateAddresses(text.slice(0, MAX_ORDER_LENGTH));
  const { hasOtherWords, rest: unread, ...all } = readEnergyOrder(said);
  if (!hasOtherWords) return { ...all, isIgnored: /\d/.test(unread) };
  const { rest, amount, hours } = readEnergyOrder(said, { needsUnits: true });
  // Among words such as *for*, a known amount makes a small number the hours.
  if (unread === '' && amount !== undefined && amount === all.amount) return { ...all, isIgnored: false };
  const isValid = amount !== undefined && isOrderable(amount);
  const isOrder = rest.split(' ').filter((word) => !/\d/.test(word)).length <= MAX_OTHER_WORDS;
  return {
    ...(isOrder && isValid && { amount }),
    ...(isOrder && hours !== undefined && { hours }),
    ...(isOrder && !isValid && { refused: amount }),
    isIgnored: isOrder ? /\d/.test(rest) || (amount !== undefined && !isValid) : /\d/.test(said),
  };
}
