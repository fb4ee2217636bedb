// Figures over time, limits and rates, workers: what is shown follows from what the interface says.
import assert from 'node:assert/strict';
import { button, open, rows } from './page.mjs';
import { hourThatLasts, until, work } from './seed.mjs';

/** Waits until the figures hold so many claims: they are written down every 15 seconds. */
const claims = (api, query, count) =>
  until(
    'the figures',
    async () => {
      const { series } = await api.get(`/v1/stats?${query}`);
      return series.reduce((sum, point) => sum + point.claimed, 0) >= count;
    },
    60_000,
  );

export const figureTests = {
  async 'the overview shows the last day over time, and percentiles by tier'(world) {
    const { page, api } = world;
    await hourThatLasts();
    const jobs = Array.from({ length: 5 }, (_, n) => ({ jobType: 'tick', data: { n }, priority: 'high' }));
    await api.post('/v1/jobs/batch', { jobs });
    await work(api, 'tick', () => ({ result: {} }), 5);
    await claims(api, 'queue=workflow-node&priority=high', 5);
    const asked = page.waitForRequest((request) => /\/v1\/stats\?.*from=now-24h&step=1m/.test(request.url()));
    await open(world, '');
    await asked;
    const name = 'Depth of Nodes and jobs, last day';
    await page.getByRole('img', { name }).locator('canvas').waitFor();
    await page.locator(`[data-history="${name}"]`).getByText('queued').waitFor();
    const times = page.locator('[data-times=workflow-node]');
    const row = times.getByRole('row', { name: /^high, this hour/ });
    await row.waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    assert.equal(cells.length, 7);
    assert.ok(
      cells.every((cell) => /^\d/.test(cell)),
      cells.join(' '),
    );
    await page.getByLabel('Show over time').selectOption('throughput');
    await page.getByLabel('Range of the charts').selectOption('hour');
    await page.waitForFunction(() => location.search === '?show=throughput&range=hour');
    const chart = page.locator('[data-history="Throughput of Nodes and jobs, last hour"]');
    const box = await chart.locator('.u-over').boundingBox();
    const at = () => chart.locator('p > span').last().textContent();
    const newest = await at();
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.waitForFunction(
      ([label, text]) =>
        document.querySelector(`[data-history="${label}"] p > span:last-child`).textContent !== text,
      ['Throughput of Nodes and jobs, last hour', newest],
    );
  },

  async 'the overview stands before its counts, and says how much of a limit is in use'(world) {
    const { page, api } = world;
    await api.put('/v1/limits', { 'workflow-node': { maxConcurrent: 48 } });
    let answer;
    const held = new Promise((release) => (answer = release));
    const counts = /\/v1\/queues$/;
    await page.route(counts, (route) => held.then(() => route.continue()));
    try {
      await open(world, '');
      await page.locator('[data-counting]').waitFor();
      const card = page.locator('section', {
        has: page.getByRole('link', { name: 'Nodes and jobs', exact: true }),
      });
      await card.getByRole('img', { name: 'Depth of Nodes and jobs, last day' }).waitFor();
      await card.getByText('of 48', { exact: true }).waitFor();
      assert.equal(await card.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
      answer();
      await card.getByRole('button', { name: 'Pause', exact: true }).waitFor();
      await page.locator('[data-counting]').waitFor({ state: 'detached' });
    } finally {
      answer();
      await page.unroute(counts);
      await api.put('/v1/limits', { 'workflow-node': { maxConcurrent: null } });
    }
  },

  async 'a tenant shows what workers did for it, and its part of all starts'(world) {
    const { page, api } = world;
    const jobs = [1, 2, 3].map((n) => ({ jobType: 'for-initech', data: { n }, tenant: 'initech' }));
    await api.post('/v1/jobs/batch', { jobs });
    await work(api, 'for-initech', () => ({ result: {} }), 3);
    await claims(api, 'tenant=initech&queue=workflow-node', 3);
    await open(world, 'tenants/initech');
    await page.locator('[data-starts="3"]').waitFor();
    await page.locator('[data-worker-seconds]').waitFor();
    const part = await page.locator('[data-share]').getAttribute('data-share');
    assert.match(part, /^(< 1|[1-9]\d?) %$/);
    await page.getByRole('img', { name: 'Depth of initech, last day' }).waitFor();
    // Half a euro an hour.
    const seconds = Number(await page.locator('[data-cost]').getAttribute('data-cost'));
    const cost = await page.locator('[data-cost]').textContent();
    assert.ok(cost.includes('0.50 EUR'), cost);
    const shown = Number(/, ([\d.]+) EUR in the last day/.exec(cost)[1]);
    assert.ok(Math.abs(shown - (seconds / 3_600) * 0.5) < 0.000_001, cost);
  },

  async 'a tenant shows its most frequent errors, the most frequent first'(world) {
    const { page, api } = world;
    const dies = async (tenant, message, count) => {
      const jobs = Array.from({ length: count }, (_, n) => ({ jobType: 'print-label', data: { n }, tenant }));
      await api.post('/v1/jobs/batch', { jobs });
      await work(api, 'print-label', () => ({ error: { message }, retryable: false }), count);
    };
    await dies('hooli', 'the paper is used up', 1);
    await dies('hooli', 'the printer is on fire', 2);
    await dies('initech', 'the label is torn', 3);
    await until('the groups', async () => {
      const { items } = await api.get('/v1/dead-letters/groups?tenant=hooli');
      return items.reduce((sum, { count }) => sum + count, 0) === 3;
    });
    await open(world, 'tenants/hooli');
    const errors = page.getByRole('region', { name: 'Most frequent errors' }).locator('tr[data-row]');
    await errors.nth(1).waitFor();
    assert.equal(await errors.count(), 2, 'none of another tenant');
    const [first, second] = await errors.allTextContents();
    assert.match(first, /the printer is on fire.*print-label2/);
    assert.match(second, /the paper is used up.*print-label1/);
    await errors.first().getByRole('link').click();
    await page.waitForURL(/dead-letters\?.*tenant=hooli/);
    await rows(page, 2);
  },

  async 'a limit is tried out on the last day without being changed'(world) {
    const { page, api } = world;
    const before = await api.get('/v1/limits');
    await open(world, 'limits');
    await page.getByLabel('Concurrency, in total').fill('1');
    const answer = page.locator('[data-what-if="1"]');
    await answer
      .getByText(/^With a limit of 1, the backlog of the last day would have peaked at [\d,]+/)
      .waitFor();
    await answer.getByText(/The longest wait would have been about .+ % of the slots/).waitFor();
    await page.getByRole('img', { name: /^Backlog of Nodes and jobs in the last day/ }).waitFor();
    await page.getByLabel('Concurrency, in total').fill('64');
    await page
      .locator('[data-what-if="64"]')
      .getByText(/would have peaked at 0/)
      .waitFor();
    assert.deepEqual(await api.get('/v1/limits'), before);
  },

  async 'a rate is set, shows its use, holds a job until an instant, and is raised'(world) {
    const { page, api } = world;
    await open(world, 'limits?jobType=paced');
    const table = page.locator('section', { hasText: 'For one job type' }).locator('[data-rates]');
    const field = table.getByLabel('Rate Nodes and jobs');
    await field.fill('fast');
    await table.getByRole('button', { name: 'Save' }).click();
    await page.getByText('"fast" is not a rate.').waitFor();
    await field.fill('2/1h');
    await table.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The limit has been changed.').waitFor();
    const limits = await api.get('/v1/job-types/paced/limits');
    assert.equal(limits['workflow-node'].rate, '2/1h');
    const jobs = [1, 2, 3].map((n) => ({ jobType: 'paced', data: { n } }));
    const { results } = await api.post('/v1/jobs/batch', { jobs });
    await work(api, 'paced', () => ({ result: {} }), 2);
    const ids = results.map(({ id }) => id);
    const held = await until('the job that is held', async () => {
      const states = await Promise.all(ids.map((id) => api.get(`/v1/jobs/${id}`)));
      return states.find(({ status }) => status === 'QUEUED');
    });
    await open(world, `jobs/${held.id}`);
    await page.locator('[data-reason=rate_job_type]').waitFor();
    await page.locator('[data-start=bound]').getByText('at the earliest, given its rate').waitFor();
    await page.getByText('2/1h', { exact: true }).waitFor();
    await button(page, 'Raise the rate to 3/1h').click();
    await page.getByText('The limit is raised.').waitFor();
    await work(api, 'paced', () => ({ result: {} }), 1);
    await api.put('/v1/job-types/paced/limits', { 'workflow-node': { rate: null } });
    await open(world, 'limits');
    const global = page.locator('section', { hasText: 'Rates: starts per period' }).first();
    await global.locator('[data-started=workflow-node]').waitFor();
    await global.getByLabel('Rate Nodes and jobs').fill('100000/1m burst 500');
    await global.getByRole('button', { name: 'Save' }).click();
    await global.getByText(/\d+ % of the rate/).waitFor();
    assert.equal((await api.get('/v1/limits'))['workflow-node'].rate.burst, 500);
    await global.getByRole('button', { name: 'Reset' }).click();
    await until('the rate to be gone', async () => !(await api.get('/v1/limits'))['workflow-node'].rate);
  },

  async 'a job that is not due says when it starts'(world) {
    const { page, api } = world;
    const job = await api.post('/v1/jobs', { jobType: 'later', data: {}, delay: '3h' });
    await open(world, `jobs/${job.id}`);
    await page
      .locator('[data-start=due]')
      .getByText(/in (3h|2h 59m)/)
      .waitFor();
    await api.post(`/v1/jobs/${job.id}/cancel`);
  },

  async 'a worker shows the jobs that it runs, its slots, and when it was last seen'(world) {
    const { page, api } = world;
    const job = await api.post('/v1/jobs', { jobType: 'long-run', data: {} });
    const poll = (wait) =>
      api.post('/v1/jobs/poll', {
        workerId: 'busy-1',
        jobTypes: ['long-run'],
        maxJobs: 3,
        lease: '2m',
        ...wait,
      });
    const [leased] = (await poll({ wait: '5s' })).jobs;
    assert.equal(leased.id, job.id);
    await until('the worker', async () => {
      const { items } = await api.get('/v1/workers?limit=500');
      return items.some(({ id, leased: count }) => id === 'busy-1' && count === 1);
    });
    await open(world, 'workers');
    const row = page.locator('tr[data-row=busy-1]');
    await row.getByText('active', { exact: true }).waitFor();
    await row.getByText('long-run', { exact: true }).waitFor();
    await row.getByText('1 / 3').waitFor();
    const lastSeen = async () => Date.parse(await row.locator('time').last().getAttribute('datetime'));
    const before = await lastSeen();
    assert.ok(Math.abs(Date.now() - before) < 60_000, new Date(before).toISOString());
    await until('what the worker does later', async () => {
      await poll();
      return (await lastSeen()) > before;
    });
    await row.getByRole('link', { name: '1', exact: true }).click();
    await page.waitForURL(/\/jobs\?.*workerId=busy-1/);
    await page.locator(`tr[data-row="${job.id}"]`).waitFor();
    await api.post('/v1/jobs/complete', {
      jobs: [{ id: job.id, leaseToken: leased.leaseToken, result: {} }],
    });
  },

  async 'workers show their builds, and one is drained'(world) {
    const { page, api } = world;
    const poll = (workerId, build) =>
      api.post('/v1/jobs/poll', { workerId, build, jobTypes: ['nothing-comes'], maxJobs: 7 });
    await poll('blue-1', 'v41');
    await poll('green-1', 'v42');
    const named = async (id) =>
      (await api.get('/v1/workers?limit=500')).items.find((worker) => worker.id === id);
    await until('both workers', async () => (await named('blue-1')) && (await named('green-1')));
    await open(world, 'workers');
    const builds = page.locator('[data-builds]');
    await builds.getByText('v41 · 1 worker').waitFor();
    await builds.getByText('v42 · 1 worker').waitFor();
    const row = page.locator('tr[data-row=blue-1]');
    await row.getByText('v41').waitFor();
    await row.getByText('0 / 7').waitFor();
    await row.getByRole('button', { name: 'Drain' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await page.getByText('The worker is draining.').waitFor();
    await row.getByText('draining').waitFor();
    await until('the poll to say so', async () => (await poll('blue-1', 'v41')).drain === true);
    const own = page.locator('section', { hasText: 'Server processes' });
    await own.getByText('same as the database').waitFor();
    const { items } = await api.get('/v1/servers');
    assert.equal(await own.locator('tr[data-row]').count(), items.length);
    await page.locator('[data-check=dispatch]').getByText('workers poll').waitFor();
    const secrets = page.locator('[data-check=secrets]');
    await secrets.getByText('warning').waitFor();
    await secrets.getByText(/TRUNKLINE_SECRETS__KEYS/).waitFor();
  },
};
