import type { Forgery } from './forgeries.ts';

export interface Answer {
  status: number;
  headers: string[];
  body: string;
}

/** All kinds of answers there were, each with how often, and to which forgeries. */
export interface Answers {
  count: number;
  /** By the whole answer, byte for byte but for the time. */
  kinds: Record<string, { status: number; times: number }>;
  /** How often which forgery got which status. */
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
