/**
 * The answer of `work`, or what `late` makes of its absence once `ms` have passed: `undefined` unless it is given; it
 * may throw. The work itself goes on. No timer is left behind, and none keeps the process alive.
 */
export function orTimeout<T>(work: Promise<T>, ms: number): Promise<T | undefined>;
export function orTimeout<T, Late>(work: Promise<T>, ms: number, late: () => Late): Promise<T | Late>;
export async function orTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  late?: () => Late,
): Promise<T | Late | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Late | undefined>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late?.());
      } catch (error) {
        reject(error);
      }
    }, ms);
    timer.unref();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
