import { existsSync } from 'node:fs';
import type { LaunchOptions } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** How headless Chromium is launched: the one that `CHROMIUM` names, or the system's. */
export function chromiumOptions(): LaunchOptions {
  const executablePath = process.env.CHROMIUM || PLACES.find((place) => existsSync(place));
  if (!executablePath)
    throw new Error('Chromium is needed: install it (apt install chromium) or name it in CHROMIUM');
  return {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
}
