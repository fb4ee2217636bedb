// What all tests of pages begin with.
import { until } from './seed.mjs';

/** Opens a page of the console. */
export const open = (world, path) => world.page.goto(`${world.address}/console/${path}`);

/** A button by its whole name. */
export const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Waits until a list shows so many rows. */
export const rows = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('tr[data-row]').length === wanted, count);

/** Selects a word of an editor: a double click selects nothing where the editor is still being laid out. */
export const select = (page, within, word) =>
  until(`“${word}” to be selected`, async () => {
    await within.getByText(`"${word}"`).first().dblclick();
    return (await page.evaluate(() => document.getSelection().toString())) === word;
  });
