import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { isRecord } from '../lib/json';
import { call, exchange, setCsrfToken, type Schemas } from './client';

export type Session = Schemas['Session'];

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session here.');
  return session;
}

/** Who the server says that we are. */
export async function readSession(): Promise<Session> {
  return keep(await call('get', '/v1/session'));
}

/** Exchanges an API key for a session. The key is not kept. */
export async function signIn(key: string): Promise<Session> {
  return keep(await call('post', '/v1/session', { headers: { authorization: `Bearer ${key.trim()}` } }));
}

/** Exchanges the code of a set-up link for a session. Answers the admin key that the session stands for, shown once. */
export async function setUp(code: string): Promise<string> {
  const answer = await exchange('/auth/set-up', code);
  return isRecord(answer) ? String(answer['key']) : '';
}

export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await call('delete', '/v1/session');
    setCsrfToken(null);
    queries.clear();
    location.reload();
  };
}

function keep(session: Session): Session {
  setCsrfToken(session.csrfToken ?? null);
  return session;
}
