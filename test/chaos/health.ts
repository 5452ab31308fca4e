interface Ailment {
  what: string;
  from: number;
  to: number;
}

/** Records disturbances by name, for example *bot 1 is down*, and their times in epoch milliseconds. */
export function createHealth() {
  const ailments: Ailment[] = [];
  const began = Date.now();
  return {
    /** Records a disturbance from now on. Returns a function that ends it. */
    ails(what: string): () => void {
      const ailment: Ailment = { what, from: Date.now(), to: Number.POSITIVE_INFINITY };
      ailments.push(ailment);
      return () => {
        ailment.to = Math.min(ailment.to, Date.now());
      };
    },
    /** Returns the time since which there was no disturbance, or `undefined` during one. */
    wellSince(at: number): number | undefined {
      if (ailments.some(({ from, to }) => from <= at && at < to)) return undefined;
      return Math.max(began, ...ailments.filter(({ to }) => to <= at).map(({ to }) => to));
    },
    isWell: () => ailments.every(({ to }) => Number.isFinite(to)),
    /** Returns the disturbances between two times, one line each. */
    between: (from: number, to: number): string[] =>
      ailments
        .filter((one) => one.from <= to && one.to >= from)
        .map((one) => `${clock(one.from)} to ${Number.isFinite(one.to) ? clock(one.to) : 'now'} ${one.what}`),
  };
}

export type Health = ReturnType<typeof createHealth>;

export function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
