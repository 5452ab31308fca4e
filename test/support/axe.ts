import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What fades in has too little contrast until it is there. */
const SETTLED = `Promise.all(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime < Infinity)
  .map((one) => one.finished.catch(() => undefined)))`;

/** What axe finds wrong with a page as it stands, each with where: by evaluation, which no policy of the page forbids. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(SETTLED);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
