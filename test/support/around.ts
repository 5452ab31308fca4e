import type { TestProject } from 'vitest/node';
import { setup as startBundles } from './bundles.ts';
import { setup as startChromium } from './chromium-server.ts';
import { setup as startRedisServer } from './redis-server.ts';

/** What a whole run needs beside itself, all made at once. */
export async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const ends = await Promise.all([startRedisServer(project), startBundles(project), startChromium(project)]);
  return () => Promise.all(ends.map((end) => end?.()));
}
