// Limits and rates that hold a job: who holds the slots, and the remedy in one press.
import assert from 'node:assert/strict';
import { button, open } from './page.mjs';
import { until, work } from './seed.mjs';

export const limitTests = {
  async 'a job behind a limit names who holds the slots, and runs when the limit is raised'(world) {
    const { page, api } = world;
    await api.put('/v1/job-types/narrow/limits', { 'workflow-node': { maxConcurrent: 1 } });
    const { results } = await api.post('/v1/jobs/batch', {
      jobs: [1, 2].map((n) => ({ jobType: 'narrow', data: { n } })),
    });
    const poll = () =>
      api.post('/v1/jobs/poll', {
        workerId: 'narrow-1',
        jobTypes: ['narrow'],
        maxJobs: 2,
        lease: '2m',
        wait: '5s',
      });
    const [leased] = (await poll()).jobs;
    const held = results.map(({ id }) => id).find((id) => id !== leased.id);
    await open(world, `jobs/${held}`);
    await page.locator('[data-reason=limit_job_type]').waitFor();
    await page.getByText('1 of 1 in use').waitFor();
    await page.getByText('0 jobs', { exact: true }).waitFor();
    await page
      .locator('main dl')
      .getByRole('link')
      .and(page.locator(`[href$="${leased.id}"]`))
      .waitFor();
    await button(page, 'Raise the limit to 2').click();
    await page.getByText('The limit is raised.').waitFor();
    const { 'workflow-node': limit } = await api.get('/v1/job-types/narrow/limits');
    assert.equal(limit.maxConcurrent, 2);
    const [next] = (await poll()).jobs;
    assert.equal(next.id, held);
    const reports = [leased, next].map(({ id, leaseToken }) => ({ id, leaseToken, result: {} }));
    await api.post('/v1/jobs/complete', { jobs: reports });
    await api.put('/v1/job-types/narrow/limits', { 'workflow-node': { maxConcurrent: null } });
  },

  async 'an execution says what holds the job of a node, and raises the limit'(world) {
    const { page, api } = world;
    await api.put('/v1/job-types/narrow-step/limits', { 'workflow-node': { maxConcurrent: 1 } });
    await api.post('/v1/workflows', {
      name: 'held',
      version: 1,
      nodes: [{ id: 'step', type: 'SERVICE_TASK', jobType: 'narrow-step' }],
    });
    const first = await api.post('/v1/jobs', { jobType: 'narrow-step', data: {} });
    const poll = () =>
      api.post('/v1/jobs/poll', {
        workerId: 'step-1',
        jobTypes: ['narrow-step'],
        maxJobs: 2,
        lease: '2m',
        wait: '5s',
      });
    const [leased] = (await poll()).jobs;
    assert.equal(leased.id, first.id);
    const { id } = await api.post('/v1/executions', { workflow: 'held', input: {} });
    await open(world, `executions/${id}`);
    const held = page.locator('[data-reason=limit_job_type]');
    await held.getByText('1 of 1 in use').waitFor();
    await held.locator(`a[href$="${first.id}"]`).waitFor();
    await button(held, 'Raise the limit to 2').click();
    await page.getByText('The limit is raised.').waitFor();
    await held.waitFor({ state: 'detached' });
    const [next] = (await poll()).jobs;
    const reports = [leased, next].map((job) => ({ id: job.id, leaseToken: job.leaseToken, result: {} }));
    await api.post('/v1/jobs/complete', { jobs: reports });
    await api.put('/v1/job-types/narrow-step/limits', { 'workflow-node': { maxConcurrent: null } });
    await page.locator('main h1').getByText('completed').waitFor();
  },

  async 'a limit of a type and a tenant is raised for that tenant, and no other limit is set'(world) {
    const { page, api } = world;
    const path = '/v1/job-types/narrow-of/limits';
    await api.put(`${path}?tenant=acme`, { 'workflow-node': { maxConcurrent: 1 } });
    const { results } = await api.post('/v1/jobs/batch', {
      jobs: [1, 2].map((n) => ({ jobType: 'narrow-of', data: { n }, tenant: 'acme' })),
    });
    const { jobs } = await api.post('/v1/jobs/poll', {
      workerId: 'narrow-of-1',
      jobTypes: ['narrow-of'],
      maxJobs: 2,
      lease: '2m',
      wait: '5s',
    });
    assert.equal(jobs.length, 1);
    const held = results.map(({ id }) => id).find((id) => id !== jobs[0].id);
    await open(world, `jobs/${held}`);
    await page.locator('[data-reason=limit_tenant_job_type]').waitFor();
    await button(page, 'Raise the limit to 2').click();
    await page.getByText('The limit is raised.').waitFor();
    const limitOf = async (of) => (await api.get(path + of))['workflow-node'].maxConcurrent;
    assert.deepEqual([await limitOf('?tenant=acme'), await limitOf('')], [2, null]);
    const [{ id, leaseToken }] = jobs;
    await api.post('/v1/jobs/complete', { jobs: [{ id, leaseToken, result: {} }] });
    await work(api, 'narrow-of', () => ({ result: {} }));
    await api.put(`${path}?tenant=acme`, { 'workflow-node': null });
  },

  async 'an execution of a paused workflow says so, and its remedy resumes the workflow'(world) {
    const { page, api } = world;
    const nodes = [{ id: 'a', type: 'TRANSFORM', output: 1 }];
    await api.post('/v1/workflows', { name: 'halts', version: 1, nodes });
    await api.post('/v1/workflows/halts/pause', {});
    const { id } = await api.post('/v1/executions', { workflow: 'halts', input: {} });
    const { jobId } = await api.get(`/v1/executions/${id}`);
    await open(world, `jobs/${jobId}`);
    await page.locator('[data-reason=queue_paused]').waitFor();
    await page.getByText('The workflow halts is paused.').waitFor();
    await button(page, 'Resume the workflow').click();
    await page.getByText('The workflow is resumed.').waitFor();
    assert.equal((await api.get('/v1/workflows/halts')).paused, false);
    await until('its end', async () => (await api.get(`/v1/executions/${id}`)).status === 'COMPLETED');
  },

  async 'limits of tenants, workflows and types are listed, lead to where they are changed, and are removed'(
    world,
  ) {
    const { page, api } = world;
    const listed = '/v1/job-types/listed/limits?tenant=acme';
    await api.put('/v1/tenants/acme/limits', { 'workflow-node': { maxConcurrent: 7 } });
    await api.put('/v1/workflows/order/limits', { 'workflow-execution': { maxConcurrent: 41 } });
    await api.put(listed, { 'workflow-node': { maxConcurrent: 2, rate: '9/1s' } });
    await open(world, 'limits');
    const table = page.getByRole('region', { name: 'Overrides' });
    await table.locator('tr[data-row]', { hasText: 'tenant acme' }).getByText('7', { exact: true }).waitFor();
    await table.locator('tr[data-row]', { hasText: 'workflow order' }).getByText('41').waitFor();
    const row = table.locator('tr[data-row]', { hasText: 'job type listed of acme' });
    await row.getByText('9/1s').waitFor();
    await row.getByRole('link').click();
    await page.waitForURL(/jobType=listed&jobTypeTenant=acme/);
    const field = page
      .locator('section', { hasText: 'For one job type' })
      .getByLabel('Concurrency Nodes and jobs');
    await field.waitFor();
    assert.equal(await field.inputValue(), '2');
    // What is below the first screen stays in sight while something is chosen there.
    await field.scrollIntoViewIfNeeded();
    const depth = await page.evaluate(() => window.scrollY);
    assert.ok(depth > 0, 'the page is longer than the screen');
    await page
      .locator('section', { hasText: 'For one workflow' })
      .getByLabel('Workflow', { exact: true })
      .selectOption('order');
    await page.waitForURL(/workflow=order/);
    await page.locator('section', { hasText: 'For one workflow' }).locator('[data-rates]').waitFor();
    assert.ok((await page.evaluate(() => window.scrollY)) > 0, 'a choice scrolls to the top');
    await row.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await row.waitFor({ state: 'detached' });
    const { maxConcurrent, rate } = (await api.get(listed))['workflow-node'];
    assert.deepEqual([maxConcurrent, rate ?? null], [null, null]);
    await api.put('/v1/tenants/acme/limits', { 'workflow-node': null });
    await api.put('/v1/workflows/order/limits', { 'workflow-execution': null });
    await open(world, 'limits');
    await page.getByText('No tenant, workflow or job type has a limit or a rate of its own.').waitFor();
  },

  async 'the rate of a key is set, holds a job, and is raised for that key only'(world) {
    const { page, api } = world;
    const before = await api.get('/v1/limits');
    await open(world, 'limits');
    const card = page.locator('section', { hasText: 'Key rates' });
    await button(card, 'Set a rate').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Rate key').fill('smtp:*');
    await dialog.getByRole('textbox', { name: 'Rate', exact: true }).fill('1/1h');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rate is set.').waitFor();
    await card.locator('tr[data-row]', { hasText: 'smtp:*' }).getByText('1/1h').waitFor();
    const { results } = await api.post('/v1/jobs/batch', {
      jobs: [1, 2].map((n) => ({ jobType: 'keyed', data: { n }, rateKey: 'smtp:acme' })),
    });
    await work(api, 'keyed', () => ({ result: {} }));
    const states = await Promise.all(results.map(({ id }) => api.get(`/v1/jobs/${id}`)));
    const held = states.find(({ status }) => status === 'QUEUED');
    await open(world, `jobs/${held.id}`);
    await page.locator('[data-reason=rate_key]').waitFor();
    await button(page, 'Raise the rate to 2/1h').click();
    await page.getByText('The limit is raised.').waitFor();
    await work(api, 'keyed', () => ({ result: {} }));
    const { items } = await api.get('/v1/rates');
    assert.deepEqual(
      items.map(({ key, rate }) => [key, rate]),
      [['smtp:*', '2/1h']],
    );
    assert.deepEqual(await api.get('/v1/limits'), before, 'no other limit has changed');
    await open(world, 'limits');
    await card.locator('tr[data-row]', { hasText: 'smtp:*' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The key no longer has a rate.').waitFor();
  },
};
