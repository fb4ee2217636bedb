import { useQuery } from '@tanstack/react-query';
import { call, type Schemas } from './client';

export type Me = Schemas['Me'];

/** Rights change rarely, and the server checks each call in any case. */
const FRESH_MS = 60_000;

/** Who calls, what they may do, and which server this is. */
export function useMe(): Me | undefined {
  return useQuery({
    queryKey: ['/v1/me'],
    queryFn: ({ signal }) => call('get', '/v1/me', { signal }),
    staleTime: FRESH_MS,
    meta: { frozen: true },
  }).data;
}

/** Whether the caller may do something, such as `jobs.cancel`. Only decides what is shown: the server decides. */
export function useCan(action: string): boolean {
  return useMe()?.can.includes(action) ?? false;
}

/** Whether the caller's key leaves payloads out of all answers. */
export function useHidesPayloads(): boolean {
  return useMe()?.payloads === false;
}
