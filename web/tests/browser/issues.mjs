// Dead letters as issues, and the form of the data that is edited.
import assert from 'node:assert/strict';
import { button, open, rows, select } from './page.mjs';
import { hourThatLasts, until, work } from './seed.mjs';

const fail = (message) => ({ error: { message }, retryable: false });

/** A job of a type that ends as a dead letter, and the group that it is in. */
async function fails(api, jobType, message) {
  await api.post('/v1/jobs', { jobType, data: { file: 'a.csv', rows: 3 } });
  await work(api, jobType, () => fail(message));
  return until('the group', async () => {
    const { items } = await api.get(`/v1/dead-letters/groups?jobType=${jobType}`);
    return items[0];
  });
}

export const issueTests = {
  async 'an error is resolved with a note, and opens again when it returns'(world) {
    const { page, api } = world;
    await hourThatLasts();
    const { fingerprint } = await fails(api, 'sync-stock', 'the warehouse does not answer');
    await open(world, 'dead-letters?jobType=sync-stock');
    const row = page.locator('tr[data-row]', { hasText: 'the warehouse does not answer' });
    await row
      .getByRole('img', { name: /1 failures in the last day, 1 of them in the current hour/ })
      .waitFor();
    await row.getByText('default 1').waitFor();
    await row.getByRole('button', { name: 'Resolve' }).click();
    await page.getByLabel('Note').fill('the cable is plugged in');
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('The error is resolved until it returns.').waitFor();
    await page.getByText('No open errors').waitFor();
    await page.getByRole('tab', { name: 'resolved' }).click();
    await row.getByText('the cable is plugged in').waitFor();
    const { state, note } = (await api.get(`/v1/dead-letters/groups?fingerprint=${fingerprint}`)).items[0];
    assert.deepEqual([state, note], ['resolved', 'the cable is plugged in']);
    await fails(api, 'sync-stock', 'the warehouse does not answer');
    await open(world, 'dead-letters?jobType=sync-stock');
    await row.getByText('came back').waitFor();
    await row.getByRole('link', { name: 'the warehouse does not answer' }).click();
    const issue = page.locator(`[data-issue="${fingerprint}"]`);
    await issue.getByText('the cable is plugged in').waitFor();
    await issue.getByText(/^by /).waitFor();
    await rows(page, 2);
  },

  async 'an error is ignored until so many more, and reopened'(world) {
    const { page, api } = world;
    const { fingerprint } = await fails(api, 'warm-cache', 'the cache is cold');
    const group = async () => (await api.get(`/v1/dead-letters/groups?fingerprint=${fingerprint}`)).items[0];
    await open(world, `dead-letters?view=list&fingerprint=${fingerprint}`);
    await button(page, 'Ignore').click();
    await page.getByRole('combobox', { name: 'For', exact: true }).selectOption('7d');
    await page.getByLabel('Or until this many more').fill('3');
    await page.getByRole('dialog').getByRole('button', { name: 'Ignore' }).click();
    await page.getByText('The error is ignored.').waitFor();
    const issue = page.locator('section', { has: page.locator(`[data-issue="${fingerprint}"]`) });
    await issue.getByText('3 more dead letters').waitFor();
    const { state, until: end } = await group();
    assert.equal(state, 'ignored');
    assert.equal(end.count, 3);
    const days = (Date.parse(end.instant) - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days < 7.1, `${days} days`);
    await issue.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click();
    await page.getByText('The error is open.').waitFor();
    await issue.getByRole('button', { name: 'Resolve' }).waitFor();
    assert.equal((await group()).state, 'open');
  },

  async 'an error is ignored until a version, and comes back with it'(world) {
    const { page, api } = world;
    const push = (version) =>
      api.post('/v1/workflows', {
        name: 'mend',
        version,
        nodes: [{ id: 'sew', type: 'SERVICE_TASK', jobType: 'sew-seam', retryCount: 0 }],
      });
    const dies = async () => {
      await api.post('/v1/executions', { workflow: 'mend', input: {} });
      await work(api, 'sew-seam', () => fail('the thread is torn'));
    };
    const group = async () => (await api.get('/v1/dead-letters/groups?jobType=sew-seam')).items[0];
    await push(1);
    await dies();
    const { fingerprint } = await until('the group', group);
    await open(world, `dead-letters?view=list&fingerprint=${fingerprint}`);
    await button(page, 'Ignore').click();
    await page.getByLabel('Or until a version').selectOption({ label: 'mend v2 or later' });
    await page.getByRole('dialog').getByRole('button', { name: 'Ignore' }).click();
    await page.getByText('The error is ignored.').waitFor();
    const issue = page.locator(`[data-issue="${fingerprint}"]`);
    await issue.getByText('mend v2 or later').waitFor();
    await dies();
    await until('the second failure', async () => (await group()).count === 2);
    assert.equal((await group()).state, 'ignored', 'version 1 is known to fail');
    await push(2);
    await dies();
    await until('the third failure', async () => (await group()).count === 3);
    assert.deepEqual([(await group()).state, (await group()).reopened], ['open', true]);
    await open(world, 'dead-letters?jobType=sew-seam');
    await page.locator('tr[data-row]', { hasText: 'the thread is torn' }).getByText('came back').waitFor();
  },

  async 'bulk on errors takes those in the state that is shown'(world) {
    const { page, api } = world;
    const seen = await fails(api, 'mixed-job', 'the first error');
    await fails(api, 'mixed-job', 'quite another failure');
    await until('two groups', async () => {
      const { items } = await api.get('/v1/dead-letters/groups?jobType=mixed-job');
      return items.length === 2;
    });
    await api.post(`/v1/dead-letters/groups/${seen.fingerprint}/ignore`, {});
    await open(world, 'dead-letters?jobType=mixed-job');
    await rows(page, 1);
    await button(page, 'All that match…').click();
    await page.getByRole('menuitem', { name: 'Requeue' }).click();
    await page.getByRole('heading', { name: 'Requeue: 1 object' }).waitFor();
    await page.keyboard.press('Escape');
    await open(world, 'dead-letters?jobType=mixed-job&state=all');
    await rows(page, 2);
    await button(page, 'All that match…').click();
    await page.getByRole('menuitem', { name: 'Requeue' }).click();
    await page.getByRole('heading', { name: 'Requeue: 2 objects' }).waitFor();
    await page.keyboard.press('Escape');
    // A filter does not name as many, and nobody believes that all of them are requeued.
    const count = 52;
    const jobs = Array.from({ length: count }, (_, n) => ({ jobType: 'many-errors', data: { n } }));
    await api.post('/v1/jobs/batch', { jobs });
    await work(api, 'many-errors', (job) => fail(`part ${'x'.repeat(job.data.n + 1)} is broken`), count);
    await until('the groups', async () => {
      const { items } = await api.get('/v1/dead-letters/groups?jobType=many-errors&limit=100');
      return items.length === count;
    });
    await open(world, 'dead-letters?jobType=many-errors');
    await rows(page, 50);
    await button(page, 'All that match…').click();
    await page.getByRole('menuitem', { name: 'Requeue' }).click();
    await page.getByText('More than 50 errors match.').waitFor();
  },

  async 'numbers of edited data stay as they were written'(world) {
    const { page, api, address, key } = world;
    const body = '{"jobType":"pay-out","data":{"amount":10.0,"note":"first"}}';
    const job = await api.post('/v1/jobs', body, { 'content-type': 'application/json' });
    await work(api, 'pay-out', () => fail('a note is missing'));
    const letter = await until('the dead letter', async () => {
      const { items } = await api.get('/v1/dead-letters?jobType=pay-out');
      return items[0];
    });
    await open(world, `dead-letters/${letter.id}`);
    await page.getByText('10.0', { exact: true }).waitFor();
    await button(page, 'Edit and requeue').click();
    const editor = page.getByRole('textbox', { name: 'Data' });
    await editor.getByText('10.0').first().waitFor();
    await select(page, editor, 'first');
    await page.keyboard.type('second');
    await page.locator('[data-diff=changed]').waitFor();
    await button(page, 'Requeue with the changes').click();
    await page.getByText('The job is queued again.').waitFor();
    const answer = await fetch(`${address}/v1/jobs/${job.id}/data`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const data = await answer.text();
    assert.match(data, /"amount":\s*10\.0\b/);
    assert.match(data, /second/);
    await work(api, 'pay-out', () => ({ result: {} }));
  },

  async 'data that is edited is checked against that of completed jobs'(world) {
    const { page, api } = world;
    await api.post('/v1/jobs', { jobType: 'read-file', data: { file: 'good.csv', rows: 9 } });
    await work(api, 'read-file', () => ({ result: {} }));
    await api.post('/v1/jobs', { jobType: 'read-file', data: { file: 7 } });
    await work(api, 'read-file', () => fail('a file is a name'));
    const letter = await until('the dead letter', async () => {
      const { items } = await api.get('/v1/dead-letters?jobType=read-file');
      return items[0];
    });
    await open(world, `dead-letters/${letter.id}`);
    await button(page, 'Edit and requeue').click();
    await page.getByText('Checked against the data of a job of this type that completed.').waitFor();
    const advice = page.locator('[data-advice]');
    await advice.getByText('/file').waitFor();
    await advice.getByText(/"rows"/).waitFor();
    await page.getByRole('textbox', { name: 'Data' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"file":"mended.csv","rows":4}');
    await advice.waitFor({ state: 'detached' });
    // Another job of the type completes meanwhile: whoever types goes on typing.
    await api.post('/v1/jobs', { jobType: 'read-file', data: { file: 'other.csv', rows: 2 } });
    await work(api, 'read-file', () => ({ result: {} }));
    await page.getByText('Checked against the data of 2 jobs of this type that completed.').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    assert.ok(await page.evaluate(() => document.activeElement.closest('.cm-content') !== null));
    await button(page, 'Requeue with the changes').click();
    await page.getByText('The job is queued again.').waitFor();
    await work(api, 'read-file', (job) => ({ result: { read: job.data.file } }));
  },
};
