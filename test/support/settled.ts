/** What was begun beside the test is through, or waits for something else than the storage in memory. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
