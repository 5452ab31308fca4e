/** Runs something every so many milliseconds, until the answer is called. */
export type Every = (ms: number, run: () => void) => () => void;

/** By the process's own clock; nothing of it keeps the process alive. */
export const everyInterval: Every = (ms, run) => {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
};
