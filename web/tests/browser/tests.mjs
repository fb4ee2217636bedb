// What people do with the console, each to its end. They run in this order on one store.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openBrowser, signIn } from './browser.mjs';
import { button, open } from './page.mjs';
import { until, work } from './seed.mjs';
import { startServer } from './server.mjs';

/** What changes nothing that others see, or is not asked with a key. */
const FOR_ALL = [
  'POST /v1/session',
  'DELETE /v1/session',
  'POST /v1/views',
  'PUT /v1/views/{id}',
  'DELETE /v1/views/{id}',
  'POST /v1/schedules/preview',
  'POST /v1/workflows/simulate',
  'POST /hooks/{id}',
  'POST /callbacks/{executionId}/{nodeId}/{token}',
];

/** All calls of the interface that change something, of objects that are not there. */
function changingCalls() {
  const { paths } = JSON.parse(
    readFileSync(new URL('../../../services/api/openapi.json', import.meta.url), 'utf8'),
  );
  return Object.entries(paths)
    .flatMap(([path, calls]) =>
      ['post', 'put', 'delete'].filter((verb) => calls[verb]).map((verb) => [verb.toUpperCase(), path]),
    )
    .filter(([method, path]) => !FOR_ALL.includes(`${method} ${path}`))
    .map(([method, path]) => [method, path.replaceAll(/\{\w+\}/g, 'x')]);
}

export const tests = {
  async 'sign in with a key, and a wrong key is refused'(world) {
    const { page, address, key, admin } = world;
    await page.goto(`${address}/console/`);
    await page.getByLabel('API key').fill('tl_wrong');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').getByText('is unknown').waitFor();
    await page.getByLabel('API key').fill(key);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const [cookie] = (await admin.context.cookies()).filter(({ name }) => name === 'trunkline_session');
    assert.equal(cookie.httpOnly, true);
    assert.equal(cookie.sameSite, 'Strict');
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.ok(!kept.includes(key), 'the key stays nowhere in the browser');
  },

  async 'a page has a strict policy, and its files are cached for good'({ page, address }) {
    const response = await page.goto(`${address}/console/jobs`);
    const policy = response.headers()['content-security-policy'];
    assert.match(policy, /script-src 'nonce-[0-9a-f]+' 'strict-dynamic'/);
    assert.ok(!policy.includes('unsafe'));
    const source = await page.locator('script[src]').first().getAttribute('src');
    const file = await fetch(new URL(source, `${address}/console/`), {
      headers: { 'accept-encoding': 'br' },
    });
    assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(file.headers.get('content-encoding'), 'br');
    const again = await fetch(file.url, {
      headers: { 'accept-encoding': 'br', 'if-none-match': file.headers.get('etag') },
    });
    assert.equal(again.status, 304);
    assert.equal((await fetch(`${address}/console/assets/old-00000000.js`)).status, 404);
  },

  async 'list jobs and filter them by chips that the address holds'(world) {
    const { page } = world;
    await open(world, 'jobs');
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('status:COMPLETED jobType:send-mail');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.search === '?status=COMPLETED&jobType=send-mail');
    await page.waitForFunction(() => document.querySelectorAll('tr[data-row]').length === 6);
    await page.reload();
    await page.waitForFunction(() => document.querySelectorAll('tr[data-row]').length === 6);
    await page.getByRole('button', { name: 'Remove the filter Type' }).click();
    await page.waitForFunction(() => location.search === '?status=COMPLETED');
  },

  async 'new rows wait behind a pill, and a pause stops all refetching'(world) {
    const { page, api } = world;
    await open(world, 'jobs?jobType=pill');
    await page.getByText('No jobs match').waitFor();
    await button(page, 'Live').waitFor();
    await api.post('/v1/jobs', { jobType: 'pill', data: {} });
    await page.getByRole('button', { name: '1 new – show' }).click();
    await page.locator('tr[data-row]').first().waitFor();
    await button(page, 'Live').click();
    await button(page, 'Paused').waitFor();
    const asked = [];
    // The code of other pages may still be on its way.
    const count = (request) => request.url().includes('/assets/') || asked.push(request.url());
    page.on('request', count);
    await api.post('/v1/jobs', { jobType: 'pill', data: {} });
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    // A request of our own is seen after all that the page has sent before it.
    await until(
      'the server to list both',
      async () => (await api.get('/v1/jobs?jobType=pill')).items.length === 2,
    );
    await page.waitForTimeout(1_500);
    page.off('request', count);
    assert.deepEqual(asked, []);
    await button(page, 'Paused').click();
    await page.getByRole('button', { name: '1 new – show' }).waitFor();
  },

  async 'large integers are exact and control characters are shown'(world) {
    await open(world, `jobs/${world.made.waitingJob}`);
    await world.page.getByText('9007199254740993123').waitFor();
    await world.page.getByText('a\\u001bb').waitFor();
  },

  async 'pause a queue, see why a job waits, and press the remedy'(world) {
    const { page, made } = world;
    await open(world, '');
    const card = page.locator('section', {
      has: page.getByRole('link', { name: 'Nodes and jobs', exact: true }),
    });
    await card.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Nodes and jobs is paused: no jobs start.').waitFor();
    await open(world, `jobs/${made.waitingJob}`);
    await page.locator('[data-reason=queue_paused]').waitFor();
    await page.locator('[data-remedy=queue_paused]').getByRole('button').click();
    await page.locator('[data-reason=no_worker]').waitFor();
    const queue = await world.api.get('/v1/queues/workflow-node');
    assert.equal(queue.paused, false);
  },

  async 'edit a dead letter, see the difference, requeue it and see it complete'(world) {
    const { page, api } = world;
    await open(world, 'dead-letters');
    await page.getByRole('link', { name: 'disk 7 is full' }).click();
    await page.waitForURL(/fingerprint=/);
    await page.locator('tr[data-row] a').first().click();
    await button(page, 'Edit and requeue').click();
    const editor = page.getByRole('textbox', { name: 'Data' });
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"file":"mended.csv","rows":9007199254740993123}');
    await page.locator('[data-diff=changed]').waitFor();
    await page.locator('.cm-deletedChunk').first().waitFor();
    await button(page, 'Requeue with the changes').click();
    await page.getByText('The job is queued again.').waitFor();
    let seen = '';
    await work(api, 'import-csv', (job) => {
      seen = job.data.file;
      return { result: { rows: 3 } };
    });
    assert.equal(seen, 'mended.csv');
    await page.getByText('requeued', { exact: true }).waitFor();
    await page.locator('main dl a[href*="/jobs/"]').click();
    await page.getByText('completed', { exact: true }).first().waitFor();
    await page.getByText('9007199254740993123').waitFor();
  },

  async 'bulk requeue with a dry run, samples and progress'(world) {
    const { page, api } = world;
    await open(world, 'dead-letters?jobType=import-csv');
    await button(page, 'All that match…').click();
    await page.getByRole('menuitem', { name: 'Requeue' }).click();
    await page.getByRole('heading', { name: 'Requeue: 3 objects' }).waitFor();
    await page.getByText('Nothing has been changed yet.').waitFor();
    await page.getByRole('dialog').locator('li').nth(2).waitFor();
    await page.getByLabel('At most').fill('2');
    await button(page, 'Start: Requeue').click();
    await page.getByText('2 done, 0 failed, of 2').waitFor();
    await work(api, 'import-csv', () => ({ result: {} }), 2);
    const { items } = await api.get('/v1/dead-letters?jobType=import-csv&status=open');
    assert.equal(items.length, 1);
  },

  async 'complete a user task by its form'(world) {
    const { page, api, made } = world;
    await open(world, 'user-tasks');
    await page.locator('tr[data-row]', { hasText: 'approve' }).getByRole('button', { name: 'Open' }).click();
    await button(page, 'Complete').click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Approve the order').check();
    await page.getByLabel('Comment').fill('fine');
    await button(page, 'Complete').click();
    await page.getByText('The task is completed.').waitFor();
    const { items } = await until('the node to complete', async () => {
      const nodes = await api.get(`/v1/executions/${made.waitingExecution}/nodes`);
      return nodes.items.find((node) => node.nodeId === 'approve').status === 'COMPLETED' && nodes;
    });
    assert.deepEqual(items.find((node) => node.nodeId === 'approve').output, { ok: true, comment: 'fine' });
  },

  async 'follow an execution to its end, with a signal on the way'(world) {
    const { page, api, made } = world;
    await open(world, `executions/${made.waitingExecution}?follow=on`);
    await page.waitForURL(/node=paid/);
    await page.getByText('orders.py:31').waitFor();
    await page.getByRole('heading', { name: 'Send the signal payment-received' }).waitFor();
    await page.getByRole('textbox', { name: 'Value as JSON' }).waitFor();
    await button(page, 'Send').click();
    await page.getByText('The signal has been sent.').waitFor();
    await page.waitForURL(/node=ship/);
    await work(api, 'ship-parcel', () => ({ result: { parcel: 7 } }));
    await page.locator('main h1').getByText('completed').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.locator('ol li button', { hasText: 'ship' }).waitFor();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('execution completed').waitFor();
  },

  async 'rerun an execution from a node with a changed input'(world) {
    const { page, api, made } = world;
    await open(world, `executions/${made.failedExecution}`);
    await button(page, 'Rerun from a node').click();
    await page.getByLabel('From node').selectOption('charge');
    await page.getByRole('dialog').getByRole('button', { name: 'Rerun from a node', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(made.failedExecution));
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const nodes = await until('the rerun to begin', async () => {
      const answer = await api.get(`/v1/executions/${id}/nodes`);
      return answer.items.some((node) => node.nodeId === 'charge' && node.status !== 'PENDING') && answer;
    });
    assert.equal(nodes.items.find((node) => node.nodeId === 'stock').status, 'COMPLETED');
    await api.post(`/v1/executions/${id}/cancel`, {});
  },

  async 'run a workflow by the form of its input, push a version and see its changes'(world) {
    const { page, api } = world;
    await open(world, 'workflows/order');
    await page.locator('.react-flow__node').first().waitFor();
    await button(page, 'Run').click();
    await page.getByLabel('Order *').fill('B-7');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/\/executions\/exe_/);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    assert.deepEqual((await api.get(`/v1/executions/${id}`)).input, { orderId: 'B-7', total: 250 });
    await api.post(`/v1/executions/${id}/cancel`, {});
    await open(world, 'workflow-new');
    await page.getByText('Valid: hello version 1.').waitFor();
    await button(page, 'Push hello v1').click();
    await page.waitForURL(/\/workflows\/hello/);
    await open(world, 'workflows/order?view=changes');
    await page.locator('.cm-changedLine').first().waitFor();
  },

  async 'run a schedule now and read its next slots'(world) {
    const { page, made } = world;
    await open(world, `schedules/${made.schedule}`);
    await page.getByText('At 02:30 every day').first().waitFor();
    await page.getByText('does not exist').waitFor();
    await button(page, 'Run now').click();
    await page.getByText('An execution has started.').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('tr[data-row]').length === 2);
    await page.locator('tr[data-row] a').first().click();
    await page.waitForURL(/\/executions\/exe_/);
    await page.getByText('a schedule', { exact: true }).waitFor();
    await open(world, 'schedules');
    await button(page, 'New schedule').click();
    await page.getByLabel('Cron').fill('99 * * * *');
    await page.getByRole('dialog').getByRole('alert').waitFor();
  },

  async 'a webhook is tested, its delivery shows verdict and bytes, and is replayed'(world) {
    const { page, made } = world;
    await open(world, `webhooks/${made.webhook}`);
    await button(page, 'Send a test').click();
    await page.getByText('A signed test delivery is on its way.').waitFor();
    await page.locator('tr[data-row] a').first().click();
    await page.waitForURL(/\/deliveries\/dlv_/);
    await page.getByText('there is no field').waitFor();
    await page.locator('dl div', { hasText: 'x-signature' }).getByText('[redacted]').waitFor();
    await page.getByRole('tab', { name: 'Bytes' }).click();
    await page.getByText('00000000').waitFor();
    const before = page.url();
    await button(page, 'Replay').click();
    await page.waitForURL((url) => /\/deliveries\/dlv_/.test(url.pathname) && url.href !== before);
    await page.getByText('Replay of').waitFor();
  },

  async 'an endpoint without a secret says that it refuses all, until it has one'(world) {
    const { page, api } = world;
    const { id } = await api.post('/v1/webhooks', { name: 'pays', provider: 'stripe', triggers: [] });
    await open(world, 'webhooks');
    const row = page.locator(`tr[data-row="${id}"]`);
    await row.getByText('no secret').waitFor();
    await row.getByText('refuses all').waitFor();
    await open(world, `webhooks/${id}`);
    await page.getByText('it has no secret yet').waitFor();
    await button(page, 'Set the secret').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Secret', { exact: true }).fill('whsec_0123456789abcdef0123456789abcdef');
    await button(dialog, 'Rotate the secret').click();
    await dialog.getByText('The secret is rotated.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('active', { exact: true }).waitFor();
    await api.delete(`/v1/webhooks/${id}`);
  },

  async 'raise a limit, see its source, and find it in the audit log'(world) {
    const { page, api } = world;
    await open(world, 'limits');
    await page.getByLabel('Concurrency Nodes and jobs').fill('64');
    await button(page, 'Save').click();
    await page.getByText('set here').waitFor();
    const changes = page.locator('section', { hasText: 'History of limits' });
    await changes.getByRole('button', { name: 'limits.set' }).first().click();
    await page.getByRole('dialog').getByText('64').first().waitFor();
    await page.keyboard.press('Escape');
    assert.equal((await api.get('/v1/limits'))['workflow-node'].maxConcurrent, 64);
    await button(page, 'Reset').click();
    await page.waitForFunction(() => !document.body.textContent.includes('set here'));
    await open(world, 'audit');
    await page.getByText(/limit/).first().waitFor();
  },

  async 'the keyboard reaches every page'(world) {
    const { page } = world;
    await open(world, '');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.waitForURL(/\/console\/executions$/);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: 'Go to' }).fill(world.made.schedule);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/schedules/${world.made.schedule}`));
  },

  async 'the palette searches all lists'(world) {
    const { page } = world;
    await open(world, '');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+K');
    const field = page.getByRole('combobox', { name: 'Go to' });
    await field.fill('night');
    await page.getByRole('option', { name: /^nightly-report.*Workflow$/ }).waitFor();
    await page.getByRole('option', { name: /^nightly.*Schedule$/ }).waitFor();
    await page.getByRole('option', { name: /^Executions · workflow:night\*.*found$/ }).click();
    await page.waitForFunction(
      () => location.pathname.endsWith('/executions') && location.search === '?q=workflow%3Anight*',
    );
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('Control+K');
    await field.fill('import-csv');
    await page.getByRole('option', { name: /^Dead letters · jobType:import-csv/ }).click();
    await page.waitForURL(/dead-letters\?view=list&q=/);
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('Control+K');
    await field.fill('no such thing');
    await page.getByText('No matches.').waitFor();
    await page.keyboard.press('Escape');
  },

  async 'a server that is away is said so, and the page goes on by itself'(world) {
    // Below those that the kernel gives to others while the server is away.
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = await startServer(world.binary, {}, port);
    const browser = await openBrowser(server.address);
    const { page } = browser;
    let again;
    try {
      await signIn(page, server.address, server.key);
      await page.getByRole('link', { name: 'Jobs', exact: true }).click();
      await page.getByText('No jobs match').waitFor();
      // Pages are there before they are opened.
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => /\/settings-[^/]+\.js$/.test(name)),
      );
      await server.stop();
      await page
        .locator('[data-away]')
        .getByText(/has not been reached for \d+s/)
        .waitFor();
      await page.getByText('No jobs match').waitFor();
      await page.getByRole('link', { name: 'Workers', exact: true }).click();
      await page.getByRole('alert').getByText('The server cannot be reached.').first().waitFor();
      // The same address, and a store that knows nothing of the session.
      again = await startServer(world.binary, {}, port);
      await page.getByLabel('API key').waitFor();
    } finally {
      await browser.close();
      await again?.stop();
    }
  },

  async 'themes and zones are switched in one menu'(world) {
    const { page } = world;
    await open(world, 'jobs');
    for (const [name, theme] of [
      ['Dark', 'dark'],
      ['High contrast', 'contrast'],
      ['Light', 'light'],
      ['System', 'light'],
    ]) {
      await button(page, 'Theme and time').click();
      await page.getByRole('menuitemradio', { name }).click();
      await page.waitForFunction((shown) => document.documentElement.dataset.theme === shown, theme);
      await page.keyboard.press('Escape');
    }
    await button(page, 'Theme and time').click();
    await page.getByRole('menuitemradio', { name: 'UTC', exact: true }).click();
    await page.keyboard.press('Escape');
    assert.match(await page.evaluate(() => localStorage.getItem('trunkline.preferences')), /"zone":"UTC"/);
    await open(world, 'settings');
    await page.getByLabel('Time zone name').fill('Asia/Tokyo');
    await button(page, 'Save').first().click();
    await open(world, `jobs/${world.made.waitingJob}`);
    // Hovering over an instant says it in all zones, and its age.
    await page.locator('main dl time').first().hover();
    const tip = page.locator('ul', { hasText: 'Asia/Tokyo' });
    await tip.getByText(/ UTC$/).first().waitFor();
    await tip.getByText(/ago|now/).waitFor();
    assert.equal(await tip.getByRole('listitem').count(), 4);
    // A zone that was named stays a choice, and another is named in the same menu.
    const choose = async (name) => {
      await button(page, 'Theme and time').click();
      await page.getByRole('menuitemradio', { name, exact: true }).click();
      await page.keyboard.press('Escape');
    };
    const created = page.locator('main dl time').first();
    await choose('UTC');
    const utc = await created.textContent();
    await choose('Asia/Tokyo');
    assert.notEqual(await created.textContent(), utc);
    await button(page, 'Theme and time').click();
    await page.getByRole('menuitem', { name: 'Another zone…' }).click();
    await page.getByRole('dialog').getByLabel('Time zone name').fill('Nowhere/Land');
    await page.getByRole('dialog').getByText('Unknown time zone.').waitFor();
    await page.getByRole('dialog').getByLabel('Time zone name').fill('America/New_York');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.waitForFunction(() =>
      localStorage.getItem('trunkline.preferences').includes('"zone":"America/New_York"'),
    );
    await page.evaluate(() => localStorage.removeItem('trunkline.preferences'));
    await page.reload();
  },

  async 'a viewer sees no controls, and the server refuses each mutation'(world) {
    const { address, made, api } = world;
    const viewer = await openBrowser(address);
    const { page } = viewer;
    try {
      await signIn(page, address, made.viewerKey);
      await page.locator('main section').first().waitFor();
      assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
      const letters = await api.get('/v1/dead-letters?limit=1');
      const mutations = [
        ['POST', '/v1/queues/workflow-node/pause'],
        ['POST', `/v1/jobs/${made.waitingJob}/cancel`],
        ['POST', `/v1/jobs/${made.waitingJob}/reprioritize`, { priority: 'high' }],
        ['POST', '/v1/jobs', { jobType: 'x', data: {} }],
        ['POST', '/v1/executions', { workflow: 'order', input: { orderId: '1' } }],
        ['POST', `/v1/executions/${made.failedExecution}/retry`],
        ['POST', `/v1/dead-letters/${letters.items[0].id}/requeue`, {}],
        ['POST', `/v1/dead-letters/${letters.items[0].id}/archive`, { reason: 'x' }],
        ['POST', '/v1/dead-letters/requeue', { all: true }],
        ['POST', `/v1/schedules/${made.schedule}/run`],
        ['DELETE', `/v1/schedules/${made.schedule}`],
        ['POST', `/v1/webhooks/${made.webhook}/rotate-secret`, {}],
        ['PUT', '/v1/limits', { 'workflow-node': { maxConcurrent: 1 } }],
        ['POST', '/v1/api-keys', { name: 'x', role: 'admin' }],
        ['POST', '/v1/tenants', { name: 'x' }],
        ['POST', '/v1/workflows/order/pause'],
        ['POST', '/v1/jobs/cancel', { all: true }],
        ['POST', '/v1/executions/rerun', { all: true, fromNode: 'stock' }],
        ['POST', '/v1/deliveries/replay', { all: true }],
        ['POST', '/v1/schedules/pause', { all: true }],
        ['POST', '/v1/events', { name: 'x' }],
        ['POST', '/v1/triggers', { name: 'x', events: ['x'], workflow: 'order' }],
        ['PUT', '/v1/alerts/rules/x', { metric: 'depth', above: 1 }],
        ['POST', '/v1/alerts/silences', { for: '1h', reason: 'x' }],
        ['PUT', '/v1/tenants/acme/quotas', { openJobs: 1 }],
        ['PUT', '/v1/tenants/acme/secrets/x', { value: 'x', hosts: ['x.example'] }],
        ['PUT', '/v1/tenants/acme/encryption', { enabled: true }],
        ['PUT', '/v1/job-types/send-mail/builds', { builds: ['v1'] }],
        ['PUT', '/v1/workflows/order/attributes', { orderId: { type: 'text' } }],
        ['PUT', '/v1/rates/smtp', { rate: '1/1m' }],
        ['PUT', '/v1/retention', { archive: '1d' }],
        ['POST', '/v1/moves', { to: 'postgres://elsewhere/x' }],
        [
          'POST',
          '/v1/workflows',
          { name: 'x', version: 1, nodes: [{ id: 'a', type: 'TRANSFORM', output: 1 }] },
        ],
      ];
      const { csrfToken, role } = await (await viewer.context.request.get(`${address}/v1/session`)).json();
      assert.equal(role, 'viewer');
      for (const [method, path, data] of mutations) {
        const answer = await viewer.context.request.fetch(address + path, {
          method,
          headers: { 'x-csrf-token': csrfToken },
          ...(data ? { data } : {}),
        });
        assert.equal(answer.status(), 403, `${method} ${path}: ${await answer.text()}`);
        assert.equal((await answer.json()).code, 'forbidden');
      }
      const all = changingCalls();
      assert.ok(all.length > 90, `${all.length} calls`);
      for (const [method, path] of all) {
        const headers = { 'x-csrf-token': csrfToken };
        const answer = await viewer.context.request.fetch(address + path, { method, headers, data: {} });
        assert.equal(answer.status(), 403, `${method} ${path}: ${await answer.text()}`);
      }
      assert.deepEqual(viewer.faults, []);
    } finally {
      await viewer.close();
    }
  },

  async 'a session without its token changes nothing, and ends when its key is revoked'(world) {
    const { address, api, admin } = world;
    const forged = await admin.context.request.post(`${address}/v1/queues/workflow-node/pause`);
    assert.equal(forged.status(), 403);
    assert.equal((await forged.json()).code, 'csrf_token_invalid');
    const key = await api.post('/v1/api-keys', { name: 'short', role: 'operator' });
    const browser = await openBrowser(address);
    try {
      await signIn(browser.page, address, key.key);
      await api.delete(`/v1/api-keys/${key.id}`);
      await until(
        'the session to end',
        async () => (await browser.context.request.get(`${address}/v1/queues`)).status() === 401,
      );
      await browser.page.reload();
      await browser.page.getByLabel('API key').waitFor();
    } finally {
      await browser.close();
    }
  },

  async 'a job is copied as JSON, cURL and command line'(world) {
    const { page, made } = world;
    await open(world, `jobs/${made.waitingJob}`);
    const copied = [];
    await page.exposeFunction('wasCopied', (text) => copied.push(text));
    // Takes the place of the clipboard, which a browser without a window does not give.
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => window.wasCopied(text);
    });
    for (const form of ['as JSON', 'as cURL', 'as CLI command']) {
      await button(page.locator('main header'), 'Copy').last().click();
      await page.getByRole('menuitem', { name: form }).click();
    }
    await until('three copies', () => copied.length === 3);
    assert.match(copied[0], /"id": 9007199254740993123/);
    assert.match(
      copied[1],
      new RegExp(
        `^curl http://.*/v1/jobs/${made.waitingJob} -H "Authorization: Bearer \\$TRUNKLINE_API_KEY"$`,
      ),
    );
    assert.equal(copied[2], `trunkline job show ${made.waitingJob}`);
  },

  async 'works below a sub-path'(world) {
    const server = await startServer(world.binary, { TRUNKLINE_HTTP__PUBLIC_URL: 'http://ops.example/ops' });
    const browser = await openBrowser(server.address);
    try {
      await signIn(browser.page, `${server.address}/ops`, server.key);
      await browser.page.getByRole('link', { name: 'Jobs', exact: true }).click();
      await browser.page.waitForURL(/\/ops\/console\/jobs$/);
      await browser.page.getByText('No jobs match').waitFor();
      await browser.page.reload();
      await browser.page.getByText('No jobs match').waitFor();
      await button(browser.page, 'Live').waitFor();
      const [cookie] = (await browser.context.cookies()).filter(({ name }) => name === 'trunkline_session');
      assert.equal(cookie.path, '/ops/');
      assert.deepEqual(browser.faults, []);
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};
