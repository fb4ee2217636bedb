import { useState } from 'react';
import { readSession, setUp, type Session } from '../api/session';
import { Button, Failed } from '../components/basics';
import { Once } from '../components/once';
import { t } from '../messages/en';

const MARK = '#set-up=';

/** The code of the set-up link that led here. It is taken out of the address, so that it is not kept or copied. */
export function takeSetUpCode(): string | null {
  if (!location.hash.startsWith(MARK)) return null;
  const code = location.hash.slice(MARK.length);
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}

interface SetUpProps {
  code: string;
  onSession: (session: Session) => void;
  /** Leads to the usual ways in. */
  onLeave: () => void;
}

/** Exchanges the set-up link for a first key and a session. Asks first: an address that is only looked at changes nothing. */
export function SetUp({ code, onSession, onLeave }: SetUpProps) {
  const [key, setKey] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const attempt = async (what: () => Promise<void>) => {
    setBusy(true);
    setFault(null);
    try {
      await what();
    } catch (failure) {
      setFault(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-4 py-10">
      <div className="space-y-4 rounded-2xl border border-line bg-card p-6 shadow-sm">
        <img src="favicon.svg" alt="" width={36} height={36} />
        <h1 className="text-xl font-semibold tracking-tight">{t.session.setUpTitle}</h1>
        {key === null ? (
          <>
            <p className="text-soft">{t.session.setUpIntro}</p>
            {fault !== null && <Failed error={fault} />}
            <Button
              look="main"
              busy={busy}
              className="w-full justify-center"
              onClick={() => void attempt(async () => setKey(await setUp(code)))}
            >
              {t.session.setUp}
            </Button>
            <Button look="quiet" className="w-full justify-center" onClick={onLeave}>
              {t.session.setUpOther}
            </Button>
          </>
        ) : (
          <>
            <Once intro={t.session.setUpKey} text={key} />
            {fault !== null && <Failed error={fault} />}
            <Button
              look="main"
              busy={busy}
              className="w-full justify-center"
              onClick={() => void attempt(async () => onSession(await readSession()))}
            >
              {t.session.setUpNext}
            </Button>
          </>
        )}
      </div>
    </main>
  );
}
