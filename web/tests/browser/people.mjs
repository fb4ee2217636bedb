// Tenants, keys, user tasks, and the name of the environment.
import assert from 'node:assert/strict';
import { openBrowser, signIn } from './browser.mjs';
import { button, open, rows } from './page.mjs';
import { until, work } from './seed.mjs';

export const peopleTests = {
  async 'a tenant shows its usage, gets a quota and a secret, and narrows all lists'(world) {
    const { page, api } = world;
    await open(world, 'tenants');
    await page.getByRole('link', { name: 'acme' }).first().click();
    await page.waitForURL(/\/tenants\/acme$/);
    await page.locator('[data-resource=openJobs]').waitFor();
    await button(page, 'Change quotas').click();
    await page.getByLabel('Open jobs', { exact: true }).fill('500');
    await button(page, 'Save').click();
    await page.getByText('The quotas are changed.').waitFor();
    await page.locator('[data-resource=openJobs]').getByText('500').waitFor();
    assert.equal((await api.get('/v1/tenants/acme/quotas')).openJobs, 500);
    await button(page, 'Store a secret').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('stripe');
    await page.getByLabel('Value').fill('sk_test_value_of_the_secret');
    await page.getByLabel('Sent to').fill('api.stripe.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Store a secret' }).click();
    await page.getByText('The secret is stored.').waitFor();
    await page.locator('tr[data-row=stripe]').getByText('api.stripe.com').waitFor();
    assert.ok(!(await page.content()).includes('sk_test_value_of_the_secret'));
    await button(page, 'Show only this tenant').click();
    await page.getByText('Lists show acme only.').waitFor();
    await open(world, 'dead-letters?view=list&status=open,requeued');
    const { items } = await api.get('/v1/dead-letters?tenant=acme&status=open,requeued');
    await rows(page, items.length);
    await page.getByLabel('Tenant of all lists').selectOption('');
    const all = await api.get('/v1/dead-letters?status=open,requeued');
    await rows(page, all.items.length);
    assert.ok(all.items.length > items.length);
  },

  async 'a user task is claimed and released'(world) {
    const { page, api } = world;
    const started = await api.post('/v1/executions', { workflow: 'order', input: { orderId: 'C-1' } });
    await work(api, 'check-stock', () => ({ result: {} }));
    await until('the task', async () => {
      const { items } = await api.get(`/v1/user-tasks?execution=${started.id}`);
      return items.length === 1;
    });
    await open(world, `user-tasks?execution=${started.id}`);
    await button(page, 'Open').click();
    await button(page, 'Claim').click();
    await page.getByText('You have claimed the task.').waitFor();
    const task = await api.get(`/v1/user-tasks/${started.id}/approve`);
    await page.getByRole('dialog').getByText(task.claimedBy).waitFor();
    await button(page, 'Release').click();
    await page.getByText('Nobody has claimed it.').waitFor();
    assert.equal((await api.get(`/v1/user-tasks/${started.id}/approve`)).claimedBy ?? null, null);
    await api.post(`/v1/executions/${started.id}/cancel`, {});
  },

  async 'a key is made with scopes, used, rotated, and its last use is shown'(world) {
    const { page, address } = world;
    await open(world, 'settings');
    await button(page, 'New key').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('mailer');
    await dialog.getByRole('combobox', { name: 'Role', exact: true }).selectOption('client');
    await dialog.getByLabel('Allowed actions').fill('jobs.enqueue');
    await dialog.getByLabel('Only job types').fill('mail-*');
    await dialog.getByRole('button', { name: 'New key' }).click();
    const key = await dialog.getByText(/^tl_/).textContent();
    await page.keyboard.press('Escape');
    const row = page.locator('tr[data-row]', { hasText: 'mailer' });
    await row.getByText('never').waitFor();
    await row.getByText('jobs.enqueue · jobTypes mail-*').waitFor();
    const used = await fetch(`${address}/v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jobType: 'mail-one', data: {} }),
    });
    assert.equal(used.status, 202);
    // Uses are written down about once a minute: the key of these tests has been used for longer than the new one.
    const own = page.locator('tr[data-row]', { hasText: 'bootstrap' });
    await until(
      'the last use',
      async () => {
        await page.reload();
        await own.waitFor();
        return (await own.getByText('never').count()) === 0;
      },
      100_000,
    );
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByText(/^tl_/).waitFor();
  },

  async 'a rotated secret counts down until the old one ends'(world) {
    const { page, made } = world;
    await open(world, `webhooks/${made.webhook}`);
    await button(page, 'Rotate the secret').click();
    await page.getByLabel('Overlap').fill('2h');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByText('The new secret. It is shown only once.').waitFor();
    await page.keyboard.press('Escape');
    const countdown = page.locator('[data-countdown]');
    await countdown.getByText(/valid for 01:59:\d\d/).waitFor();
    const before = await countdown.textContent();
    await page.waitForFunction(
      (text) => document.querySelector('[data-countdown]').textContent !== text,
      before,
    );
  },

  async 'the environment has its name and its color on the page, in the title and on the tab'(world) {
    const { page, api, made } = world;
    const { server } = await api.get('/v1/me');
    await open(world, '');
    await page.getByText(`Version ${server.version} on SQLite`).waitFor();
    await page.getByText('staging').first().waitFor();
    await page.waitForFunction(() => document.title === 'Overview · staging · Trunkline');
    const color = await page.evaluate(
      () => getComputedStyle(document.querySelector('[data-environment]')).backgroundColor,
    );
    assert.equal(color, 'rgb(180, 83, 9)');
    assert.match(await page.locator('link[rel=icon]').getAttribute('href'), /^data:image\/svg\+xml.*b45309/);
    await open(world, `jobs/${made.waitingJob}`);
    await page.waitForFunction(() => document.title === 'index-page · Jobs · staging · Trunkline');
  },

  async 'a key with scopes is shown only the buttons of what it may do'(world) {
    const { address, api, made } = world;
    const scopes = [{ actions: ['*.read', 'jobs.cancel'] }];
    const { key } = await api.post('/v1/api-keys', { name: 'canceller', role: 'operator', scopes });
    const browser = await openBrowser(address);
    try {
      const { page } = browser;
      await signIn(page, address, key);
      await page.locator('[data-counting]').waitFor({ state: 'detached' });
      assert.equal(await button(page, 'Pause').count(), 0);
      await page.goto(`${address}/console/jobs`);
      await page.locator('tr[data-row]').first().waitFor();
      await button(page, 'All…').click();
      assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Cancel']);
      await page.goto(`${address}/console/jobs/${made.waitingJob}`);
      await button(page, 'Cancel').waitFor();
      assert.equal(await page.getByLabel('Priority').count(), 0);
      assert.deepEqual(browser.faults, []);
    } finally {
      await browser.close();
    }
  },

  async 'a key that sees no payloads is shown none, and the console says so'(world) {
    const { address, made, api } = world;
    const browser = await openBrowser(address);
    try {
      await signIn(browser.page, address, made.viewerKey);
      await browser.page.goto(`${address}/console/jobs/${made.waitingJob}`);
      await browser.page.getByText('Your key does not show payloads.').first().waitFor();
      assert.ok(!(await browser.page.content()).includes('9007199254740993123'));
      const { deliveryId } = await api.post('/v1/events', { name: 'hidden.came', data: { word: 'sesame' } });
      await browser.page.goto(`${address}/console/deliveries/${deliveryId}`);
      await browser.page.getByText('Your key does not show payloads.').first().waitFor();
      assert.ok(!(await browser.page.content()).includes('sesame'));
      const refused = await browser.context.request.get(`${address}/v1/deliveries/${deliveryId}/body`);
      assert.equal(refused.status(), 403);
      assert.deepEqual(browser.faults, []);
    } finally {
      await browser.close();
    }
  },
};
