import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Go } from '../../components/go';
import { Time, useNow } from '../../components/time';
import { findingsOf, type Finding } from '../../lib/dispatch';
import { t } from '../../messages/en';

type State = Schemas['Dispatch'];

/** Relays say how they are doing every few seconds; where there are none, the mode changes with a restart only. */
const everyMs = (state: State | undefined) => (state?.mode === 'polling' ? 60_000 : 5_000);

/** The state of dispatch where jobs are published to Kafka; nothing where workers poll, and for keys that may not see it. */
export function useDispatch(): State | undefined {
  const me = useMe();
  const mayRead = me !== undefined && !me.tenant && me.can.includes('servers.read');
  const { data } = useGet('/v1/dispatch', {}, { every: everyMs, enabled: mayRead });
  return data?.mode === 'kafka_outbox' ? data : undefined;
}

/** Why jobs do not get to workers, where they do not. */
export function DispatchFindings({ of }: { of: State }) {
  const findings = findingsOf(of, useNow());
  if (findings.length === 0) return null;
  return (
    <ul role="status" className="space-y-1 rounded-lg border border-line bg-warn-tint px-3 py-2 text-warn">
      {findings.map((finding, index) => (
        <li key={index} data-finding={finding.kind}>
          {textOf(finding)}
          {'since' in finding && (
            <>
              {' '}
              ({t.dispatch.since} <Time at={finding.since} />)
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The same above everything else, with the way to the figures. */
export function DispatchAttention() {
  const state = useDispatch();
  const now = useNow();
  if (!state || findingsOf(state, now).length === 0) return null;
  return (
    <section aria-label={t.dispatch.title} className="space-y-1">
      <DispatchFindings of={state} />
      <Go to="/workers">{t.why.dispatch}</Go>
    </section>
  );
}

function textOf(finding: Finding): string {
  switch (finding.kind) {
    case 'broker_away':
      return t.dispatch.why.broker_away(finding.node);
    case 'unowned':
    case 'more_held':
      return t.dispatch.why[finding.kind](finding.count);
    case 'held':
      return t.dispatch.why.held(finding.jobType, t.dispatch.reasons[finding.reason] ?? finding.reason);
    default:
      return t.dispatch.why[finding.kind]();
  }
}
