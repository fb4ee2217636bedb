// Ways in beside a key: an identity provider.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { openBrowser } from './browser.mjs';
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
};
