/** Test files that mock a module of Node, so they can't share their worker's modules with other files. */
export const ISOLATED = [
  'test/bot/receive.test.ts',
  'test/notifications/outbox/kills.test.ts',
  'test/operations/storage-away.test.ts',
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
  'test/event-kills/*.test.ts',
  'test/forge/*.test.ts',
];

/** Test files that mostly wait for the bot, Redis or npm and use little CPU time. */
export const WAITING = [
  'test/platform/bull-jobs.redis.test.ts',
  'test/journeys/late-cards.test.ts',
  'test/event-kills/event-kills.test.ts',
  'test/journeys/killed.test.ts',
  'test/journeys/redis-gone.test.ts',
  'test/journeys/deliveries.test.ts',
  'test/journeys/floods.test.ts',
  'test/sandbox/run.test.ts',
  'test/journeys/unknown-outcomes.test.ts',
  'test/rental-api/classify.test.ts',
];
