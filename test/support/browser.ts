import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    browserEndpoint: string;
  }
}

const connected: { browser?: Promise<Browser> } = {};

/** The browser that all tests of a run share. What a test opens in it, it closes. */
export function sharedBrowser(): Promise<Browser> {
  connected.browser ??= chromium.connect(inject('browserEndpoint'));
  return connected.browser;
}
