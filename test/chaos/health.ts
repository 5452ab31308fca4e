/** What keeps everything from being well, by name: *bot 1 is down*, *Redis is paused*. */
export interface Health {
  /** Says that something is wrong from now on; answers how to say that it is over. */
  ails(what: string): () => void;
  /** Since when nothing has been wrong; `undefined` while something is. */
  wellSince(at: number): number | undefined;
  isWell(): boolean;
  /** What was wrong between two times, as lines. */
  between(from: number, to: number): string[];
}

interface Ailment {
  what: string;
  from: number;
  to: number;
}

/** Keeps when something was wrong. Times are epoch milliseconds. */
export function createHealth(): Health {
  const ailments: Ailment[] = [];
  const began = Date.now();
  return {
    ails(what) {
      const ailment: Ailment = { what, from: Date.now(), to: Number.POSITIVE_INFINITY };
      ailments.push(ailment);
      return () => {
        ailment.to = Math.min(ailment.to, Date.now());
      };
    },
    wellSince(at) {
      if (ailments.some(({ from, to }) => from <= at && at < to)) return undefined;
      return Math.max(began, ...ailments.filter(({ to }) => to <= at).map(({ to }) => to));
    },
    isWell: () => ailments.every(({ to }) => Number.isFinite(to)),
    between: (from, to) =>
      ailments
        .filter((one) => one.from <= to && one.to >= from)
        .map((one) => `${clock(one.from)} to ${Number.isFinite(one.to) ? clock(one.to) : 'now'} ${one.what}`),
  };
}

export function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
