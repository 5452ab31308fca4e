import type { BotUser } from '../../accounts/users.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { isOrderWithoutAddress } from '../../input/order-text.ts';
import { isConfirmed, type Operation } from '../../operations/operation.ts';
import { isBase58Address } from '../../rental-api/tron.ts';

/** Maximum duration of a search in milliseconds. It fits into the time of a handler. */
const TIMEOUT_MS = 5_000;
/** Users that are searched at once: with one read each, and with a history of twenty reads at a time. */
const PAGE = 200;
const PAGE_WITH_OPERATIONS = 10;
/** Confirmed operations of a user that are searched, latest first. */
const SEARCHED_OPERATIONS = 200;
const MAX_FOUND = 10;
/** Users erased in the last 90 days that are searched, latest first. */
const MAX_ERASED = 5_000;

/**
 * Search of an admin. `number`: Telegram ID, or the service's number of an order, invoice or Smart Mode subscription.
 * `invoice`, `smart-mode`: number of one of these only. `operation`: id of an operation, eight letters and digits, as typed.
 */
export interface UserSearch {
  by: (typeof SEARCHED_BY)[number];
  text: string;
}

/** A name of a user, with or without its @ (https://core.telegram.org/method/account.checkUsername). */
const USERNAME = /^(?:@\w{4,32}|[a-z]\w{4,31})$/i;

/** Link to a user on Telegram. It counts as the @name in it. */
const PROFILE_LINK = /^(?:https?:\/\/)?(?:t|telegram)\.me\/@?(\w+)\/?$/i;

/** The first letters differ, see {@link encodeUserSearch}. */
const SEARCHED_BY = ['number', 'operation', 'address', 'username', 'invoice', 'smart-mode'] as const;

/** Number after the name of its kind: `invoice 17`, `Smart Mode № 3`. */
const NUMBER_OF_KIND =
  /^(?:(?:please|find|show|open|where|is|the|найди|найти|покажи|открой|где)\s+)*(?:(?<invoice>invoice|сч[её]т)|smart[\s-]*mode)[.:]?\s*[#№]?\s*(?<number>[1-9]\d{0,15})$/iu;

/** `isPartial`: the search took too long, so there may be more. */
export interface Found {
  users: BotUser[];
  operations: Operation[];
  isPartial: boolean;
}

/** Parses what an admin has typed, also after a word or a number sign: `operation 17`, `#AB12CD34`. */
export function parseUserSearch(said: string): UserSearch | undefined {
  const typed = said.trim().replace(PROFILE_LINK, '@$1');
  const { invoice, number } = NUMBER_OF_KIND.exec(typed)?.groups ?? {};
  if (number !== undefined) return { by: invoice === undefined ? 'smart-mode' : 'invoice', text: number };
  // Two words are a look-up only if the first one says so.
  if (/^\p{L}+\s+\p{L}+$/u.test(typed) && !LOOKUP_WORDS.test(typed)) return undefined;
  const text = typed.replace(/^(?:[#№]\s*|\p{L}+[.:]?\s+[#№]?\s*)/u, '');
  if (isBase58Address(text)) return { by: 'address', text };
  if (/^[1-9]\d{0,15}$/.test(text)) return { by: 'number', text };
  if (/^[0-9A-Za-z]{8}$/.test(text)) return { by: 'operation', text };
  return USERNAME.test(text) ? { by: 'username', text: text.replace('@', '').toLowerCase() } : undefined;
}

/** Words before a user: `suspend Ann_5`. */
const USER_WORDS =
  /^(?:suspend|restore|ban|unban|erase|export|user|верни|вернуть|закрой|закрыть|сотри|стереть|выгрузи|пользовател[ьяю])\s/iu;

/** Words of an admin before what is looked up: `find user 502`, `where is order 10001`. */
const LOOKUP_WORDS =
  /^(?:(?:please|where|what|is|are|the|find|show|open|look|up|search|for|suspend|restore|ban|unban|erase|export|refund|user|order|invoice|operation|receipt|ref|id|где|что|с|покажи|открой|найди|найти|закрой|закрыть|верни|вернуть|доступ|сотри|стереть|выгрузи|возврат|пользователь|пользователя|пользователю|заказ|заказа|счёт|счет|операция|операцию|операции|чек|реф)[.:]?\s+)+(?=[#№@]?\s*\S+$)/iu;

/**
 * Parses a text of an admin on any screen: a number, a Ref. or an @name after {@link LOOKUP_WORDS}, or a number or Ref. alone.
 * `isNamed`: it has such words.
 */
export function parseLookup(said: string): (UserSearch & { isNamed: boolean }) | undefined {
  const text = said.trim().replace(/[.?!]+$/, '');
  const whole = parseUserSearch(text);
  if (whole?.by === 'invoice' || whole?.by === 'smart-mode') return { ...whole, isNamed: true };
  const rest = text.replace(LOOKUP_WORDS, '');
  const isNamed = rest !== text;
  const search = parseUserSearch(rest);
  if (search === undefined || /\s/.test(rest)) return undefined;
  // A Ref. is written in capitals, or has a digit. Without an @, a name may be any word, unless a user is meant.
  const isUser = isNamed && (rest.startsWith('@') || USER_WORDS.test(text));
  const isNumber = search.by === 'number' && (isNamed || !isOrderWithoutAddress(text));
  const isMeant = search.by === 'operation' ? isUser || /\d|^[A-Z]+$/.test(rest) : isUser || isNumber;
  return isMeant ? { ...search, isNamed } : undefined;
}

/** Returns a search as the argument of a button, at most 35 letters and digits. */
export function encodeUserSearch({ by, text }: UserSearch): string {
  return by.charAt(0) + text;
}

/** Parses the result of {@link encodeUserSearch}. */
export function decodeUserSearch(argument: string): UserSearch | undefined {
  const by = SEARCHED_BY.find((one) => one.charAt(0) === argument.charAt(0));
  return by && { by, text: argument.slice(1) };
}

/**
 * Creates the search for users and their operations. A Telegram id is looked up. Nothing is indexed by @name, Ref., address
 * or order, so these searches go through all users.
 */
export function createUserSearch({
  users,
  operations,
  invoices,
}: Pick<FeatureDeps, 'users' | 'operations' | 'invoices'>) {
  const { kinds, drafts, history } = operations;

  async function concerns(operation: Operation, { by, text }: UserSearch): Promise<boolean> {
    const kind = kinds.of(operation.request);
    if (by === 'number' || by === 'invoice' || by === 'smart-mode') {
      const order = operation.state === 'done' ? operation.result.order : undefined;
      if (by === 'number') return operation.id === text || order === Number(text);
      const isOfKind = by === 'invoice' ? kind.isTrackedElsewhere : kind.namespace === by;
      return isOfKind === true && order === Number(text);
    }
    if (kind.target(operation.request) === text) return true;
    // Payers know the address that they have paid to.
    return kind.isTrackedElsewhere === true && (await invoices.read(operation))?.paymentAddress === text;
  }

  async function operationsOf(user: number, search: UserSearch): Promise<Operation[]> {
    if (search.by === 'operation')
      return [(await drafts.find({ user, id: search.text.toUpperCase() })) ?? []].flat();
    const { operations: confirmed } = await history.page(user, { size: SEARCHED_OPERATIONS });
    const found: Operation[] = [];
    for (const operation of confirmed) if (await concerns(operation, search)) found.push(operation);
    return found;
  }

  async function withName(user: number, name: string): Promise<BotUser[]> {
    const known = await users.find(user);
    return known?.username?.toLowerCase() === name ? [known] : [];
  }

  /** Yields all users, by id, and then erased ones, whose operations stay. `size`: users at once. */
  async function* pagesOfUsers(size: number): AsyncGenerator<number[]> {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page: Awaited<ReturnType<typeof users.idsAfter>> = await users.idsAfter(after, size);
      yield page.ids;
      after = page.last;
    }
    yield* users.erased({ limit: MAX_ERASED, size });
  }

  /** Searches all users until enough is found or the time is over. */
  async function searchAll(search: UserSearch): Promise<Found> {
    const until = performance.now() + TIMEOUT_MS;
    const found: Found = { users: [], operations: [], isPartial: false };
    const wanted = search.by === 'operation' ? 1 : MAX_FOUND;
    // A Ref. has the form of a name, and users with that name don't end the search for it.
    const mayBeName = search.by === 'username' || search.by === 'operation';
    for await (const ids of pagesOfUsers(mayBeName ? PAGE : PAGE_WITH_OPERATIONS)) {
      if (performance.now() > until) return { ...found, isPartial: true };
      if (mayBeName) {
        const name = search.text.toLowerCase();
        const named = await Promise.all(ids.map((user) => withName(user, name)));
        found.users.push(...named.flat());
      }
      if (search.by !== 'username') {
        const concerned = await Promise.all(ids.map((user) => operationsOf(user, search)));
        found.operations.push(...concerned.flat());
      }
      if (found.operations.length + (search.by === 'username' ? found.users.length : 0) >= wanted) break;
    }
    return { ...found, operations: found.operations.slice(0, MAX_FOUND) };
  }

  return async (search: UserSearch): Promise<Found> => {
    const known = search.by === 'number' ? await users.find(Number(search.text)) : undefined;
    if (known) return { users: [known], operations: [], isPartial: false };
    const found = await searchAll(search);
    // An unconfirmed operation has no view, so its user is shown.
    const [only] = found.operations;
    if (search.by !== 'operation' || only === undefined || isConfirmed(only)) return found;
    const owner = await users.find(only.user);
    return { users: owner ? [owner] : [], operations: [], isPartial: false };
  };
}
