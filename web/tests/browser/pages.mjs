// Every page in both themes and both widths: what axe says, how wide it is, what it reads, and how soon it stands.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { axeFaults, openBrowser, signIn } from './browser.mjs';
import { bounds, boundOf, watchRendering, watchReads } from './reads.mjs';

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
/** Where pictures of all pages go; nowhere where nobody asks for them. */
const pictures = process.env.SCREENSHOTS;
/** Times are judged where somebody asks for it, on a machine that does nothing else. */
const JUDGES_TIMES = Boolean(process.env.JUDGE_TIMES);
const RENDER_MS_MAX = 300;
/** So often a slow page is looked at where times are judged. */
const RENDERS = JUDGES_TIMES ? 8 : 1;

const press = (name) => (page) => page.getByRole('button', { name, exact: true }).first().click();
const dialog = (page) => page.locator('[data-dialog]').waitFor();
const then =
  (...steps) =>
  async (page) => {
    for (const step of steps) await step(page);
  };

/** What opens above a page: dialogs, menus, the palette. */
function overlaysOf(made, letters) {
  const menu = (page) => page.getByRole('menu').waitFor();
  const chosen = (name) => (page) => page.getByRole('menuitem', { name }).click();
  const editor = (page) => page.locator('[data-dialog] .cm-content').first().waitFor();
  return {
    palette: { on: 'jobs', open: then((page) => page.keyboard.press('Control+K'), dialog) },
    shortcuts: { on: 'jobs', open: then((page) => page.keyboard.press('?'), dialog) },
    'theme-and-time': { on: 'jobs', open: then(press('Theme and time'), menu) },
    account: { on: 'jobs', open: then(press('Account'), menu) },
    zone: { on: 'jobs', open: then(press('Theme and time'), menu, chosen('Another zone…'), dialog) },
    bulk: { on: 'jobs', open: then(press('All…'), menu, chosen('Cancel'), dialog) },
    'new-job': { on: 'jobs', open: then(press('New job'), dialog, editor) },
    view: { on: 'jobs', open: then(press('Saved views'), menu, chosen('Save this view…'), dialog) },
    requeue: {
      on: `dead-letters/${letters.items[0].id}`,
      open: then(press('Edit and requeue'), dialog, editor),
    },
    ignore: { on: 'dead-letters', open: then(press('Ignore'), dialog) },
    run: { on: 'workflows/order', open: then(press('Run'), dialog) },
    rerun: {
      on: `executions/${made.failedExecution}`,
      open: then(press('Rerun from a node'), dialog, editor),
    },
    schedule: { on: 'schedules', open: then(press('New schedule'), dialog, editor) },
    backfill: { on: `schedules/${made.schedule}`, open: then(press('Backfill'), dialog) },
    rotate: { on: `webhooks/${made.webhook}`, open: then(press('Rotate the secret'), dialog) },
    'webhook-edit': { on: `webhooks/${made.webhook}`, open: then(press('Edit'), dialog, editor) },
    webhook: { on: 'webhooks', open: then(press('New endpoint'), dialog) },
    event: { on: 'events', open: then(press('Send an event'), dialog, editor) },
    trigger: { on: 'events?view=triggers', open: then(press('New trigger'), dialog, editor) },
    rule: { on: 'alerts?view=rules', open: then(press('New rule'), dialog) },
    route: { on: 'alerts?view=routes', open: then(press('New route'), dialog) },
    silence: { on: 'alerts?view=silences', open: then(press('New silence'), dialog) },
    key: { on: 'settings', open: then(press('New key'), dialog) },
    quotas: { on: 'tenants/acme', open: then(press('Change quotas'), dialog) },
  };
}

/** The pages, by name, with something to show on each. */
async function addressesOf(api, made, letters) {
  const batches = (await api.get('/v1/batches')).items;
  const deliveries = await api.get('/v1/deliveries?limit=1');
  // What an event has caused, where a test has sent one.
  const [caused] = (await api.get('/v1/executions?workflow=delivery&limit=1')).items;
  return {
    overview: '',
    jobs: 'jobs',
    job: `jobs/${made.waitingJob}`,
    executions: 'executions',
    execution: `executions/${made.waitingExecution}?node=approve`,
    'execution-timeline': `executions/${made.failedExecution}?view=timeline&node=charge`,
    'execution-events': `executions/${made.failedExecution}?view=events`,
    'execution-chain': `executions/${caused?.id ?? made.failedExecution}?view=chain`,
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
    // One that somebody has given a reason for, which has more to show.
    batch: `batches/${(batches.find(({ reason }) => reason) ?? batches[0])?.id}`,
    workers: 'workers',
    limits: 'limits?workflow=order&jobType=check-stock',
    tenants: 'tenants',
    tenant: 'tenants/acme',
    audit: 'audit',
    settings: 'settings',
  };
}

/** Axe finds nothing serious on any page and in what opens above it, nothing is wider than the screen, what is read is bounded, and pages stand soon. */
export async function everyPage({ server, api, made, check }) {
  const letters = await api.get('/v1/dead-letters?limit=1&status=open');
  const pages = await addressesOf(api, made, letters);
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
  await browser.page.addInitScript(watchRendering);
  const seen = { reads: new Map(), slow: [] };
  for (const [page, path] of Object.entries(pages))
    await check(`every page: ${page}`, () => visit(browser, page, `${server.address}/console/${path}`, seen));
  for (const [name, look] of Object.entries(overlaysOf(made, letters)))
    await check(`every overlay: ${name}`, async () => {
      await browser.page.goto(`${server.address}/console/${look.on}`);
      await browser.page.locator('main h1').waitFor();
      await look.open(browser.page);
      await eachTheme(browser, `overlay-${name}`);
    });
  await browser.close();
  await check('what pages read is a named pair or has its bound in the documentation', () => {
    const judge = bounds();
    // What searches without an index, and what nobody has thought about, has no bound.
    for (const call of [
      'jobs?tag=a',
      'jobs?status=COMPLETED&tenant=a',
      'dead-letters?reason=timeout',
      'else',
    ])
      if (boundOf(`${server.address}/v1/${call}`, judge)) throw new Error(`${call} is said to be bounded`);
    const unbounded = [...seen.reads].filter(([url]) => !boundOf(url, judge));
    if (unbounded.length > 0)
      throw new Error(
        unbounded.map(([url, page]) => `${page} reads ${url.slice(server.address.length)}`).join('\n'),
      );
    const found = new Set([...seen.reads.keys()].map((url) => boundOf(url, judge)));
    for (const name of ['/v1/queues', 'jobs-newest', 'executions-newest', 'dead-letters-newest'])
      if (!found.has(name)) throw new Error(`no page reads ${name}`);
  });
  await check('every page renders within 300 ms of its answers', () => {
    if (seen.slow.length === 0) return;
    if (JUDGES_TIMES) throw new Error(seen.slow.join('\n'));
    console.log(`      not judged without JUDGE_TIMES=1 and a quiet machine: ${seen.slow.join(', ')}`);
  });
}

/**
 * How long a page takes from its last answer until it stands, and what it reads for that. Where the machine is busy with something
 * else, the time of the page's own thread since the page was opened counts, which is longer on a machine that is not.
 */
async function load({ page, context }, address) {
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const reads = watchReads(page);
  await page.goto(address);
  await page.locator('main h1').waitFor();
  await page.waitForFunction(() => !document.querySelector('main [role=status].pulse'));
  const elapsed = await page.waitForFunction(() => window.rendered).then((handle) => handle.jsonValue());
  // Counted for each document anew.
  const { metrics } = await session.send('Performance.getMetrics');
  const spent = metrics.find(({ name }) => name === 'TaskDuration').value * 1_000;
  await session.detach();
  return { ms: Math.min(elapsed, spent), reads };
}

async function visit(browser, name, address, seen) {
  const { page, faults } = browser;
  const before = faults.length;
  const first = await load(browser, address);
  let best = first.ms;
  for (let again = 1; best > RENDER_MS_MAX && again < RENDERS; again += 1) {
    const next = await load(browser, address);
    next.reads();
    best = Math.min(best, next.ms);
  }
  if (best > RENDER_MS_MAX) seen.slow.push(`${name}: ${Math.round(best)} ms`);
  if (/^(execution|execution-replay|workflow|workflow-dry-run)$/.test(name))
    await page.locator('.react-flow__node').first().waitFor();
  await eachLook(browser, name);
  for (const url of first.reads()) seen.reads.set(url, name);
  if (faults.length > before) throw new Error(faults.slice(before).join('\n'));
}

/** What axe says of a page in both themes, at its width. Themes differ in colors only. */
async function inBothThemes(page, name) {
  const { width } = page.viewportSize();
  const found = [];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction((shown) => document.documentElement.dataset.theme === shown, colorScheme);
    const faults = await axeFaults(page, colorScheme === 'dark' ? ['color-contrast'] : null);
    found.push(...faults.map((fault) => `${width} px, ${colorScheme}: ${fault}`));
    await picture(page, `${name}-${width}-${colorScheme}`);
  }
  return found;
}

/** The same in high contrast, which somebody chooses in a menu; here its colors are put on the page at once. */
async function inHighContrast(page, name) {
  await page.evaluate(() => {
    document.documentElement.dataset.theme = 'contrast';
  });
  const faults = await axeFaults(page, ['color-contrast']);
  await picture(page, `${name}-contrast`);
  return faults.map((fault) => `high contrast: ${fault}`);
}

/** Looks at something that is open in all themes. */
async function eachTheme({ page }, name) {
  const found = [...(await inBothThemes(page, name)), ...(await inHighContrast(page, name))];
  await page.emulateMedia({ colorScheme: 'light' });
  if (found.length > 0) throw new Error(found.join('\n'));
}

/** Looks at a page in both widths and all themes, without loading it again. */
async function eachLook({ page }, name) {
  const found = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    found.push(...(await inBothThemes(page, name)));
    if (size === SIZES[0]) found.push(...(await inHighContrast(page, name)));
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
