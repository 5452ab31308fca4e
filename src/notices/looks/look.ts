import type { Rental } from '../../rental/client.ts';
import type { Outcome } from '../../rental/outcome.ts';

/** What a look found: what is known from now on, and whether something of it hadn't been seen before. */
export interface Found {
  known: readonly string[];
  hasChanged: boolean;
  /** Something of it is to be looked at again that soon, in milliseconds. */
  againMs?: number;
  /** Regularly it is looked at within this time, in milliseconds, however little there was to see. */
  withinMs?: number;
}

/** Since when an account is linked, and what of it is known already; nothing at its first look. */
export interface LookedBefore {
  account: number;
  /** Epoch milliseconds. */
  since: number;
  /** When it was looked at before, in epoch milliseconds: the same until this look has come to its end. */
  at: number;
  known: readonly string[] | undefined;
}

/**
 * Something of an account that is read to learn what has happened there. A further one is a file like `deposits.ts` and a
 * line in `account/account-looks.ts`.
 */
export interface Look {
  name: LookName;
  /** Whether anybody wants to know; nobody asks the service otherwise. */
  isWanted?(account: number): Promise<boolean>;
  /** What it reads says itself which account that is of: nobody has to ask for that before. */
  namesAccount?: true;
  /** Asks the service, and tells what is new by what it answers. Safe to repeat: what was told once is told no more. */
  look(rental: Rental, apiKey: string, before: LookedBefore): Promise<Outcome<Found>>;
}

export const LOOK_NAMES = ['deposits', 'withdrawals', 'log', 'balance'] as const;
export type LookName = (typeof LOOK_NAMES)[number];

/** Of a list, and of what is known of it, by name. */
export const MOST_KNOWN = 1_000;
/** The service's clock and ours may differ by this much. */
export const SKEW_MS = 60_000;

interface Dated {
  id?: number | undefined;
  created_at?: string | undefined;
}

/**
 * The newest of a list, oldest first, each under a name of its own: those that aren't known are news. What is known stays
 * so while the list doesn't show it: it may be short, or empty, for once.
 */
export function unknownOf<Item extends Dated>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  known: readonly string[] = [],
): { known: string[]; fresh: { name: string; item: Item }[] } {
  const counts = new Map<string, number>();
  const inOrder = items.toSorted((one, other) => timeOf(one) - timeOf(other) || idOf(one) - idOf(other));
  const named = inOrder.map((item) => {
    const base = nameOf(item);
    const count = counts.get(base) ?? 0;
    counts.set(base, count + 1);
    return { name: count === 0 ? base : `${base}#${count}`, item };
  });
  const newest = named.slice(-MOST_KNOWN);
  const [present, before] = [new Set(newest.map(({ name }) => name)), new Set(known)];
  return {
    known: [...present, ...known.filter((name) => !present.has(name))].slice(0, MOST_KNOWN),
    fresh: newest.filter(({ name }) => !before.has(name)),
  };
}

/** Whether it is from after the link; what has no time is, from the second look on. */
export function isSince({ created_at: at }: Dated, { since, known }: LookedBefore): boolean {
  return at === undefined ? known !== undefined : Date.parse(at) >= since - SKEW_MS;
}

function timeOf({ created_at: at }: Dated): number {
  return at === undefined ? 0 : Date.parse(at);
}

function idOf({ id = 0 }: Dated): number {
  return id;
}
