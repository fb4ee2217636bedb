// Forms: callbacks, endpoints, and backfills that are counted first.
import assert from 'node:assert/strict';
import { button, open, select } from './page.mjs';
import { until } from './seed.mjs';

const CALLED_BACK = `
name: scan
version: 1
nodes:
  - {id: verdict, type: WAIT_WEBHOOK, timeout: 1h}
`;

/** An instant as a field for date and time takes it, in the zone of the browser. */
const local = (page, iso) =>
  page.evaluate((text) => {
    const date = new Date(text);
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }, iso);

export const formTests = {
  async 'a callback is sent by a form, in place of its caller'(world) {
    const { page, api } = world;
    await api.post('/v1/workflows', CALLED_BACK);
    const { id } = await api.post('/v1/executions', { workflow: 'scan', input: {} });
    await until('the node to wait', async () => {
      const { items } = await api.get(`/v1/executions/${id}/nodes`);
      return items[0]?.status === 'WAITING';
    });
    await open(world, `executions/${id}?node=verdict`);
    await page.getByRole('heading', { name: 'Send the callback yourself' }).waitFor();
    await page.getByRole('textbox', { name: 'Value as JSON' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"virus":false}');
    await button(page, 'Send the callback').click();
    await page.getByText('The callback is stored.').waitFor();
    await page.locator('main h1').getByText('completed').waitFor();
    const { items } = await api.get(`/v1/executions/${id}/nodes`);
    assert.deepEqual(items[0].output.body, { virus: false });
    const kept = JSON.stringify(items[0].output);
    assert.ok(!/cookie|csrf|trunkline_session/i.test(kept), kept);
  },

  async 'a form is filled in by the example, and says what is wrong while it is typed in'(world) {
    const { page, api } = world;
    const before = (await api.get('/v1/executions?workflow=order&count=true')).count.value;
    await open(world, 'workflows/order');
    await button(page, 'Run').click();
    const dialog = page.getByRole('dialog');
    await button(dialog, 'Fill in the example').click();
    assert.equal(await dialog.getByLabel('Order *').inputValue(), 'A-1001');
    assert.equal(await dialog.getByText('This is required.').count(), 0);
    await dialog.getByLabel('Order *').fill('');
    await dialog.getByText('This is required.').waitFor();
    await dialog.getByLabel('Total').fill('much');
    await dialog.getByText(/type "string" is invalid/i).waitFor();
    await dialog.getByLabel('Total').fill('12.5');
    await dialog.getByText(/type "string" is invalid/i).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    assert.equal((await api.get('/v1/executions?workflow=order&count=true')).count.value, before);
  },

  async 'the next slots mark a change of clocks, and slots say why they were skipped'(world) {
    const { page, api } = world;
    const nodes = [{ id: 'go', type: 'SIGNAL', signal: 'go', timeout: '1h' }];
    await api.post('/v1/workflows', { name: 'waits-long', version: 1, nodes });
    const made = (more) => api.post('/v1/schedules', { workflow: 'waits-long', ...more });
    const monthly = await made({ name: 'monthly', cron: '0 12 1 * *', timezone: 'Europe/Berlin' });
    await open(world, `schedules/${monthly.id}`);
    await page.getByText('clocks change before this one').first().waitFor();
    assert.equal(await page.locator('main ol time').count(), 10);
    const often = await made({ name: 'often', every: '10s', overlap: 'skip' });
    await api.post(`/v1/schedules/${often.id}/run`);
    const wasSkipped = async () =>
      (await api.get(`/v1/schedules/${often.id}/runs`)).items.some((run) => run.skipReason === 'overlap');
    await until('a slot that was skipped', wasSkipped, 60_000);
    await open(world, `schedules/${often.id}`);
    await page.getByText('the previous one was still running').first().waitFor();
    await open(world, 'schedules');
    for (const { id } of [monthly, often]) await api.delete(`/v1/schedules/${id}`);
    await api.post('/v1/executions/cancel', { filter: { workflow: ['waits-long'] } });
  },

  async 'times are entered in the zone that they are shown in'(world) {
    const { page, api } = world;
    const schedule = await api.post('/v1/schedules', {
      name: 'hourly-in-tokyo',
      workflow: 'nightly-report',
      cron: '0 * * * *',
      timezone: 'UTC',
      paused: true,
    });
    const choose = (zone) =>
      page.evaluate(
        (name) =>
          localStorage.setItem('trunkline.preferences', JSON.stringify({ zone: name, ownZone: name })),
        zone,
      );
    await open(world, 'schedules');
    await choose('Asia/Tokyo');
    try {
      await open(world, `schedules/${schedule.id}`);
      await button(page, 'Backfill').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Time in Asia/Tokyo.').first().waitFor();
      await dialog.getByLabel('From', { exact: true }).fill('2026-01-05T09:00');
      await dialog.getByLabel('To', { exact: true }).fill('2026-01-05T12:00');
      await dialog.getByRole('button', { name: 'Preview' }).click();
      await button(page, 'Start 4 executions').click();
      await page.getByText('4 started, 0 skipped.').waitFor();
      const { items } = await api.get(`/v1/schedules/${schedule.id}/runs`);
      const first = Math.min(...items.map(({ scheduledFor }) => Date.parse(scheduledFor)));
      assert.equal(new Date(first).toISOString(), '2026-01-05T00:00:00.000Z');
    } finally {
      await page.evaluate(() => localStorage.removeItem('trunkline.preferences'));
      await open(world, 'schedules');
      await api.delete(`/v1/schedules/${schedule.id}`);
    }
  },

  async 'a backfill is counted before it runs'(world) {
    const { page, api } = world;
    const schedule = await api.post('/v1/schedules', {
      name: 'hourly',
      workflow: 'nightly-report',
      cron: '0 * * * *',
      timezone: 'UTC',
      paused: true,
    });
    await open(world, `schedules/${schedule.id}`);
    const fill = async (from, to) => {
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('From', { exact: true }).fill(await local(page, from));
      await dialog.getByLabel('To', { exact: true }).fill(await local(page, to));
      await dialog.getByRole('button', { name: 'Preview' }).click();
    };
    await button(page, 'Backfill').click();
    await fill('2026-01-05T00:00:00Z', '2026-01-05T03:00:00Z');
    await page.getByText('4 fires in this time range.').waitFor();
    assert.equal((await api.get(`/v1/schedules/${schedule.id}/runs`)).items.length, 0);
    await button(page, 'Start 4 executions').click();
    await page.getByText('4 started, 0 skipped.').waitFor();
    await button(page, 'Backfill').click();
    await fill('2026-01-05T02:00:00Z', '2026-01-05T05:00:00Z');
    await page.getByText('2 of them are in the history and will not be started again.').waitFor();
    await button(page, 'Start 2 executions').click();
    await page.getByText('2 started, 2 skipped.').waitFor();
    assert.equal((await api.get(`/v1/schedules/${schedule.id}/runs`)).items.length, 6);
    await button(page, 'Backfill').click();
    await fill('2025-01-05T00:00:00Z', '2026-01-05T00:00:00Z');
    await page.getByText('At most 1,000 fires are started at once').waitFor();
    await page.keyboard.press('Escape');
    await api.delete(`/v1/schedules/${schedule.id}`);
  },

  async 'an endpoint is made with its trigger, shows its secret once, and is deleted'(world) {
    const { page, api } = world;
    await open(world, 'webhooks');
    await button(page, 'New endpoint').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('forge');
    await dialog.getByLabel('Starts').selectOption('nightly-report');
    await dialog.getByLabel('Events').fill('push, release.*');
    await dialog.getByLabel('Filter').fill('body.size > 1');
    await button(dialog, 'New endpoint').click();
    await dialog.getByText('The new secret. It is shown only once.').waitFor();
    await button(dialog, 'Go to the endpoint').click();
    await page.waitForURL(/\/webhooks\/whk_/);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const webhook = await api.get(`/v1/webhooks/${id}`);
    const [{ workflow, events, filter }] = webhook.triggers;
    assert.deepEqual(
      [webhook.name, webhook.provider, webhook.verified, workflow, events, filter],
      ['forge', 'github', true, 'nightly-report', ['push', 'release.*'], 'body.size > 1'],
    );
    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The endpoint is deleted.').waitFor();
    await page.waitForURL(/\/webhooks$/);
    assert.ok(!(await api.get('/v1/webhooks')).items.some((each) => each.id === id));
  },

  async 'an endpoint of any sender is made, and edited beside what it was'(world) {
    const { page, api } = world;
    await open(world, 'webhooks');
    await button(page, 'New endpoint').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('press');
    await dialog.getByLabel('Provider').selectOption('hmac');
    await dialog.getByLabel('Signature header').fill('x-press-signature');
    await dialog.getByLabel('Prefix').fill('v1=');
    await dialog.getByLabel('Starts').selectOption('nightly-report');
    await dialog.getByLabel('Events').fill('push');
    await button(dialog, 'New endpoint').click();
    await button(dialog, 'Go to the endpoint').click();
    await page.waitForURL(/\/webhooks\/whk_/);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const before = await api.get(`/v1/webhooks/${id}`);
    assert.deepEqual([before.scheme.header, before.scheme.prefix], ['x-press-signature', 'v1=']);
    await button(page, 'Edit').click();
    await select(page, dialog, 'push');
    await page.keyboard.type('release');
    await page.locator('[data-diff=changed]').waitFor();
    await button(dialog, 'Save').click();
    await page.getByText('The endpoint is changed.').waitFor();
    const after = await api.get(`/v1/webhooks/${id}`);
    assert.deepEqual(after.triggers[0].events, ['release']);
    assert.deepEqual(
      [after.scheme, after.dedupe, after.respondWith, after.version],
      [before.scheme, before.dedupe, before.respondWith, before.version + 1],
    );
    // Its page would read it again.
    await open(world, 'webhooks');
    await page.getByText('press').first().waitFor();
    await api.delete(`/v1/webhooks/${id}`);
  },
};
