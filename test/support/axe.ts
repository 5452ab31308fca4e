import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Script that waits until finite animations have ended. An element that fades in has too little contrast. */
const SETTLED = `Promise.all(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime < Infinity)
  .map((one) => one.finished.catch(() => undefined)))`;

/** Returns the violations that axe finds in a page, with their selectors. Evaluates axe, because the page's policy blocks scripts. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(SETTLED);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
