import { setTimeout as delay } from 'node:timers/promises';
import { LANGUAGES, type Language } from '../i18n/texts.ts';
import { DAY_MS, isRecent } from '../platform/clock.ts';
import type { StoredData } from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import type { Links } from './links.ts';
import {
  type Cell,
  changesOfLink,
  clearCells,
  MAX_USER_NUMBER,
  readUserCells,
  USER_NUMBERS,
  type UserCells,
} from './user-cells.ts';
import { type BotUser, dayAt, type Users } from './users.ts';

/** Marker of the last check of the cells by which users are counted. */
export const USER_COUNT_CHECK = {
  keys: 'user-count-check',
  content: 'When the cells of all users were last compared with their records',
  expiry: 'none: otherwise users would count as not counted yet',
  anonymous: true,
} as const satisfies StoredData;

const INTERVAL_MS = DAY_MS;
const PAGE_SIZE = 500;
/** Pause after each page of users, in milliseconds. */
const PAUSE_MS = 25;
/** Number of cells that are counted before other work of the process gets its turn. */
const CELLS_PER_TURN = 20_000;

/** Periods of the user statistics, in days including today. */
export const PERIODS_DAYS = [1, 7, 30] as const;
type Period = (typeof PERIODS_DAYS)[number];

export interface UserStatistics {
  /** Whether the users of an earlier release haven't all been counted yet. */
  isPartial: boolean;
  total: number;
  /** Users with a link, even if it isn't usable. */
  linked: number;
  unreachable: number;
  banned: number;
  languages: Record<Language, number>;
  /** `newUsers`: users first seen in each period. `activeUsers`: users last seen in each period. */
  newUsers: Record<Period, number>;
  activeUsers: Record<Period, number>;
}

/**
 * Counts users by their cells, which change in the same step as the records of users and links. So a crash can't make them
 * differ. A daily check compares them with the records.
 */
export type UserCounts = ReturnType<typeof createUserCounts>;

export function createUserCounts(
  deps: Pick<AccountsDeps, 'storage' | 'now' | 'log'> & {
    users: Pick<Users, 'page' | 'setNumber'>;
    links: Pick<Links, 'kindOf'>;
  },
) {
  const { storage, users, links, now, log } = deps;
  let isStopped = false;

  async function checkedAt(): Promise<number | undefined> {
    const text = await storage.get(USER_COUNT_CHECK.keys);
    return text === undefined ? undefined : Number(text);
  }

  /** Calls `count` for each user. */
  async function countEach(count: (cell: Cell) => void): Promise<void> {
    let counted = 0;
    for (const [, cell] of (await readUserCells(storage)).entries()) {
      count(cell);
      counted += 1;
      if (counted % CELLS_PER_TURN === 0) await delay(0);
    }
  }

  /** Compares the cells of some users with their records. Corrects the cells that differ, and returns their number. */
  async function correctPage(page: readonly BotUser[], cells: UserCells, used: Set<number>): Promise<number> {
    const kinds = await Promise.all(page.map(({ user }) => links.kindOf(user)));
    let corrected = 0;
    for (const [at, user] of page.entries()) {
      const kind = kinds[at] ?? 'none';
      const own = user.number !== undefined && !used.has(user.number) ? user.number : undefined;
      const number = own ?? (await storage.nextNumber(USER_NUMBERS.keys));
      used.add(number);
      if (own !== undefined && !cells.differs(own, user, kind)) continue;
      await users.setNumber(user.user, number, changesOfLink(number, kind));
      corrected += 1;
    }
    return corrected;
  }

  /** Corrects the number of the latest user if it was changed from outside: two users could get the same number. */
  async function correctLatest(used: ReadonlySet<number>): Promise<void> {
    let highest = 0;
    for (const number of used) if (number <= MAX_USER_NUMBER) highest = Math.max(highest, number);
    const latest = Number(await storage.get(USER_NUMBERS.keys));
    if (!(latest >= highest && latest <= MAX_USER_NUMBER))
      await storage.set(USER_NUMBERS.keys, String(highest));
  }

  return {
    async count(): Promise<UserStatistics> {
      const today = dayAt(now());
      const isPartial = (await checkedAt()) === undefined;
      const languages = Object.fromEntries(LANGUAGES.map((language) => [language, 0]));
      const statistics: UserStatistics = {
        ...{ isPartial, total: 0, linked: 0, unreachable: 0, banned: 0 },
        languages: languages as Record<Language, number>,
        newUsers: { 1: 0, 7: 0, 30: 0 },
        activeUsers: { 1: 0, 7: 0, 30: 0 },
      };
      await countEach(({ user, link }) => {
        statistics.total += 1;
        statistics.languages[user.language] += 1;
        if (link !== 'none') statistics.linked += 1;
        if (user.unreachable) statistics.unreachable += 1;
        if (user.isBanned) statistics.banned += 1;
        for (const period of PERIODS_DAYS) {
          if (user.firstDay > today - period) statistics.newUsers[period] += 1;
          if (user.lastDay > today - period) statistics.activeUsers[period] += 1;
        }
      });
      return statistics;
    },
    /** Calls `count` for each user. Rejects if the users of an earlier release haven't all been counted yet. */
    async countEach(count: (cell: Cell) => void): Promise<void> {
      if ((await checkedAt()) === undefined) throw new Error('the users are still being counted');
      await countEach(count);
    },
    /**
     * Compares all cells slowly with the records, if that is due, and corrects them. A link that changes in the moment of
     * its correction may be counted wrongly until the next check.
     */
    async check(): Promise<void> {
      const at = await checkedAt();
      if (at !== undefined && isRecent(at, INTERVAL_MS, storage.now())) return;
      const cells = await readUserCells(storage);
      const used = new Set<number>();
      let [corrected, after]: [number, number | undefined] = [0, 0];
      while (after !== undefined) {
        if (isStopped) return;
        const page: Awaited<ReturnType<Users['page']>> = await users.page(after, PAGE_SIZE);
        corrected += await correctPage(page.users, cells, used);
        after = page.last;
        if (after !== undefined) await delay(PAUSE_MS);
      }
      const orphans = [...cells.entries()].map(([number]) => number).filter((number) => !used.has(number));
      await clearCells(storage, orphans);
      await correctLatest(used);
      corrected += orphans.length;
      if (corrected > 0) log.info({ count: corrected }, 'users were counted anew');
      await storage.set(USER_COUNT_CHECK.keys, String(storage.now()));
    },
    /** Ends a running check. The next one begins anew. */
    stop(): void {
      isStopped = true;
    },
  };
}
