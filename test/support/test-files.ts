/** Test files that mock a module of Node or replace the clock, so they can't share their worker with other files. */
export const ISOLATED = [
  'test/bot/receive.test.ts',
  'test/notifications/outbox/kills.test.ts',
  'test/operations/send-queue.test.ts',
  'test/operations/storage-away.test.ts',
  'test/simulation/sample.test.ts',
];

/** Test files that need Redis, a browser, or a running bot or sandbox. */
export const INTEGRATION_TESTS = [
  'test/**/*.browser.test.ts',
  'test/**/*.redis.test.ts',
  'test/app.test.ts',
  'test/accounts/webhook-subscriptions.test.ts',
  'test/operations/drafts.test.ts',
  'test/operations/execute.test.ts',
  'test/operations/withdrawal.test.ts',
  'test/journeys/*.test.ts',
  'test/sandbox/**/*.test.ts',
  'test/main.test.ts',
  'test/scripts.test.ts',
  'test/trace.test.ts',
  'test/event-kills/*.test.ts',
  'test/forge/*.test.ts',
];

/** Parts of a glob and their regular expressions. */
const GLOB: Record<string, string> = { '**/': '(.*/)?', '*': '[^/]*', '.': '\\.' };

/** Returns a function that tells whether a path matches a glob. */
export function matcherOf(glob: string): (path: string) => boolean {
  const expression = new RegExp(`^${glob.replace(/\*\*\/|[*.]/g, (part) => GLOB[part] ?? part)}$`);
  return (path) => expression.test(path);
}

/** Returns whether a test file needs other processes, Redis or a browser. */
export const isIntegrationTest = (path: string) => INTEGRATION_TESTS.some((glob) => matcherOf(glob)(path));

/** Test files that mostly wait for other processes, Redis or npm and use little CPU time themselves. */
export const WAITING = [
  'test/scripts.test.ts',
  'test/simulation/sample.test.ts',
  'test/event-kills/event-kills.test.ts',
  'test/journeys/killed.test.ts',
  'test/journeys/redis-gone.test.ts',
  'test/journeys/floods.test.ts',
  'test/sandbox/run.test.ts',
  'test/journeys/unknown-outcomes.test.ts',
  'test/rental-api/classify.test.ts',
];
