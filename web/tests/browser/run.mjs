// The console in a real browser against the real binary. Usage: node run.mjs [parts of names of tests, separated by |]
// SCREENSHOTS=folder keeps a picture of every page.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { axeFaults, openBrowser, signIn } from './browser.mjs';
import { client, seed } from './seed.mjs';
import { startServer } from './server.mjs';
import { causeTests } from './causes.mjs';
import { executionTests } from './executions.mjs';
import { figureTests } from './figures.mjs';
import { formTests } from './forms.mjs';
import { issueTests } from './issues.mjs';
import { listTests } from './lists.mjs';
import { operateTests } from './operate.mjs';
import { payloadTests } from './payloads.mjs';
import { peopleTests } from './people.mjs';
import { signInTests } from './sign-in.mjs';
import { simulationTests } from './simulations.mjs';
import { tests } from './tests.mjs';

const BINARY = process.env.TRUNKLINE ?? new URL('../../../target/debug/trunkline', import.meta.url).pathname;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const wanted = (process.argv[2] ?? '').split('|').filter(Boolean);
const pictures = process.env.SCREENSHOTS;

const ALL = {
  ...tests,
  ...issueTests,
  ...listTests,
  ...operateTests,
  ...causeTests,
  ...executionTests,
  ...formTests,
  ...simulationTests,
  ...payloadTests,
  ...figureTests,
  ...peopleTests,
  ...signInTests,
};

const server = await startServer(BINARY);
const failed = [];

async function check(name, run) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) return;
  const started = Date.now();
  try {
    await run();
    console.log(`ok    ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    failed.push(name);
    console.log(
      `FAILS ${name} (${Date.now() - started} ms)\n      ${String(error.stack ?? error).replaceAll('\n', '\n      ')}`,
    );
  }
}

try {
  const api = client(server.address, server.key);
  const made = await seed(api, server.address);
  const admin = await openBrowser(server.address);
  const world = { ...server, binary: BINARY, api, made, admin, page: admin.page };
  // The first test signs in; without it the others need a session.
  if (wanted.length > 0) await signIn(admin.page, server.address, server.key);
  for (const [name, run] of Object.entries(ALL)) await check(name, () => run(world));
  await check('no console error and no request off the origin', () => {
    if (admin.faults.length > 0) throw new Error(admin.faults.join('\n'));
  });
  await admin.close();
  await everyPage(api, made);
} finally {
  await server.stop();
}
console.log(failed.length === 0 ? 'all good' : `${failed.length} failed:\n  ${failed.join('\n  ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Each page in both themes and both widths: axe finds nothing serious, nothing is wider than the screen. */
async function everyPage(api, made) {
  const letters = await api.get('/v1/dead-letters?limit=1');
  const batches = await api.get('/v1/batches?limit=1');
  const deliveries = await api.get('/v1/deliveries?limit=1');
  const pages = {
    overview: '',
    jobs: 'jobs',
    job: `jobs/${made.waitingJob}`,
    executions: 'executions',
    execution: `executions/${made.waitingExecution}?node=approve`,
    'execution-timeline': `executions/${made.failedExecution}?view=timeline&node=charge`,
    'execution-events': `executions/${made.failedExecution}?view=events`,
    'execution-chain': `executions/${made.failedExecution}?view=chain&node=charge`,
    'execution-replay': `executions/${made.failedExecution}?step=4`,
    'execution-log': `executions/${made.failedExecution}?view=log`,
    'dead-letters': 'dead-letters',
    'dead-letter-list': 'dead-letters?view=list',
    'dead-letter-issue': `dead-letters?view=list&fingerprint=${letters.items[0].fingerprint}`,
    archive: 'archive',
    'dead-letter': `dead-letters/${letters.items[0].id}`,
    workflows: 'workflows',
    workflow: 'workflows/order',
    'workflow-changes': 'workflows/order?view=changes',
    'workflow-dry-run': 'workflows/order?view=dry-run',
    'workflow-push': 'workflow-new',
    schedules: 'schedules',
    schedule: `schedules/${made.schedule}`,
    webhooks: 'webhooks',
    webhook: `webhooks/${made.webhook}`,
    deliveries: 'deliveries',
    delivery: `deliveries/${deliveries.items[0]?.id}`,
    events: 'events',
    triggers: 'events?view=triggers',
    'user-tasks': 'user-tasks',
    alerts: 'alerts',
    'alert-rules': 'alerts?view=rules',
    'alert-routes': 'alerts?view=routes',
    'alert-silences': 'alerts?view=silences',
    'alert-notifications': 'alerts?view=notifications',
    batches: 'batches',
    batch: `batches/${batches.items[0]?.id}`,
    workers: 'workers',
    limits: 'limits?workflow=order&jobType=check-stock',
    tenants: 'tenants',
    tenant: 'tenants/acme',
    audit: 'audit',
    settings: 'settings',
  };
  const browser = await openBrowser(server.address, SIZES[0]);
  await check('every page: sign-in', async () => {
    await browser.page.goto(`${server.address}/console/`);
    await browser.page.getByLabel('API key').waitFor();
    await eachLook(browser, 'sign-in');
  });
  await check('every page: set-up', async () => {
    await browser.page.goto('about:blank');
    await browser.page.goto(`${server.address}/console/#set-up=code`);
    await browser.page.getByRole('button', { name: 'Set up this server' }).waitFor();
    await eachLook(browser, 'set-up');
  });
  await signIn(browser.page, server.address, server.key);
  for (const [page, path] of Object.entries(pages))
    await check(`every page: ${page}`, () => visit(browser, page, path));
  await browser.close();
}

async function visit(browser, name, path) {
  const { page, faults } = browser;
  const before = faults.length;
  await page.goto(`${server.address}/console/${path}`);
  await page.locator('main h1').waitFor();
  await page.waitForFunction(() => !document.querySelector('main [role=status].pulse'));
  if (/^(execution|execution-replay|workflow|workflow-dry-run)$/.test(name))
    await page.locator('.react-flow__node').first().waitFor();
  await eachLook(browser, name);
  if (faults.length > before) throw new Error(faults.slice(before).join('\n'));
}

/** Looks at a page in both widths and both themes, without loading it again. Themes differ in colors only. */
async function eachLook({ page }, name) {
  const found = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForFunction((shown) => document.documentElement.dataset.theme === shown, colorScheme);
      found.push(
        ...(await axeFaults(page, colorScheme === 'dark' ? ['color-contrast'] : null)).map(
          (fault) => `${size.width} px, ${colorScheme}: ${fault}`,
        ),
      );
      await picture(page, `${name}-${size.width}-${colorScheme}`);
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    if (overflow > 1) found.push(`the page is ${overflow} px wider than a screen of ${size.width} px`);
  }
  await page.setViewportSize(SIZES[0]);
  await page.emulateMedia({ colorScheme: 'light' });
  if (found.length > 0) throw new Error(found.join('\n'));
}

async function picture(page, file) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${file}.png`) });
}
