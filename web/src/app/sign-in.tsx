import { useState } from 'react';
import { ApiError } from '../api/client';
import { signIn, type Session } from '../api/session';
import { Button, Failed } from '../components/basics';
import { Form, TextField } from '../components/form';
import { boot } from '../boot';
import { t } from '../messages/en';

/** Why a sign-in at the identity provider did not work, as the server said in the address. */
function providerFault(): string | null {
  const word = new URLSearchParams(location.search).get('signIn');
  if (word === null) return null;
  const faults: Record<string, string> = t.session.faults;
  return faults[word] ?? t.session.faults.refused;
}

/** Where the identity provider is asked, and which page comes after it. */
function providerAddress(): string {
  const query = new URLSearchParams(location.search);
  query.delete('signIn');
  const page = location.pathname.slice(`${boot.basePath}/console/`.length);
  const rest = query.toString();
  const to = rest ? `${page}?${rest}` : page;
  return `${boot.basePath}/auth/oidc/login${to ? `?to=${encodeURIComponent(to)}` : ''}`;
}

/** Leads to the identity provider, where there is one. */
function Provider({ label }: { label: string }) {
  const [fault] = useState(providerFault);
  return (
    <div className="mb-5 space-y-3 border-b border-line pb-5">
      {fault !== null && (
        <p role="alert" className="rounded-lg border border-line bg-raised px-3 py-2">
          {fault}
        </p>
      )}
      <a
        href={providerAddress()}
        className="flex w-full items-center justify-center rounded-lg bg-accent px-3 py-1.5 font-medium text-white hover:opacity-90"
      >
        {label}
      </a>
    </div>
  );
}

/** Exchanges an API key for a session, or leads to the identity provider. */
export function SignIn({ onSession, error }: { onSession: (session: Session) => void; error: unknown }) {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const isExpected = error instanceof ApiError && error.status === 401;
  const [fault, setFault] = useState<unknown>(isExpected ? null : error);
  const submit = async () => {
    setBusy(true);
    setFault(null);
    try {
      onSession(await signIn(key));
    } catch (failure) {
      setFault(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-4 py-10">
      <div className="rounded-2xl border border-line bg-card p-6 shadow-sm">
        <img src="favicon.svg" alt="" width={36} height={36} className="mb-3" />
        <h1 className="text-xl font-semibold tracking-tight">{t.session.title}</h1>
        <p className="mt-1 mb-4 text-soft">{t.session.intro}</p>
        {boot.signInLabel !== null && <Provider label={boot.signInLabel} />}
        <Form className="space-y-4" onSubmit={() => void submit()}>
          <TextField
            label={t.session.key}
            hint={t.session.hint}
            mono
            type="password"
            name="api-key"
            autoComplete="current-password"
            placeholder="tl_…"
            autoFocus
            required
            value={key}
            onChange={setKey}
          />
          {fault !== null && <Failed error={fault} />}
          <Button look="main" type="submit" busy={busy} className="w-full justify-center">
            {t.session.signIn}
          </Button>
        </Form>
      </div>
    </main>
  );
}
