import type { TestProject } from 'vitest/node';
import { startRedis } from './redis-process.ts';

/** Provides one Redis for the whole run: `TEST_REDIS_URL`, or a new server that stops with the run. Ignores `REDIS_URL`. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_REDIS_URL;
  if (given) {
    project.provide('redisUrl', given);
    return undefined;
  }
  const server = await startRedis(['--databases', '4096']);
  project.provide('redisUrl', server.url);
  return server.stop;
}
