import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, whenSignedOut } from './api/client';
import { readSession, SessionContext, type Session } from './api/session';
import { applyTheme, preferences } from './app/preferences';
import { loadAllPages, router } from './app/router';
import { SetUp, takeSetUpCode } from './app/set-up';
import { SignIn } from './app/sign-in';
import { boot } from './boot';
import './styles.css';

applyTheme();
const setUpCode = takeSetUpCode();

const RELOADED = 'trunkline.reloaded';

// After an update the files of the old version are gone: the page loads itself once more to get the new ones.
window.addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(RELOADED)) return;
  event.preventDefault();
  sessionStorage.setItem(RELOADED, '1');
  location.reload();
});
window.setTimeout(() => sessionStorage.removeItem(RELOADED), 10_000);

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchOnWindowFocus: () => !preferences().paused,
      refetchOnReconnect: () => !preferences().paused,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

/** The first page comes first. */
const OTHER_PAGES_AFTER_MS = 2_500;

function App() {
  const [session, setSession] = useState<Session | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [code, setCode] = useState(setUpCode);
  useEffect(() => {
    readSession().then(setSession, setError);
    whenSignedOut((failure) => {
      setSession(null);
      setError(failure);
    });
  }, []);
  const isIn = session !== null;
  useEffect(() => {
    if (!isIn) return;
    const timer = setTimeout(() => void loadAllPages(), OTHER_PAGES_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isIn]);
  if (code !== null) {
    const enter = (entered: Session) => {
      setSession(entered);
      setCode(null);
    };
    return <SetUp code={code} onSession={enter} onLeave={() => setCode(null)} />;
  }
  if (session) {
    return (
      <SessionContext value={session}>
        <RouterProvider router={router} />
      </SessionContext>
    );
  }
  return error === null ? null : <SignIn onSession={setSession} error={error} />;
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <CSPProvider nonce={boot.nonce}>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
