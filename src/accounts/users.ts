import { z } from 'zod';
import { LANGUAGES, type Language } from '../i18n/texts.ts';
import { readJson, retryOnConflict } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Links } from './links.ts';

const DAY_MS = 24 * 3600_000;
const EVERYBODY = 'people';

/** Why a user gets no messages: they blocked the bot, deleted their account, or are unreachable for another reason. */
const GONE = ['blocked', 'deactivated', 'unreachable'] as const;
type Gone = (typeof GONE)[number];

const personSchema = z.object({
  /** Days of the first and last update, in days since the epoch (UTC). */
  first: z.number(),
  last: z.number(),
  language: z.enum(LANGUAGES),
  /** Removed when the user writes again. */
  gone: z.enum(GONE).optional(),
  /** An admin has barred the user. */
  isBarred: z.boolean().optional(),
  /** The user has opted out of the operator's broadcasts. */
  isQuiet: z.boolean().optional(),
  /** Commands that Telegram lists in the user's chat, if they differ from the default. */
  commands: z.string().optional(),
});

/** User who has written to the bot. */
export type Person = z.infer<typeof personSchema> & { user: number };

/** All users who have written to the bot, from their first update on. */
export interface People {
  /** Starts reading the user at once; `undefined` if the user is unknown. */
  ahead(user: number): () => Promise<Person | undefined>;
  find(user: number): Promise<Person | undefined>;
  /** Records activity of the user. Writes only if `known` is outdated, usually once a day. */
  met(user: number, language: Language, known: Person | undefined): Promise<void>;
  /** Records that the user gets no messages until they write again. */
  gone(user: number, why: Gone): Promise<void>;
  /** Bars the user or lifts the bar. Returns whether the user is known. */
  bar(user: number, isBarred: boolean): Promise<boolean>;
  /** Opts the user out of broadcasts or in again. Returns whether the user is known. */
  quiet(user: number, isQuiet: boolean): Promise<boolean>;
  /**
   * Records the commands that Telegram lists in the user's chat; `undefined` for the default. Returns whether the user
   * is known.
   */
  listed(user: number, commands: string | undefined): Promise<boolean>;
  /** Returns up to `limit` users with ids above `after`, by id. `last` is `undefined` on the last page. */
  page(after: number, limit: number): Promise<{ people: Person[]; last: number | undefined }>;
  /** Erases the user. A barred user stays barred. */
  forget(user: number): Promise<void>;
}

/** Returns the day of `at` (epoch milliseconds), in days since the epoch (UTC). */
export const dayAt = (at: number): number => Math.floor(at / DAY_MS);

export function createPeople({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace' | 'delete' | 'index'>;
  now: () => number;
}): People {
  const keyOf = (user: number) => `person:{${user}}`;
  const read = (user: number, text: string | undefined): Person | undefined => {
    const kept = readJson(personSchema, text);
    return kept && { ...kept, user };
  };

  function ahead(user: number): () => Promise<Person | undefined> {
    const reading = storage.get(keyOf(user));
    // Prevents an unhandled rejection. The caller that awaits the result gets the error.
    reading.catch(() => undefined);
    return async () => read(user, await reading);
  }

  async function change(
    user: number,
    to: (person: Person | undefined) => Omit<Person, 'user'> | undefined,
  ): Promise<void> {
    await retryOnConflict(async () => {
      const text = await storage.get(keyOf(user));
      const next = to(read(user, text));
      if (next === undefined) return true;
      const content = JSON.stringify(personSchema.parse(next));
      const written =
        text === undefined ? storage.add(keyOf(user), content) : storage.replace(keyOf(user), text, content);
      return (await written) || undefined;
    });
  }

  async function changeKnown(
    user: number,
    to: Pick<Person, 'isBarred' | 'isQuiet' | 'commands'>,
  ): Promise<boolean> {
    let isKnown = false;
    await change(user, (person) => {
      isKnown = person !== undefined;
      return person && { ...person, ...to };
    });
    return isKnown;
  }

  return {
    ahead,
    find: (user) => ahead(user)(),
    async met(user, language, known) {
      const today = dayAt(now());
      if (known?.last === today && known.language === language && !known.gone) return;
      // Index first: an indexed user without a record is skipped, but a record without an index entry would never be
      // found.
      if (known === undefined) await storage.index.put(EVERYBODY, String(user), user);
      await change(user, (person) => ({
        ...{ first: person?.first ?? today, last: Math.max(today, person?.last ?? today), language },
        ...(person?.isQuiet && { isQuiet: true }),
        ...(person?.isBarred && { isBarred: true }),
        ...(person?.commands !== undefined && { commands: person.commands }),
      }));
    },
    gone: (user, why) => change(user, (person) => person && { ...person, gone: why }),
    bar: (user, isBarred) => changeKnown(user, { isBarred: isBarred || undefined }),
    quiet: (user, isQuiet) => changeKnown(user, { isQuiet: isQuiet || undefined }),
    listed: (user, commands) => changeKnown(user, { commands }),
    async page(after, limit) {
      const members = await storage.index.above(EVERYBODY, after, limit);
      const found = await Promise.all(members.map((member) => ahead(Number(member))()));
      return {
        people: found.filter((person) => person !== undefined),
        last: members.length < limit ? undefined : Number(members.at(-1)),
      };
    },
    async forget(user) {
      await retryOnConflict(async () => {
        const text = await storage.get(keyOf(user));
        if (text === undefined || read(user, text)?.isBarred) return true;
        await storage.delete(keyOf(user), text);
        // Reads again, because the user may have been barred since.
        return undefined;
      });
      if ((await storage.get(keyOf(user))) === undefined) await storage.index.remove(EVERYBODY, String(user));
    },
  };
}

const PAGE = 1_000;

/** Periods of the user figures, in days including today. */
export const SPANS = [1, 7, 30] as const;
type Span = (typeof SPANS)[number];

/** Numbers of users, as far as they were counted. */
export interface PeopleFigures {
  /** Whether the time limit was reached before all users were counted. */
  isPart: boolean;
  all: number;
  linked: number;
  gone: number;
  barred: number;
  languages: Record<Language, number>;
  /** `met`: users first seen in each period. `here`: users last seen in each period. */
  met: Record<Span, number>;
  here: Record<Span, number>;
}

/** Counts all users who have written to the bot, for `withinMs` at most. */
export type CountPeople = (withinMs: number) => Promise<PeopleFigures>;

export function createCountPeople(deps: {
  people: Pick<People, 'page'>;
  links: Pick<Links, 'find'>;
  now: () => number;
}): CountPeople {
  const { people, links, now } = deps;

  function add(
    figures: PeopleFigures,
    { first, last, language, gone, isBarred }: Person,
    today: number,
  ): void {
    figures.all += 1;
    figures.languages[language] += 1;
    if (gone) figures.gone += 1;
    if (isBarred) figures.barred += 1;
    for (const span of SPANS) {
      if (first > today - span) figures.met[span] += 1;
      if (last > today - span) figures.here[span] += 1;
    }
  }

  return async (withinMs) => {
    const until = performance.now() + withinMs;
    const figures = nothing();
    const today = dayAt(now());
    let after: number | undefined = 0;
    while (after !== undefined) {
      if (performance.now() > until) return { ...figures, isPart: true };
      const page: Awaited<ReturnType<People['page']>> = await people.page(after, PAGE);
      const linked = await Promise.all(page.people.map(({ user }) => links.find(user)));
      for (const person of page.people) add(figures, person, today);
      figures.linked += linked.filter((link) => link !== undefined).length;
      after = page.last;
    }
    return figures;
  };
}

function nothing(): PeopleFigures {
  return {
    ...{ isPart: false, all: 0, linked: 0, gone: 0, barred: 0 },
    languages: Object.fromEntries(LANGUAGES.map((one) => [one, 0])) as Record<Language, number>,
    met: { 1: 0, 7: 0, 30: 0 },
    here: { 1: 0, 7: 0, 30: 0 },
  };
}
