import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { chromiumOptions } from './chromium.ts';

/** Starts one headless Chromium for the whole run. Returns a function that stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ ...chromiumOptions(), host: '127.0.0.1' });
  project.provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}
