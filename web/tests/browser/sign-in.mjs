// Ways in beside a key: an identity provider, and the link of the first start.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openBrowser, signIn } from './browser.mjs';
import { button } from './page.mjs';
import { signInAtProvider, startProvider } from './provider.mjs';
import { startServer } from './server.mjs';

/** A port that is free at the moment: an address that others know in advance needs one. */
async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export const signInTests = {
  async 'a console that is read-only offers and allows no change, whoever signs in'(world) {
    const server = await startServer(world.binary, { TRUNKLINE_CONSOLE__READ_ONLY: 'true' });
    const browser = await openBrowser(server.address);
    const { page } = browser;
    try {
      await signIn(page, server.address, server.key);
      await page.getByText('read-only', { exact: true }).waitFor();
      await page.locator('main section').first().waitFor();
      assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
      await page.getByRole('link', { name: 'Audit', exact: true }).click();
      await page.waitForURL(/\/audit$/);
      const answered = await page.evaluate(async () => {
        const { csrfToken } = await (await fetch('/v1/session')).json();
        const headers = { 'x-csrf-token': csrfToken };
        const answer = await fetch('/v1/queues/workflow-node/pause', { method: 'POST', headers });
        return [answer.status, (await answer.json()).detail];
      });
      assert.deepEqual(answered, [403, 'The console of this server is read-only.']);
    } finally {
      await browser.close();
      await server.stop();
    }
  },

  async 'sign in with an identity provider, and a stranger has no role'(world) {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const provider = await startProvider(`${address}/auth/oidc/callback`);
    const settings = {
      TRUNKLINE_HTTP__PUBLIC_URL: address,
      TRUNKLINE_OIDC__ISSUER: provider.issuer,
      TRUNKLINE_OIDC__CLIENT_ID: 'console',
      TRUNKLINE_OIDC__SCOPES: 'openid,email,groups',
      TRUNKLINE_OIDC__ROLES: 'platform=operator@*',
      TRUNKLINE_OIDC__LABEL: 'Sign in with Example',
    };
    const server = await startServer(world.binary, settings, port);
    const ann = await openBrowser(address);
    const bob = await openBrowser(address);
    // The provider's own pages load fonts from elsewhere.
    const own = ({ faults }) => faults.filter((fault) => /^uncaught/.test(fault) || fault.includes(address));
    try {
      await ann.page.goto(`${address}/console/jobs?status=QUEUED`);
      await ann.page.getByRole('link', { name: 'Sign in with Example' }).click();
      await signInAtProvider(ann.page, 'ann');
      await ann.page.waitForURL(`${address}/console/jobs?status=QUEUED`);
      await ann.page.getByRole('heading', { name: 'Jobs' }).waitFor();
      const [cookie] = (await ann.context.cookies()).filter(({ name }) => name === 'trunkline_session');
      assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
      await ann.page.goto(`${address}/console/settings`);
      await ann.page.getByText('the identity provider', { exact: true }).waitFor();
      await ann.page.getByText('ann@example.org').waitFor();
      const me = await (await ann.context.request.get(`${address}/v1/me`)).json();
      assert.deepEqual([me.role, me.actor, me.groups], ['operator', 'oidc:ann', ['platform']]);
      // Tasks of the groups that the identity provider names.
      await ann.page.goto(`${address}/console/user-tasks`);
      await ann.page.getByRole('tab', { name: 'Of my groups' }).click();
      await ann.page.waitForURL(/group=platform/);
      await ann.page.getByText('No job matches all of these filters.').waitFor();
      await bob.page.goto(`${address}/console/`);
      await bob.page.getByRole('link', { name: 'Sign in with Example' }).click();
      await signInAtProvider(bob.page, 'bob');
      await bob.page.getByRole('alert').getByText('Your account has no role here.').waitFor();
      assert.equal((await bob.context.request.get(`${address}/v1/jobs`)).status(), 401);
      assert.deepEqual([...own(ann), ...own(bob)], []);
    } finally {
      await ann.close();
      await bob.close();
      await server.stop();
      await provider.stop();
    }
  },

  async 'the link of the first start signs in once, and shows a first key'(world) {
    const server = await startServer(world.binary, { TRUNKLINE_BOOTSTRAP_KEY: '' });
    const browser = await openBrowser(server.address);
    try {
      const file = join(server.folder, 'set-up.link');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const link = readFileSync(file, 'utf8').trim();
      assert.ok(!server.said().includes(link), 'a link in a log would be read by others');
      const { page } = browser;
      await page.goto(link);
      await page.waitForFunction(() => location.hash === '');
      await button(page, 'Set up this server').click();
      const key = (await page.getByText(/^tl_/).textContent()).trim();
      await button(page, 'Go to the console').click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const keys = await fetch(`${server.address}/v1/api-keys`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { items } = await keys.json();
      assert.ok(items.some(({ name, role }) => name === 'set-up' && role === 'admin'));
      await page.context().clearCookies();
      await page.goto('about:blank');
      await page.goto(link);
      await button(page, 'Set up this server').click();
      await page.getByRole('alert').getByText('The link was used').waitFor();
      assert.deepEqual(browser.faults, []);
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};
