import type { Forgery } from './forgeries.ts';

export interface Answer {
  status: number;
  headers: string[];
  body: string;
}

/** Counts of all distinct responses, in total and by forgery. */
export interface Answers {
  count: number;
  /** By the complete response except for its date. */
  kinds: Record<string, { status: number; times: number }>;
  /** Counts of statuses by forgery. */
  statuses: Record<string, Record<number, number>>;
}

const TIME = /^date:/i;

export function createAnswers() {
  const all: Answers = { count: 0, kinds: {}, statuses: {} };
  return {
    all: () => all,
    note({ name }: Pick<Forgery, 'name'>, { status, headers, body }: Answer): void {
      const kept = headers.filter((line) => !TIME.test(line)).toSorted();
      const kind = [status, ...kept, '', body].join('\n');
      all.count += 1;
      const known = all.kinds[kind] ?? { status, times: 0 };
      known.times += 1;
      all.kinds[kind] = known;
      const statuses = all.statuses[name] ?? {};
      statuses[status] = (statuses[status] ?? 0) + 1;
      all.statuses[name] = statuses;
    },
  };
}
