/** Sizes of all measurements. */
export interface Sizes {
  slices: number;
  /** Maximum number of slices per quiet slice. */
  tries: number;
  /** Walks per slice, and the users who share them. */
  purchases: number;
  menus: number;
  people: number;
  /** Rounds of the comparison with another checkout, and walks of a slice. */
  paired: { rounds: number; people: number; menu: number; purchase: number };
  /** Purchases made one at a time. `idleMs` is the measured idle time before them, in milliseconds. */
  alone: number;
  idleMs: number;
  /** Number of starts in each way. */
  starts: number;
  /** Purchases started per second, and the duration in seconds. */
  stream: { perSecond: number; seconds: number; people: number };
  /**
   * Rates of purchases per second that are tried: from the lowest to the highest, in steps. A rate is first tried for
   * `probeSeconds`.
   */
  sustained: { from: number; most: number; step: number; probeSeconds: number; seconds: number };
  /** `each`: orders per account. */
  events: { accounts: number; each: number; perSecond: number };
  watch: { accounts: number; processes: number };
  /** Time that a user of the perceived latencies takes before each step, in milliseconds. */
  thinkMs: number;
}

export const FULL: Sizes = {
  slices: 7,
  tries: 2,
  purchases: 1_000,
  menus: 600,
  people: 400,
  paired: { rounds: 10, people: 240, menu: 200, purchase: 120 },
  alone: 10,
  idleMs: 30_000,
  starts: 7,
  stream: { perSecond: 100, seconds: 60, people: 1_200 },
  sustained: { from: 60, most: 400, step: 20, probeSeconds: 15, seconds: 60 },
  events: { accounts: 2_000, each: 2, perSecond: 1_000 },
  watch: { accounts: 2_000, processes: 10 },
  thinkMs: 700,
};

export const QUICK: Sizes = {
  slices: 2,
  tries: 1,
  purchases: 80,
  menus: 40,
  people: 80,
  paired: { rounds: 2, people: 40, menu: 40, purchase: 40 },
  alone: 2,
  idleMs: 3_000,
  starts: 1,
  stream: { perSecond: 20, seconds: 2, people: 60 },
  sustained: { from: 10, most: 20, step: 10, probeSeconds: 2, seconds: 3 },
  events: { accounts: 60, each: 2, perSecond: 200 },
  watch: { accounts: 100, processes: 1 },
  thinkMs: 700,
};
