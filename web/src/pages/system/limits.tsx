import { useState } from 'react';
import { useAct, useAll, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { useFilters } from '../../app/filters';
import { Card, Failed, Loading, PageHead } from '../../components/basics';
import { t } from '../../messages/en';
import { AuditList } from './audit-entry';
import { KeyRates } from './key-rates';
import { OWN_LIMITS } from './limit-link';
import { LimitTable, type Limits } from './limit-table';
import { Overrides } from './overrides';
import { OfJobType, OfTenant, OfWorkflow } from './own-limits';
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
  const names = tenants.items?.map(({ name }) => name) ?? [];
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
        {data && <Overrides limits={data as Limits} />}
        <KeyRates />
        {data && <WhatIfCard limits={maxima(data as Limits)} />}
        <div id={OWN_LIMITS} className="grid scroll-mt-16 items-start gap-4 lg:grid-cols-2">
          {mayListTenants && (
            <Card
              title={t.limits.ofTenant}
              side={
                <Pick
                  label={t.jobs.tenant}
                  value={filters['tenant']}
                  values={names}
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
                onPick={(workflow) => change({ workflow, workflowTenant: undefined })}
              />
            }
            flush
          >
            {filters['workflow'] ? (
              <OfWorkflow name={filters['workflow']} tenant={filters['workflowTenant']} />
            ) : (
              <p className="p-4 text-soft">{t.limits.pickWorkflow}</p>
            )}
          </Card>
          <Card
            title={t.limits.ofJobType}
            side={
              <span className="flex flex-wrap gap-2">
                <PickType
                  key={filters['jobType'] ?? ''}
                  value={filters['jobType']}
                  onPick={(jobType) => change({ jobType })}
                />
                {mayListTenants && (
                  <Pick
                    label={t.limits.jobsOf}
                    none={t.tenants.all}
                    value={filters['jobTypeTenant']}
                    values={names}
                    onPick={(jobTypeTenant) => change({ jobTypeTenant })}
                  />
                )}
              </span>
            }
            flush
          >
            {filters['jobType'] ? (
              <OfJobType jobType={filters['jobType']} tenant={filters['jobTypeTenant']} />
            ) : (
              <p className="p-4 text-soft">{t.limits.pickJobType}</p>
            )}
          </Card>
        </div>
        <AuditList
          of={{ action: 'limits.set,rates.set,rates.delete' }}
          title={t.limits.history}
          withSubject
        />
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
  none = '–',
  value,
  values,
  onPick,
}: {
  label: string;
  /** What is chosen where nothing is. */
  none?: string;
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
      <option value="">{none}</option>
      {(value && !values.includes(value) ? [value, ...values] : values).map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}
