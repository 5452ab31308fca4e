import { existsSync } from 'node:fs';
import type { LaunchOptions } from 'playwright-core';

/** The first is without windows, and opens a page for about a quarter less. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/**
 * Each window would load two pages of the browser's own for suggestions below its address bar, at more cost than the page that is
 * tested. The first two lines are what Playwright itself turns off, whose list this one replaces.
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

/** How headless Chromium is launched: the one that `CHROMIUM` names, or the system's. */
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
