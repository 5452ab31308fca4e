import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    browserEndpoint: string;
  }
}

const connected: { browser?: Promise<Browser> } = {};

/** Returns the browser that all tests of a run share. A test must close what it opens. */
export function sharedBrowser(): Promise<Browser> {
  connected.browser ??= chromium.connect(inject('browserEndpoint'));
  return connected.browser;
}
