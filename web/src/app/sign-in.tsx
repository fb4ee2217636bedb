import { useState } from 'react';
import { ApiError } from '../api/client';
import { signIn, type Session } from '../api/session';
import { Button, Failed, Field } from '../components/basics';
import { t } from '../messages/en';

/** Exchanges an API key for a session. */
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
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Field label={t.session.key} hint={t.session.hint}>
            <input
              className="field font-mono"
              type="password"
              name="api-key"
              autoComplete="current-password"
              placeholder="tl_…"
              autoFocus
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          </Field>
          {fault !== null && <Failed error={fault} />}
          <Button look="main" type="submit" busy={busy} className="w-full justify-center">
            {t.session.signIn}
          </Button>
        </form>
      </div>
    </main>
  );
}
