import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with a page as it stands, each with where: by evaluation, which no policy of the page forbids. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
