// Debian's Chromium without a window, and what every page of the console must keep to.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A browser with an empty profile. `faults` collects console errors and requests that leave the origin. */
export async function openBrowser(address, { width = 1440, height = 900, colorScheme = 'light' } = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'console-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    timeout: 120_000,
    args: FLAGS,
    viewport: { width, height },
    colorScheme,
  });
  // Only what fails waits so long.
  context.setDefaultTimeout(60_000);
  const faults = [];
  const { origin } = new URL(address);
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url))
      faults.push(`request off the origin: ${url}`);
  });
  context.on('console', (message) => {
    // Browsers report every refusal as an error: 401 before somebody signs in, 404 for what is not there, 422 while something invalid is
    // typed.
    const isRefusal =
      /status of (401|404|422) /.test(message.text()) &&
      /\/(auth\/set-up|v1\/session|v1\/schedules\/preview|v1\/workflows\/simulate|v1\/workflows\?validate=true|v1\/jobs\?.*q=nonsense.*|v1\/jobs\/foo\?.*|v1\/workflows\/no-such\/versions.*|v1\/dead-letters\?.*q=data.customer.number.*)$/.test(
        message.location().url,
      );
    if (message.type() === 'error' && !isRefusal)
      faults.push(`console error: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error().message}`));
  const page = context.pages()[0] ?? (await context.newPage());
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, page, faults, close };
}

/** Signs in by typing the key. */
export async function signIn(page, address, key) {
  await page.goto(`${address}/console/`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Elements at the ends of a menu that give the focus away as soon as they get it: hidden on purpose, and no fault. */
const FOCUS_GUARDS = '[data-base-ui-focus-guard]';

/** What axe calls serious or critical on the page as it is; all rules, or those named. */
export async function axeFaults(page, rules = null) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    ([names, guards]) =>
      window.axe.run(
        { include: [['html']], exclude: [[guards]] },
        {
          resultTypes: ['violations'],
          ...(names ? { runOnly: { type: 'rule', values: names } } : {}),
        },
      ),
    [rules, FOCUS_GUARDS],
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help} – ${nodes
          .slice(0, 3)
          .map((node) => node.target.join(' '))
          .join(' | ')}`,
    );
}
