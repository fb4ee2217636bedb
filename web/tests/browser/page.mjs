// What all tests of pages begin with.

/** Opens a page of the console. */
export const open = (world, path) => world.page.goto(`${world.address}/console/${path}`);

/** A button by its whole name. */
export const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Waits until a list shows so many rows. */
export const rows = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('tr[data-row]').length === wanted, count);
