/** Creates a function that runs works in turn, at most `places` of them at once. */
export function atMost(places: number) {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work: () => Promise<void>): Promise<void> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
