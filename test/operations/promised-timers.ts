/**
 * Stands in for `node:timers/promises`, which fake timers leave as it is: its waits are those of the global
 * `setTimeout`, so that a test's clock moves them. To be used as `vi.mock('node:timers/promises', () => import(…))`.
 */
function promisedTimeout<T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(() => resolve(value as T), ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export { promisedTimeout as setTimeout };
