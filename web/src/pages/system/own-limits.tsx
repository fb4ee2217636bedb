import { useGet } from '../../api/hooks';
import { useSetLimits } from '../../api/limits';
import { useOwner } from '../../api/workflows';
import { Failed, Loading } from '../../components/basics';
import { t } from '../../messages/en';
import { LimitTable, type Change, type Limits } from './limit-table';
import { RateTable } from './rate-table';

interface OwnLimitsProps {
  read: { data: unknown; error: unknown };
  /** Whose starts are shown beside the rates; null where nobody counts them. */
  of: Parameters<typeof RateTable>[0]['of'];
  needs?: string;
  onSave: (queue: string, changes: Change) => void;
}

/** What one tenant, workflow or job type may have. */
function OwnLimits({ read: { data, error }, of, ...shared }: OwnLimitsProps) {
  if (error && !data) return <Failed error={error} />;
  if (!data) return <Loading />;
  return (
    <>
      <LimitTable limits={data as Limits} fields={['maxConcurrent']} {...shared} />
      <RateTable limits={data as Limits} fields={['rate']} of={of} {...shared} />
    </>
  );
}

/** The limits of one tenant. */
export function OfTenant({ tenant }: { tenant: string }) {
  const path = { tenant };
  const read = useGet('/v1/tenants/{tenant}/limits', { path });
  const { set } = useSetLimits(t.limits.saved);
  return <OwnLimits read={read} of={path} onSave={(queue, changes) => set(path, queue, changes)} />;
}

/** The limits of a workflow: of the one that a tenant sees by this name, or else of the one that all tenants share. */
export function OfWorkflow({ name, tenant }: { name: string; tenant: string | undefined }) {
  const found = useOwner(tenant ? name : null, tenant ?? '');
  const owner = tenant ? found : {};
  const path = { name };
  const query = owner ?? {};
  const read = useGet('/v1/workflows/{name}/limits', { path, query }, { enabled: owner !== undefined });
  const { set } = useSetLimits(t.limits.saved);
  return (
    <>
      {query.tenant && <p className="px-4 pt-3 text-soft">{t.limits.ownedBy(query.tenant)}</p>}
      <OwnLimits
        read={read}
        of={{ workflow: name, ...query }}
        needs="workflows.limit"
        onSave={(queue, changes) => set({ workflow: name, ...query }, queue, changes)}
      />
    </>
  );
}

/** The limits of a job type: over all tenants, or of one of them. Nobody counts the starts of one type. */
export function OfJobType({ jobType, tenant }: { jobType: string; tenant: string | undefined }) {
  const path = { jobType };
  const query = tenant ? { tenant } : {};
  const read = useGet('/v1/job-types/{jobType}/limits', { path, query });
  const { set } = useSetLimits(t.limits.saved);
  return (
    <OwnLimits
      read={read}
      of={null}
      onSave={(queue, changes) => set({ jobType, ...query }, queue, changes)}
    />
  );
}
