// Lists: search, counts, export, and changes of many objects.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { button, open, rows } from './page.mjs';
import { until, work } from './seed.mjs';

/** So many jobs of a type that nobody takes for now. */
const enqueue = (api, jobType, count) =>
  api.post('/v1/jobs/batch', {
    jobs: Array.from({ length: count }, (_, n) => ({ jobType, data: { n }, delay: '2h' })),
  });

export const listTests = {
  async 'an object that is not there says so, and where to look'(world) {
    const { page } = world;
    for (const [path, name, list, label] of [
      ['jobs/foo', 'foo', 'jobs', 'Jobs'],
      ['workflows/no-such', 'no-such', 'workflows', 'Workflows'],
    ]) {
      await open(world, path);
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      await page.getByText(`There is nothing with the ID or name ${name}.`).waitFor();
      await page.getByRole('link', { name: `Go to the list: ${label}` }).click();
      await page.waitForURL(new RegExp(`/console/${list}$`));
    }
  },

  async 'search by a query, with its count, its order and its faults'(world) {
    const { page, api } = world;
    const jobs = [1, 2, 3].map((n) => ({
      jobType: 'search-me',
      data: { n },
      tags: [n === 2 ? 'vip' : 'plain'],
    }));
    await api.post('/v1/jobs/batch', { jobs });
    await open(world, 'jobs');
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('jobType:search-me -tag:vip created:>=now-1h');
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => new URL(location.href).searchParams.get('q') === '-tag:vip created:>=now-1h',
    );
    await rows(page, 2);
    await page.locator('[data-count="2"]').waitFor();
    await page.reload();
    await rows(page, 2);
    const first = await page.locator('tr[data-row]').first().getAttribute('data-row');
    await page.getByLabel('Order').selectOption('asc');
    await page.waitForFunction(
      (id) => document.querySelectorAll('tr[data-row]')[1]?.dataset.row === id,
      first,
    );
    await page.getByRole('button', { name: 'Remove the filter -tag:vip' }).click();
    await rows(page, 3);
    await page.getByLabel('Time', { exact: true }).selectOption('now-15m');
    await page.waitForFunction(() => location.search.includes('from=now-15m'));
    await rows(page, 3);
    await open(world, 'jobs?q=nonsense%3A1');
    await page.getByRole('alert').getByText('expected one of').first().waitFor();
  },

  async 'rows are shown before they are counted, and a list that is here as a whole is not counted by the server'(
    world,
  ) {
    const { page, api } = world;
    const counted = [];
    const see = (request) => request.url().includes('count=true') && counted.push(request.url());
    page.on('request', see);
    try {
      await enqueue(api, 'few-rows', 3);
      await open(world, 'jobs?jobType=few-rows');
      await page.locator('[data-count="3"]').waitFor();
      assert.deepEqual(counted, []);
      await enqueue(api, 'count-me', 60);
      let answer;
      const held = new Promise((release) => (answer = release));
      const isCount = /\/v1\/jobs\?.*count=true/;
      await page.route(isCount, (route) => held.then(() => route.continue()));
      const asked = page.waitForRequest(isCount);
      await open(world, 'jobs?jobType=count-me');
      await asked;
      await rows(page, 50);
      assert.equal(await page.locator('[data-count]').count(), 0);
      answer();
      await page.locator('[data-count="60"]').waitFor();
      await page.unroute(isCount);
    } finally {
      page.off('request', see);
    }
  },

  async 'rows are gone through, selected and opened from the keyboard'(world) {
    const { page, api } = world;
    await enqueue(api, 'by-keys', 3);
    await open(world, 'jobs?jobType=by-keys');
    await rows(page, 3);
    const ids = await page.locator('tr[data-row]').evaluateAll((all) => all.map((row) => row.dataset.row));
    const current = () => page.evaluate(() => document.activeElement.closest('tr[data-row]')?.dataset.row);
    await page.keyboard.press('j');
    assert.equal(await current(), ids[0]);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    assert.equal(await current(), ids[2], 'the last row is the last');
    await page.keyboard.press('k');
    assert.equal(await current(), ids[1]);
    await page.keyboard.press('x');
    assert.equal(await page.getByLabel(`Select ${ids[1]}`).isChecked(), true);
    await button(page, '1 selected…').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/jobs/${ids[1]}`));
  },

  async 'a list is saved as a file with times in ISO 8601'(world) {
    const { page } = world;
    await open(world, 'jobs?jobType=search-me');
    await rows(page, 3);
    const download = page.waitForEvent('download');
    await button(page, 'Export').click();
    const file = readFileSync(await (await download).path(), 'utf8');
    const lines = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.length, 3);
    for (const line of lines) assert.match(line.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  },

  async 'bulk on selected rows changes these and no others'(world) {
    const { page, api } = world;
    await open(world, 'jobs?jobType=search-me');
    await rows(page, 3);
    assert.equal(await button(page, 'Selected…').isDisabled(), true);
    const picked = await page.locator('tr[data-row]').first().getAttribute('data-row');
    await page.getByLabel(`Select ${picked}`).check();
    await button(page, '1 selected…').click();
    await page.getByRole('menuitem', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Cancel: 1 object' }).waitFor();
    await button(page, 'Start: Cancel').click();
    await page.getByText('1 done, 0 failed, of 1').waitFor();
    const { items } = await api.get('/v1/jobs?jobType=search-me');
    assert.deepEqual(
      items.filter(({ status }) => status === 'CANCELLED').map(({ id }) => id),
      [picked],
    );
  },

  async 'rows are picked from one to another with Shift, and other filters pick afresh'(world) {
    const { page, api } = world;
    await enqueue(api, 'by-range', 5);
    await open(world, 'jobs?jobType=by-range');
    await rows(page, 5);
    const boxes = page.locator('tr[data-row]').getByRole('checkbox');
    await boxes.nth(0).click();
    await boxes.nth(3).click({ modifiers: ['Shift'] });
    await button(page, '4 selected…').waitFor();
    await boxes.nth(1).click();
    await button(page, '3 selected…').waitFor();
    await page.getByRole('button', { name: 'Remove the filter Type' }).click();
    await button(page, 'Selected…').waitFor();
  },

  async 'a job is enqueued by a form, and another one like it'(world) {
    const { page, api } = world;
    await open(world, 'jobs');
    await button(page, 'New job').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type').fill('by-hand');
    await dialog.getByRole('textbox', { name: 'Data' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"amount":1.0,"id":9007199254740993123}');
    // The keyboard leaves the editor as it leaves any field, and a click beside the dialog loses nothing.
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.closest('.cm-content')), null);
    await page.mouse.click(4, 400);
    await dialog.getByLabel('Priority').selectOption('high');
    await dialog.getByLabel('Tags').fill('by-hand, now');
    await button(dialog, 'Enqueue').click();
    await page.getByText('The job is enqueued.').waitFor();
    await page.waitForURL(/\/jobs\/job_/);
    // Numbers are as they were typed.
    await page.getByText('1.0', { exact: true }).waitFor();
    await page.getByText('9007199254740993123').waitFor();
    const first = new URL(page.url()).pathname.split('/').at(-1);
    const { priority, tags } = await api.get(`/v1/jobs/${first}`);
    assert.deepEqual([priority, tags], ['high', ['by-hand', 'now']]);
    await button(page, 'Enqueue a copy').click();
    await dialog.getByLabel('Delay').fill('1h');
    await button(dialog, 'Enqueue').click();
    await page.waitForURL((url) => /\/jobs\/job_/.test(url.pathname) && !url.pathname.endsWith(first));
    await page.getByText('9007199254740993123').waitFor();
    const { items } = await api.get('/v1/jobs?jobType=by-hand');
    assert.deepEqual(items.map(({ status }) => status).sort(), ['QUEUED', 'SCHEDULED']);
    for (const { id } of items) await api.post(`/v1/jobs/${id}/cancel`);
  },

  async 'bulk on a filter with a canary that waits, and abort'(world) {
    const { page, api } = world;
    const jobs = Array.from({ length: 5 }, (_, n) => ({ jobType: 'canary', data: { n }, delay: '1h' }));
    await api.post('/v1/jobs/batch', { jobs });
    await open(world, 'jobs?jobType=canary');
    await button(page, 'All that match…').click();
    await page.getByRole('menuitem', { name: 'Run now' }).click();
    await page.getByRole('heading', { name: 'Run now: 5 objects' }).waitFor();
    await page.getByRole('textbox', { name: 'Canary' }).fill('2');
    await page.getByLabel('Then').selectOption('manual');
    await page.getByLabel('Per second').fill('50');
    await page.getByLabel('Stop at % failures').fill('20');
    await page.getByLabel('Reason').fill('a try');
    await button(page, 'Start: Run now').click();
    const progress = page.getByRole('region', { name: 'Progress of the bulk operation' });
    await progress.getByText('paused').waitFor();
    await progress.getByText('2 done, 0 failed, of 5').waitFor();
    await progress.getByRole('link', { name: 'Show affected objects' }).click();
    await page.waitForURL(/\/batches\/bat_/);
    await page.getByText('the canary is done').waitFor();
    await rows(page, 2);
    await button(page, 'Abort').click();
    await page.locator('main h1').getByText('aborted').waitFor();
    const batch = await api.get(`/v1/batches/${new URL(page.url()).pathname.split('/').at(-1)}`);
    assert.deepEqual(
      [batch.done, batch.reason, batch.request.filter?.jobType ?? 'canary'],
      [2, 'a try', 'canary'],
    );
    const { items } = await api.get('/v1/jobs?jobType=canary&status=QUEUED');
    assert.equal(items.length, 2);
  },

  async 'schedules are paused in bulk'(world) {
    const { page, api } = world;
    await open(world, 'schedules');
    await page.locator('tr[data-row]', { hasText: 'Europe/Berlin' }).getByRole('checkbox').check();
    await button(page, '1 selected…').click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await button(page, 'Start: Pause').click();
    await page.getByText('1 done, 0 failed, of 1').waitFor();
    assert.equal((await api.get(`/v1/schedules/${world.made.schedule}`)).paused, true);
    await api.post(`/v1/schedules/${world.made.schedule}/resume`);
  },

  async 'a dead letter is archived with its reason, and found in the archive'(world) {
    const { page, api } = world;
    await api.post('/v1/jobs', { jobType: 'to-archive', data: {} });
    await work(api, 'to-archive', () => ({ error: { message: 'it is over' }, retryable: false }));
    const letter = await until('the dead letter', async () => {
      const { items } = await api.get('/v1/dead-letters?jobType=to-archive');
      return items[0];
    });
    await open(world, `dead-letters/${letter.id}`);
    await button(page, 'Archive').click();
    await page.getByLabel('Reason').fill('nobody needs it');
    await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('The dead letter is archived.').waitFor();
    await open(world, 'archive?jobType=to-archive');
    await page.getByText('nobody needs it').waitFor();
    const href = await page.getByRole('link', { name: 'Export all' }).getAttribute('href');
    const answer = await world.admin.context.request.get(new URL(href, world.address).href);
    assert.equal(JSON.parse((await answer.text()).trim()).id, letter.id);
  },

  async 'searching is completed, and what is shown is saved, shared and found again'(world) {
    const { page, api } = world;
    await api.post('/v1/jobs', { jobType: 'complete-me', data: {}, tags: ['gold'] });
    await open(world, 'jobs');
    const field = page.getByRole('combobox', { name: 'Add a filter' });
    await field.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('jobT');
    await page.getByRole('option', { name: 'jobType:' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('complete');
    await page.getByRole('option', { name: 'complete-me' }).click();
    assert.equal(await field.inputValue(), 'jobType:complete-me ');
    await page.keyboard.type('-status:CANC');
    await page.getByRole('option', { name: 'CANCELLED' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.search === '?jobType=complete-me&q=-status%3ACANCELLED', null);
    await rows(page, 1);
    await page.getByLabel('Order').selectOption('asc');
    await button(page, 'Saved views').click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByLabel('Name').fill('Mine, oldest first');
    await page.getByLabel('Share with others who can see the same data').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The view is saved.').waitFor();
    const [view] = (await api.get('/v1/views?list=jobs')).items;
    assert.deepEqual(
      [view.name, view.q, view.order, view.shared],
      ['Mine, oldest first', 'jobType:complete-me -status:CANCELLED', 'asc', true],
    );
    await open(world, 'jobs?status=FAILED');
    await button(page, 'Saved views').click();
    await page.getByRole('menuitem', { name: /^Mine, oldest first/ }).click();
    await page.waitForFunction(
      () => location.search === '?jobType=complete-me&q=-status%3ACANCELLED&order=asc',
    );
    await rows(page, 1);
    await button(page, 'Saved views: Mine, oldest first').waitFor();
    await open(world, 'jobs?tag=gold');
    await button(page, 'Saved views').click();
    await page.getByRole('menuitem', { name: 'Manage views…' }).click();
    await button(page, 'Replace with current filters').click();
    await page.getByText('The view has been changed.').waitFor();
    await page.locator('[data-view]').getByText('tag:gold').waitFor();
    await page.locator('[data-view]').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No saved views yet').waitFor();
    assert.equal((await api.get('/v1/views?list=jobs')).items.length, 0);
  },

  async 'a dead letter is found by a path of its payload, with completion, and what is not declared says how'(
    world,
  ) {
    const { page, api } = world;
    const mailed = (id) => ({ jobType: 'bill-customer', data: { customer: { id } } });
    await open(world, 'dead-letters?view=list&q=data.customer.number%3A1');
    await page
      .getByRole('alert')
      .getByText(/^trunkline attribute set job-type/)
      .waitFor();
    await api.put('/v1/job-types/bill-customer/attributes', {
      customerId: { type: 'integer', path: 'data.customer.id' },
    });
    await api.post('/v1/jobs/batch', { jobs: [mailed(4711), mailed(4712)] });
    await work(api, 'bill-customer', () => ({ error: { message: 'no money' }, retryable: false }), 2);
    await until('both', async () => {
      const { items } = await api.get('/v1/dead-letters?jobType=bill-customer');
      return items.length === 2;
    });
    await open(world, 'dead-letters?view=list');
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('data.cust');
    await page.getByRole('option', { name: 'data.customer.id:' }).click();
    await page.keyboard.type('4711');
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => new URL(location.href).searchParams.get('q') === 'data.customer.id:4711',
    );
    await rows(page, 1);
    await page.locator('tr[data-row] a').first().click();
    await page.waitForURL(/dead-letters\/dlq_/);
    await page.locator('dd').getByRole('link', { name: '4711', exact: true }).click();
    await page.waitForURL(/q=attr.customerId/);
  },

  async 'workers, workflows and alerts are filtered, and the address holds it'(world) {
    const { page, api } = world;
    const poll = (workerId, jobTypes) => api.post('/v1/jobs/poll', { workerId, jobTypes, maxJobs: 1 });
    await poll('filter-1', ['one-kind', 'both']);
    await poll('filter-2', ['other-kind', 'both']);
    const field = page.getByRole('combobox', { name: 'Add a filter' });
    const filter = async (text) => {
      await field.fill(text);
      await page.keyboard.press('Enter');
    };
    const table = page.getByRole('region', { name: 'Workers', exact: true });
    const count = (found) =>
      page.waitForFunction(
        (wanted) => document.querySelectorAll('[aria-label=Workers] tr[data-row]').length === wanted,
        found,
      );
    // Polls are written down together, and the page reads workers every five seconds only.
    await until('both workers', async () => {
      const { items } = await api.get('/v1/workers?limit=500');
      return items.filter(({ id }) => id.startsWith('filter-')).length === 2;
    });
    await open(world, 'workers');
    await table.locator('tr[data-row=filter-2]').waitFor();
    await filter('workerId:filter-*');
    await count(2);
    await filter('jobType:ONE-kind,nothing');
    await page.waitForFunction(() => location.search === '?workerId=filter-*&jobType=ONE-kind%2Cnothing');
    await count(1);
    await page.reload();
    await count(1);
    await filter('state:asleep');
    await page.getByRole('alert').getByText('state must be one of active, draining, silent.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter Job type' }).click();
    await filter('state:silent');
    await page.getByText(/^None of \d+ matches the filters/).waitFor();

    await open(world, 'workflows');
    await rows(page, (await api.get('/v1/workflows?limit=500')).items.length);
    await filter('workflow:*REPORT');
    await rows(page, 1);
    await page.getByRole('link', { name: 'nightly-report' }).waitFor();
    await filter('state:paused');
    await page.getByText('No workflow matches').waitFor();
    await api.post('/v1/workflows/nightly-report/pause', {});
    await rows(page, 1);
    await api.post('/v1/workflows/nightly-report/resume', {});
    await page.getByText('No workflow matches').waitFor();
    await button(page, 'Saved views').click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByLabel('Name').fill('Paused reports');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The view is saved.').waitFor();
    await open(world, 'workflows');
    await button(page, 'Saved views').click();
    await page.getByRole('menuitem', { name: 'Paused reports' }).click();
    await page.waitForFunction(() => location.search === '?workflow=*REPORT&state=paused');
    const [view] = (await api.get('/v1/views?list=workflows')).items;
    await api.delete(`/v1/views/${view.id}`);

    await api.post('/v1/jobs', { jobType: 'nobody-takes-it', data: {} });
    await api.put('/v1/alerts/rules/too-deep', {
      metric: 'depth',
      above: 0,
      for: '0s',
      severity: 'critical',
      scope: { queue: 'workflow-node' },
    });
    await until('the alert to fire', async () =>
      (await api.get('/v1/alerts?status=firing')).items.some(({ rule }) => rule === 'too-deep'),
    );
    await open(world, 'alerts');
    await page.locator('tr[data-row]').first().waitFor();
    await filter('rule:too-deep severity:critical');
    await page.waitForFunction(() => location.search === '?rule=too-deep&severity=critical');
    await page.locator('tr[data-row]').first().waitFor();
    await page.getByLabel('Severity', { exact: true }).selectOption('warning');
    await page.getByText('No alert matches').waitFor();
    await api.delete('/v1/alerts/rules/too-deep');
  },

  async 'lists that the server does not search have views and completion, too'(world) {
    const { page, api } = world;
    await open(world, 'audit');
    const field = page.getByRole('combobox', { name: 'Add a filter' });
    await field.pressSequentially('outc');
    await page.getByRole('option', { name: 'outcome:refused' }).click();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.search === '?outcome=refused');
    await button(page, 'Saved views').click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByLabel('Name').fill('Refusals');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The view is saved.').waitFor();
    await open(world, 'audit');
    await button(page, 'Saved views').click();
    await page.getByRole('menuitem', { name: 'Refusals' }).click();
    await page.waitForFunction(() => location.search === '?outcome=refused');
    const [view] = (await api.get('/v1/views?list=audit')).items;
    await api.delete(`/v1/views/${view.id}`);
  },
};
