// A real identity provider on loopback, with its own pages for signing in and consenting.
import { createServer } from 'node:http';

/** Who signs in as `ann` belongs to the group `platform`; everybody else is a stranger. */
const groupsOf = (login) => (login === 'ann' ? ['platform'] : ['strangers']);

/** Starts a provider that knows the console as a public client. Answers its address and how to end it. */
export async function startProvider(redirectUri) {
  // Loaded when it is needed: it warns of every Node that is not the newest.
  const { Provider } = await import('oidc-provider');
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'none',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.org`,
        email_verified: true,
        groups: groupsOf(id),
      }),
    }),
    features: { devInteractions: { enabled: true } },
  });
  server.on('request', provider.callback());
  const stop = () =>
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  return { issuer, stop };
}

/** Signs in at the provider's own pages. */
export async function signInAtProvider(page, login) {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any password');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}
