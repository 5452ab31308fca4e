/** Current disturbances by name, for example *bot 1 is down* or *Redis is paused*. */
export interface Health {
  /** Records a disturbance from now on. Returns a function that ends it. */
  ails(what: string): () => void;
  /** Returns the time since which there was no disturbance, or `undefined` during one. */
  wellSince(at: number): number | undefined;
  isWell(): boolean;
  /** Returns the disturbances between two times, one line each. */
  between(from: number, to: number): string[];
}

interface Ailment {
  what: string;
  from: number;
  to: number;
}

/** Records the times of disturbances, in epoch milliseconds. */
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
