/**
 * Replaces `node:timers/promises`, which fake timers don't affect, by timers on the global `setTimeout`. Use it with
 * `vi.mock('node:timers/promises', () => import(…))`.
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
