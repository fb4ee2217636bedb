// Alerts and the audit log.
import assert from 'node:assert/strict';
import { button, open } from './page.mjs';
import { until } from './seed.mjs';

export const operateTests = {
  async 'a rule fires, is shown on the overview, and is silenced'(world) {
    const { page, api } = world;
    await api.post('/v1/jobs', { jobType: 'nobody-takes', data: {} });
    await open(world, 'alerts?view=rules');
    await button(page, 'New rule').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('any-depth');
    await dialog.getByRole('textbox', { name: 'Threshold' }).fill('0');
    await dialog.getByLabel('Severity').selectOption('critical');
    await dialog.getByLabel('Queue').fill('workflow-node');
    await button(page, 'Save').click();
    await page.getByText('The rule is saved.').waitFor();
    await page.locator('tr[data-row=any-depth]').getByText('above 0').waitFor();
    await open(world, '');
    await page
      .getByRole('region', { name: 'Alerts' })
      .getByText(/any-depth/)
      .first()
      .waitFor();
    await open(world, 'alerts');
    const row = page.locator('tr[data-row]', { hasText: 'any-depth' }).first();
    await row.getByText('firing').waitFor();
    await row.getByRole('button', { name: 'Silence' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('a test');
    await page.getByRole('dialog').getByRole('button', { name: 'Silence' }).click();
    await page.getByText('The silence is active.').waitFor();
    await page.locator('tr[data-row]', { hasText: 'silenced' }).first().waitFor();
    await open(world, 'alerts?view=silences');
    await page.getByText('a test').waitFor();
    await button(page, 'End now').click();
    await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click();
    await page.getByText('Nothing is silenced').waitFor();
    await api.delete('/v1/alerts/rules/any-depth');
    await until('the alert to be over', async () => {
      const { items } = await api.get('/v1/alerts?status=resolved');
      return items.some((alert) => alert.rule === 'any-depth');
    });
    await open(world, 'alerts?view=history');
    await page.locator('tr[data-row]', { hasText: 'any-depth' }).first().waitFor();
  },

  async 'a route is made and tested, and its notification is listed'(world) {
    const { page, address } = world;
    await open(world, 'alerts?view=routes');
    await button(page, 'New route').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('on-call');
    await dialog.getByLabel('Address').fill(`${address}/healthz`);
    await button(page, 'Save').click();
    await page.getByText('The signing secret. It is shown only once.').waitFor();
    await page.getByText(/^whsec_/).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('tr[data-row=on-call]').getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('A test notification is on its way.').waitFor();
    await open(world, 'alerts?view=notifications');
    const row = page.locator('tr[data-row]', { hasText: 'on-call' }).first();
    await row.getByText('test', { exact: true }).waitFor();
  },

  async 'what a form does not ask for is kept when something is changed by it'(world) {
    const { page, api } = world;
    const made = await api.post('/v1/triggers', {
      name: 'quiet',
      events: ['quiet.*'],
      workflow: 'nightly-report',
      priority: 'low',
      debounce: { period: '10s', key: '${body.id}' },
    });
    await open(world, 'events?view=triggers');
    const row = page.locator('tr[data-row]', { hasText: 'quiet.*' });
    await row.getByText('after 10s without an event').waitFor();
    await row.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The trigger is paused.').waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Events').fill('quiet.*, silent.*');
    await button(page, 'Save').click();
    await page.getByText('The trigger is saved.').waitFor();
    const trigger = await api.get(`/v1/triggers/${made.id}`);
    assert.deepEqual(
      [trigger.events, trigger.paused, trigger.priority, trigger.debounce],
      [['quiet.*', 'silent.*'], true, 'low', made.debounce],
    );
    await api.delete(`/v1/triggers/${made.id}`);
    const rule = { metric: 'depth', above: 1_000_000, clearAt: 7, severity: 'warning' };
    await api.put('/v1/alerts/rules/kept', rule);
    await open(world, 'alerts?view=rules');
    await page.locator('tr[data-row=kept]').getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Severity').selectOption('critical');
    await button(page, 'Save').click();
    await page.getByText('The rule is saved.').waitFor();
    const { severity, clearAt } = await api.get('/v1/alerts/rules/kept');
    assert.deepEqual([severity, clearAt], ['critical', 7]);
    await api.delete('/v1/alerts/rules/kept');
    await api.put('/v1/alerts/routes/by-mail', { type: 'mail', to: ['ann@example.org', 'bob@example.org'] });
    await open(world, 'alerts?view=routes');
    await page.locator('tr[data-row=by-mail]').getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Repeat every').fill('4h');
    await button(page, 'Save').click();
    await page.getByText('The route is saved.').waitFor();
    const route = await api.get('/v1/alerts/routes/by-mail');
    assert.deepEqual(
      [route.type, route.to, route.repeatEvery],
      ['mail', ['ann@example.org', 'bob@example.org'], '4h'],
    );
    await api.delete('/v1/alerts/routes/by-mail');
  },

  async 'the audit log is filtered, shows what changed, is exported and verified'(world) {
    const { page, api, admin, address } = world;
    await api.post('/v1/queues/workflow-webhook/pause');
    await api.post('/v1/queues/workflow-webhook/resume');
    await open(world, 'audit?action=queue.pause&subject=workflow-webhook');
    await page.locator('tr[data-row]').getByRole('button', { name: 'queue.pause' }).click();
    await page.getByRole('dialog').getByText('What changed').waitFor();
    await page.getByRole('dialog').locator('.cm-changedLine, .cm-insertedLine').first().waitFor();
    await page.keyboard.press('Escape');
    const href = await page.getByRole('link', { name: 'Export' }).getAttribute('href');
    const lines = await until('the entry to be sealed', async () => {
      const answer = await admin.context.request.get(new URL(href, address).href);
      const text = (await answer.text()).trim();
      return text && text.split('\n').map((line) => JSON.parse(line));
    });
    assert.ok(
      lines.every(({ action, subject }) => action === 'queue.pause' && subject === 'workflow-webhook'),
    );
    await button(page, 'Verify the chain').click();
    await page.getByText(/The chain is intact: [\d,]+ entries/).waitFor();
  },

  async 'each object shows who changed it'(world) {
    const { page, api } = world;
    const job = await api.post('/v1/jobs', { jobType: 'to-move', data: {} });
    await api.post(`/v1/jobs/${job.id}/reprioritize`, { priority: 'high' });
    await open(world, `jobs/${job.id}`);
    const card = page.locator('section', { hasText: 'Who changed this' });
    await card.getByText('job.reprioritize').waitFor();
    await card.getByRole('link', { name: 'Show all in the audit log' }).click();
    await page.waitForURL((url) => url.searchParams.get('subject') === job.id);
    await page.locator('tr[data-row]').first().waitFor();
    await api.post(`/v1/jobs/${job.id}/cancel`);
  },

  async 'a workflow shows who changed it and its versions'(world) {
    const { page } = world;
    await open(world, 'workflows/order');
    const card = page.locator('section', { hasText: 'Who changed this' });
    await card
      .getByText(/^order@\d+$/)
      .first()
      .waitFor();
    await card.getByRole('link', { name: 'Show all in the audit log' }).click();
    await page.waitForURL((url) => url.searchParams.get('q')?.includes('order@*'));
    await page.locator('tr[data-row]', { hasText: 'workflow.register' }).first().waitFor();
  },
};
