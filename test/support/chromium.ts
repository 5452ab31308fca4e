import { existsSync } from 'node:fs';
import type { LaunchOptions } from 'playwright-core';

/** Paths of Chromium. The headless shell has no windows and opens a page about a quarter faster. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/**
 * Features of Chromium to turn off. Otherwise each window loads two internal pages for address bar suggestions, which
 * cost more than the tested page. The first two lines repeat the list of Playwright, which this list replaces.
 */
const WITHOUT_FEATURES = [
  ...[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'PaintHolding',
  ],
  ...['HttpsFirstBalancedModeAutoEnable', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'MediaRouter'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'PreloadTopChromeWebUI'],
];

/** Returns launch options for headless Chromium: the one in `CHROMIUM`, or the system's. */
export function chromiumOptions(): LaunchOptions {
  const executablePath = process.env.CHROMIUM || PLACES.find((place) => existsSync(place));
  if (!executablePath)
    throw new Error(
      'Chromium is needed: install it (apt install chromium-headless-shell) or name it in CHROMIUM',
    );
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
      `--disable-features=${WITHOUT_FEATURES.join()}`,
    ],
  };
}
