import type { Page } from 'playwright-core';

/** Returns a section of the panel by its heading. */
export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const cards = (page: Page, name: string) => section(page, name).getByRole('listitem');
export const account = (page: Page, key: string) => cards(page, 'Accounts').filter({ hasText: key });
/** Returns a button by its full name, which is unique on the page. */
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Unfolds a section. */
export function openSection(page: Page, name: string): Promise<void> {
  return section(page, name).getByRole('heading', { name }).click();
}
