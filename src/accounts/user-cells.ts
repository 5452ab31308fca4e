import { LANGUAGES, type Language } from '../i18n/texts.ts';
import { keyOf, retryOnConflict, type StoredData } from '../platform/records.ts';
import type { Overwrite, Storage } from '../platform/storage.ts';

/** Length of a user's cell in characters, and of its first part, which the user's record writes. */
const LENGTH = { cell: 9, user: 8 };
/** Number of cells under one key. */
const CHUNK = 16_384;
/** Highest number of a user. A forged one must not make Redis allocate gigabytes. */
export const MAX_USER_NUMBER = 2 ** 26;

export const USER_CELLS = {
  keys: 'user-cells:chunk',
  content:
    'Language, state, first and last day, and link of each user, in nine characters at a place of their own, to count users',
  expiry: 'none: needed as long as there are users; the cell of an erased user is emptied',
} as const satisfies StoredData;

export const USER_NUMBERS = {
  keys: 'user-numbers',
  content: 'Number of the latest new user: the place of the cell',
  expiry: 'none: a single key',
  anonymous: true,
} as const satisfies StoredData;

export type LinkKind = 'none' | 'holder' | 'merchant';
const LINK_KINDS: readonly LinkKind[] = ['none', 'holder', 'merchant'];

/** Fields of a user that are counted. Days are in days since the epoch (UTC). */
export interface CountedUser {
  firstDay: number;
  lastDay: number;
  language: Language;
  unreachable?: unknown;
  isBanned?: boolean | undefined;
  hasOptedOut?: boolean | undefined;
}

/** Text of an empty cell's first part. Cells that were never written consist of NUL characters. */
const EMPTY = '0'.repeat(LENGTH.user);

const linkText = (link: LinkKind) => String(LINK_KINDS.indexOf(link));

const dayText = (day: number) => day.toString(36).padStart(3, '0').slice(-3);

function textOf(user: CountedUser): string {
  const state = (user.unreachable ? 1 : 0) + (user.isBanned ? 2 : 0) + (user.hasOptedOut ? 4 : 0);
  const language = (LANGUAGES.indexOf(user.language) + 1).toString(36);
  return `${language}${state}${dayText(user.firstDay)}${dayText(user.lastDay)}`;
}

function placeOf(number: number): { key: string; at: number } {
  const [chunk, cell] = [Math.floor((number - 1) / CHUNK), (number - 1) % CHUNK];
  return { key: keyOf(USER_CELLS.keys, { chunk }), at: cell * LENGTH.cell };
}

/** Returns the change of a cell that belongs to a write of the user's record; none for a user without a number. */
export function changesOfUser(number: number | undefined, user: CountedUser | undefined): Overwrite[] {
  return overwrite(number, 0, user ? textOf(user) : EMPTY);
}

/** Returns the change of a cell that belongs to a write of the user's link; none for a user without a number. */
export function changesOfLink(number: number | undefined, link: LinkKind): Overwrite[] {
  return overwrite(number, LENGTH.user, linkText(link));
}

function overwrite(number: number | undefined, offset: number, text: string): Overwrite[] {
  if (number === undefined || number > MAX_USER_NUMBER) return [];
  const { key, at } = placeOf(number);
  return [{ key, at: at + offset, text }];
}

export interface Cell {
  user: CountedUser;
  link: LinkKind;
}

/** Value of the digit at a position in base 36. Quicker than `parseInt`, for millions of cells. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code > 57 ? code - 87 : code - 48;
}

const numberAt = (text: string, at: number) =>
  1_296 * digitAt(text, at) + 36 * digitAt(text, at + 1) + digitAt(text, at + 2);

function parseCell(text: string, at: number): Cell | undefined {
  const language = LANGUAGES[digitAt(text, at) - 1];
  if (language === undefined) return undefined;
  const state = digitAt(text, at + 1);
  const user: CountedUser = {
    language,
    unreachable: (state & 1) !== 0,
    isBanned: (state & 2) !== 0,
    hasOptedOut: (state & 4) !== 0,
    firstDay: numberAt(text, at + 2),
    lastDay: numberAt(text, at + 5),
  };
  return { user, link: LINK_KINDS[digitAt(text, at + 8)] ?? 'none' };
}

/** Number of keys that are read at once. */
const READ_CHUNKS = 32;

/** Cells of all users as they were when they were read. */
export type UserCells = Awaited<ReturnType<typeof readUserCells>>;

/** Reads the cells of all users: nine bytes for each. */
export async function readUserCells(storage: Pick<Storage, 'get'>) {
  const latest = Math.min(Number(await storage.get(USER_NUMBERS.keys)) || 0, MAX_USER_NUMBER);
  const keys = Array.from({ length: Math.ceil(latest / CHUNK) }, (_, at) => placeOf(at * CHUNK + 1).key);
  const texts: string[] = [];
  for (let from = 0; from < keys.length; from += READ_CHUNKS) {
    const read = keys.slice(from, from + READ_CHUNKS).map(async (key) => (await storage.get(key)) ?? '');
    texts.push(...(await Promise.all(read)));
  }

  return {
    /** Returns whether the user's cell differs from these data. */
    differs(number: number, user: CountedUser, link: LinkKind): boolean {
      const { at } = placeOf(number);
      const text = texts[Math.floor((number - 1) / CHUNK)]?.slice(at, at + LENGTH.cell) ?? '';
      return text.padEnd(LENGTH.cell, '\0').replaceAll('\0', '0') !== `${textOf(user)}${linkText(link)}`;
    },
    /** Returns the cells of all users with their numbers. */
    *entries(): Generator<[number: number, cell: Cell]> {
      for (const [chunk, text] of texts.entries()) {
        for (let at = 0; at < text.length; at += LENGTH.cell) {
          const cell = parseCell(text, at);
          if (cell !== undefined) yield [chunk * CHUNK + at / LENGTH.cell + 1, cell];
        }
      }
    },
  };
}

/** Empties cells that belong to no user, which only a change from outside can leave. */
export async function clearCells(
  storage: Pick<Storage, 'get' | 'replace'>,
  numbers: readonly number[],
): Promise<void> {
  for (const number of numbers) {
    const { key, at } = placeOf(number);
    await retryOnConflict(async () => {
      const text = await storage.get(key);
      if (text === undefined) return true;
      const cleared = `${text.slice(0, at)}${EMPTY}0${text.slice(at + LENGTH.cell)}`;
      return (await storage.replace(key, text, cleared)) || undefined;
    });
  }
}
