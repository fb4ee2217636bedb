import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useAll, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { useMay } from '../../api/session';
import { useFilters } from '../../app/filters';
import { Button, Card, Failed, Loading, PageHead } from '../../components/basics';
import { Go } from '../../components/go';
import { Tag } from '../../components/status';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';

type Limits = Record<string, Schemas['QueueLimits']>;
type Change = Schemas['LimitChanges'];
type FieldName = 'maxConcurrent' | 'tenantMaxConcurrent' | 'workflowMaxConcurrent';

/** How many jobs are processed at once: over all, and what one tenant or one workflow may have of it. */
export function Page() {
  const [filters, change] = useFilters();
  const { data, error } = useGet('/v1/limits', {}, { every: 10_000 });
  const queues = useGet('/v1/queues', {}, { every: 5_000 });
  const mayListTenants = useCan('tenants.read');
  const workflows = useAll('/v1/workflows');
  const tenants = useAll('/v1/tenants', {}, { enabled: mayListTenants });
  const save = useAct('put', '/v1/limits', { done: t.limits.saved });
  const inUse = Object.fromEntries(queues.data?.items.map((queue) => [queue.queue, queue.processing]) ?? []);
  return (
    <>
      <PageHead title={t.limits.title} intro={t.limits.intro} />
      {error && !data && <Failed error={error} />}
      {!data && !error && <Loading />}
      <div className="space-y-4">
        {data && (
          <Card title={t.limits.global} flush>
            <LimitTable
              limits={data as Limits}
              fields={['maxConcurrent', 'tenantMaxConcurrent', 'workflowMaxConcurrent']}
              inUse={inUse}
              onSave={(queue, changes) => save.mutate({ body: { [queue]: changes } as never })}
            />
          </Card>
        )}
        <div className="grid gap-4 lg:grid-cols-2">
          {mayListTenants && (
            <Card
              title={t.limits.ofTenant}
              side={
                <Pick
                  label={t.jobs.tenant}
                  value={filters['tenant']}
                  values={tenants.items?.map(({ name }) => name) ?? []}
                  onPick={(tenant) => change({ tenant })}
                />
              }
              flush
            >
              {filters['tenant'] ? (
                <OfTenant tenant={filters['tenant']} />
              ) : (
                <p className="p-4 text-soft">{t.limits.pickTenant}</p>
              )}
            </Card>
          )}
          <Card
            title={t.limits.ofWorkflow}
            side={
              <Pick
                label={t.jobs.workflow}
                value={filters['workflow']}
                values={workflows.items?.map(({ name }) => name) ?? []}
                onPick={(workflow) => change({ workflow })}
              />
            }
            flush
          >
            {filters['workflow'] ? (
              <OfWorkflow name={filters['workflow']} />
            ) : (
              <p className="p-4 text-soft">{t.limits.pickWorkflow}</p>
            )}
          </Card>
        </div>
        <p>
          <Go to="/audit" search={{ action: 'limits.set' }}>
            {t.limits.history}
          </Go>
        </p>
      </div>
    </>
  );
}

function Pick({
  label,
  value,
  values,
  onPick,
}: {
  label: string;
  value: string | undefined;
  values: string[];
  onPick: (value: string | undefined) => void;
}) {
  return (
    <select
      className="field w-auto py-0.5"
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onPick(event.target.value || undefined)}
    >
      <option value="">–</option>
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

/** The limits of one tenant. */
export function OfTenant({ tenant }: { tenant: string }) {
  const { data } = useGet('/v1/tenants/{tenant}/limits', { path: { tenant } });
  const save = useAct('put', '/v1/tenants/{tenant}/limits', { done: t.limits.saved });
  if (!data) return <Loading />;
  return (
    <LimitTable
      limits={data as Limits}
      fields={['maxConcurrent']}
      onSave={(queue, changes) => save.mutate({ path: { tenant }, body: { [queue]: changes } as never })}
    />
  );
}

function OfWorkflow({ name }: { name: string }) {
  const { data } = useGet('/v1/workflows/{name}/limits', { path: { name } });
  const save = useAct('put', '/v1/workflows/{name}/limits', { done: t.limits.saved });
  if (!data) return <Loading />;
  return (
    <LimitTable
      limits={data as Limits}
      fields={['maxConcurrent']}
      onSave={(queue, changes) => save.mutate({ path: { name }, body: { [queue]: changes } as never })}
    />
  );
}

interface LimitTableProps {
  limits: Limits;
  fields: FieldName[];
  inUse?: Record<string, number>;
  onSave: (queue: string, changes: Change) => void;
}

const SOURCES: Record<FieldName, 'source' | 'tenantSource' | 'workflowSource'> = {
  maxConcurrent: 'source',
  tenantMaxConcurrent: 'tenantSource',
  workflowMaxConcurrent: 'workflowSource',
};

function LimitTable({ limits, fields, inUse, onSave }: LimitTableProps) {
  const mayOperate = useMay('operate');
  const queues = QUEUES.filter((queue) => limits[queue]);
  return (
    <div className="thin-scroll overflow-x-auto" tabIndex={0} role="region" aria-label={t.limits.title}>
      <table className="w-full text-left">
        <thead>
          <tr className="border-b border-line text-[13px] text-soft">
            <th scope="col" className="px-4 py-2 font-medium">
              {t.jobs.queue}
            </th>
            {inUse && (
              <th scope="col" className="px-3 text-right font-medium">
                {t.limits.inUse}
              </th>
            )}
            {fields.map((field) => (
              <th key={field} scope="col" className="px-3 font-medium">
                {t.limits.fields[field]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <tr key={queue} className="border-b border-line last:border-0">
              <th scope="row" className="px-4 py-1.5 font-normal">
                {t.queues[queue] ?? queue}
              </th>
              {inUse && <td className="nums px-3 text-right">{inUse[queue] ?? 0}</td>}
              {fields.map((field) => (
                <td key={field} className="px-3 py-1">
                  <LimitCell
                    key={String(limits[queue]?.[field])}
                    label={`${t.limits.fields[field]} ${t.queues[queue]}`}
                    value={limits[queue]?.[field] ?? null}
                    source={limits[queue]?.[SOURCES[field]] ?? ''}
                    onSave={mayOperate ? (value) => onSave(queue, { [field]: value }) : null}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LimitCell({
  label,
  value,
  source,
  onSave,
}: {
  label: string;
  value: number | null;
  source: string;
  onSave: ((value: number | null) => void) | null;
}) {
  const [draft, setDraft] = useState(value === null ? '' : String(value));
  const changed = draft !== (value === null ? '' : String(value));
  const tag = <Tag tone={source === 'override' ? 'busy' : 'rest'}>{t.limits.sources[source] ?? source}</Tag>;
  if (!onSave) {
    return (
      <span className="flex items-center gap-2">
        <span className="nums">{value ?? t.common.unlimited}</span> {tag}
      </span>
    );
  }
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(draft === '' ? null : Number(draft));
      }}
    >
      <input
        className="field nums w-24 py-0.5"
        inputMode="numeric"
        pattern="[0-9]*"
        aria-label={label}
        placeholder={t.common.unlimited}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      {changed ? (
        <Button small look="main" type="submit">
          {t.common.save}
        </Button>
      ) : (
        <>
          {tag}
          {source === 'override' && (
            <Button small look="quiet" onClick={() => onSave(null)}>
              {t.limits.reset}
            </Button>
          )}
        </>
      )}
    </form>
  );
}
