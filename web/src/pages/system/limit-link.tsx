import type { ReactNode } from 'react';
import { Go } from '../../components/go';
import { searchOf, type LimitPlace } from '../../lib/limits';

/** Where the limits of one tenant, workflow or job type are on the page of limits. */
export const OWN_LIMITS = 'own-limits';

/** A link to the limits of something, or to those of the queues. */
export function LimitLink({ place, children }: { place: LimitPlace; children: ReactNode }) {
  const search = searchOf(place);
  return (
    <Go to="/limits" search={search} {...(Object.keys(search).length > 0 ? { hash: OWN_LIMITS } : {})}>
      {children}
    </Go>
  );
}
