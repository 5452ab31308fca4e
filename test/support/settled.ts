// Fake timers of a test don't apply here.
const { setImmediate } = globalThis;

/** Waits until work in the background has ended, or waits for something other than the memory storage. */
export const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));
