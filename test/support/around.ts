import type { TestProject } from 'vitest/node';
import { setup as startBundles } from './bundles.ts';
import { setup as startChromium } from './chromium-server.ts';
import { setup as startRedisServer } from './redis-server.ts';

/** Starts Redis, the bundles and Chromium of a run in parallel. Returns a function that stops them. */
export async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const ends = await Promise.all([startRedisServer(project), startBundles(project), startChromium(project)]);
  return () => Promise.all(ends.map((end) => end?.()));
}
