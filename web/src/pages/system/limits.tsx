import { useState } from 'react';
import { useAct, useAll, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { useFilters } from '../../app/filters';
import { Card, Failed, Loading, PageHead } from '../../components/basics';
import { t } from '../../messages/en';
import { AuditList } from './audit-entry';
import { KeyRates } from './key-rates';
import { LimitTable, type Limits } from './limit-table';
import { RateTable } from './rate-table';
import { WhatIfCard } from './what-if';

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
        {data && (
          <Card title={t.limits.rates} flush>
            <RateTable
              limits={data as Limits}
              fields={['rate', 'tenantRate', 'workflowRate', 'jobTypeRate']}
              of={{}}
              onSave={(queue, changes) => save.mutate({ body: { [queue]: changes } as never })}
            />
          </Card>
        )}
        <KeyRates />
        {data && <WhatIfCard limits={maxima(data as Limits)} />}
        <div className="grid items-start gap-4 lg:grid-cols-2">
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
          <Card
            title={t.limits.ofJobType}
            side={<PickType value={filters['jobType']} onPick={(jobType) => change({ jobType })} />}
            flush
          >
            {filters['jobType'] ? (
              <OfJobType jobType={filters['jobType']} />
            ) : (
              <p className="p-4 text-soft">{t.limits.pickJobType}</p>
            )}
          </Card>
        </div>
        <AuditList of={{ action: 'limits.set' }} title={t.limits.history} withSubject />
      </div>
    </>
  );
}

function maxima(limits: Limits): Record<string, number | null> {
  return Object.fromEntries(Object.entries(limits).map(([queue, limit]) => [queue, limit.maxConcurrent]));
}

/** A job type as it is typed, with those that were seen lately. */
function PickType({ value, onPick }: { value: string | undefined; onPick: (value?: string) => void }) {
  const [text, setText] = useState(value ?? '');
  const { data } = useGet('/v1/search/suggest', { query: { list: 'jobs', q: `jobType:${text}`, limit: 20 } });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onPick(text.trim() || undefined);
      }}
    >
      <input
        className="field w-44 py-0.5"
        aria-label={t.jobs.type}
        list="job-types"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => onPick(text.trim() || undefined)}
      />
      <datalist id="job-types">
        {data?.items.map((item) => (
          <option key={item.text} value={item.text} />
        ))}
      </datalist>
    </form>
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
  const put = (queue: string, changes: object) =>
    save.mutate({ path: { tenant }, body: { [queue]: changes } as never });
  return (
    <>
      <LimitTable limits={data as Limits} fields={['maxConcurrent']} onSave={put} />
      <RateTable limits={data as Limits} fields={['rate']} of={{ tenant }} onSave={put} />
    </>
  );
}

function OfWorkflow({ name }: { name: string }) {
  const { data } = useGet('/v1/workflows/{name}/limits', { path: { name } });
  const save = useAct('put', '/v1/workflows/{name}/limits', { done: t.limits.saved });
  if (!data) return <Loading />;
  const put = (queue: string, changes: object) =>
    save.mutate({ path: { name }, body: { [queue]: changes } as never });
  const shared = { limits: data as Limits, needs: 'workflows.limit', onSave: put };
  return (
    <>
      <LimitTable fields={['maxConcurrent']} {...shared} />
      <RateTable fields={['rate']} of={{ workflow: name }} {...shared} />
    </>
  );
}

/** The limits of a job type, over all tenants. Nobody counts the starts of one type. */
function OfJobType({ jobType }: { jobType: string }) {
  const { data, error } = useGet('/v1/job-types/{jobType}/limits', { path: { jobType } });
  const save = useAct('put', '/v1/job-types/{jobType}/limits', { done: t.limits.saved });
  if (error && !data) return <Failed error={error} />;
  if (!data) return <Loading />;
  const put = (queue: string, changes: object) =>
    save.mutate({ path: { jobType }, body: { [queue]: changes } as never });
  return (
    <>
      <LimitTable limits={data as Limits} fields={['maxConcurrent']} onSave={put} />
      <RateTable limits={data as Limits} fields={['rate']} of={null} onSave={put} />
    </>
  );
}
