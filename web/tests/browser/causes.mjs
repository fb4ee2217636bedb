// What caused what: events, the chain over the four queues, log lines, and dry runs.
import assert from 'node:assert/strict';
import { button, open } from './page.mjs';
import { until } from './seed.mjs';

export const causeTests = {
  async 'an event starts a workflow by a trigger, and the chain leads from it to the attempts of the child'(
    world,
  ) {
    const { page, api } = world;
    await open(world, 'events?view=triggers');
    await button(page, 'New trigger').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('deliver');
    await dialog.getByLabel('Events').fill('parcel.*');
    await dialog.getByLabel('Workflow').selectOption('delivery');
    await dialog.getByLabel('Filter').fill('body.weight > 1.0');
    await button(page, 'Save').click();
    await page.getByText('The trigger is saved.').waitFor();
    await page.locator('tr[data-row]', { hasText: 'parcel.*' }).waitFor();
    await button(page, 'Send an event').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('parcel.packed');
    await page.getByRole('textbox', { name: 'Data' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"weight":2.5}');
    await page.getByRole('dialog').getByRole('button', { name: 'Send an event' }).click();
    await page.waitForURL(/\/deliveries\/dlv_/);
    const caused = page.locator('section', { hasText: 'What it caused' });
    await caused.getByRole('link', { name: 'delivery v1' }).waitFor();
    const { items } = await api.get('/v1/executions?workflow=delivery');
    await until(
      'its end',
      async () => (await api.get(`/v1/executions/${items[0].id}`)).status === 'COMPLETED',
    );
    await caused.getByRole('link', { name: 'delivery v1' }).click();
    await page.waitForURL(/view=chain/);
    const chain = page.getByRole('region', { name: 'Chain' });
    await chain.getByRole('link', { name: 'parcel.packed' }).waitFor();
    await chain.getByText('Trigger').waitFor();
    await chain.getByText(/GET http:\/\/.*\/healthz/).waitFor();
    await chain.getByText('→ 200').waitFor();
    const probe = items[0].id;
    const { items: jobs } = await api.get(`/v1/jobs?executionId=${probe}&nodeId=probe`);
    await button(chain, `Attempts of ${jobs[0].id}`).click();
    await chain.getByText('Attempt 1').waitFor();
    const { items: children } = await api.get(`/v1/executions?parent=${probe}`);
    await button(chain, `Nodes of ${children[0].id}`).click();
    await chain.locator(`[data-chain="${children[0].id}"]`).getByRole('link', { name: 'book' }).waitFor();
    assert.equal(children[0].workflow, 'courier');
  },

  async 'log lines are shown beside the job and on its execution, by level'(world) {
    const { page, api } = world;
    const started = await api.post('/v1/executions', { workflow: 'order', input: { orderId: 'L-1' } });
    const job = await until('the job', async () => {
      const { jobs } = await api.post('/v1/jobs/poll', {
        workerId: 'logger',
        jobTypes: ['check-stock'],
        maxJobs: 1,
        wait: '1s',
      });
      return jobs[0];
    });
    const lines = [
      { level: 'info', message: 'looks at the shelf', fields: { shelf: 9 } },
      { level: 'error', message: 'the shelf is empty' },
    ];
    await api.post('/v1/jobs/logs', { jobs: [{ id: job.id, leaseToken: job.leaseToken, lines }] });
    await open(world, `jobs/${job.id}`);
    const log = page.getByRole('list', { name: 'Log' });
    await log.getByText('looks at the shelf').waitFor();
    await page.getByLabel('Minimum level').selectOption('error');
    await log.getByText('looks at the shelf').waitFor({ state: 'detached' });
    await log.getByText('the shelf is empty').waitFor();
    await open(world, `executions/${started.id}?view=log`);
    await page.getByRole('list', { name: 'Log' }).getByText('the shelf is empty').waitFor();
    await api.post('/v1/jobs/release', { jobs: [{ id: job.id, leaseToken: job.leaseToken }] });
    await api.post(`/v1/executions/${started.id}/cancel`, {});
  },

  async 'a dry run waits for results, takes them, and is stepped through'(world) {
    const { page, api } = world;
    const before = (await api.get('/v1/executions?workflow=order&count=true')).count.value;
    await open(world, 'workflows/order?view=dry-run');
    await page.getByRole('heading', { name: 'stock is waiting' }).waitFor();
    await button(page, 'Complete it').click();
    const charge = page
      .locator('section', { has: page.getByRole('heading', { name: 'charge is waiting' }) })
      .last();
    await charge.getByRole('button', { name: 'Complete it' }).click();
    const approve = page
      .locator('section', { has: page.getByRole('heading', { name: 'approve is waiting' }) })
      .last();
    await approve.getByRole('textbox').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"ok":true}');
    await approve.getByRole('button', { name: 'Complete it' }).click();
    await button(page, 'Send payment-received').click();
    await page.getByRole('heading', { name: 'ship is waiting' }).waitFor();
    await button(page, 'Fail it').click();
    await page.getByText('failed in the dry run').first().waitFor();
    const steps = page.getByRole('group', { name: 'Steps' });
    await steps.getByText('failed', { exact: true }).waitFor();
    await steps.getByLabel('Step', { exact: true }).fill('2');
    await steps
      .getByText(/stock.*(pending|running)/)
      .first()
      .waitFor();
    await button(steps, 'Next').click();
    await page.locator('[data-step="3"]').waitFor();
    assert.equal((await api.get('/v1/executions?workflow=order&count=true')).count.value, before);
  },
};
