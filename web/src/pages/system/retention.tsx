import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan, useMe } from '../../api/me';
import { Button, Card, Failed } from '../../components/basics';
import { Tag } from '../../components/status';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';

type Retention = Schemas['Retention'];
type Kind = keyof typeof t.retention.kinds;

const OF_JOBS: Kind[] = ['completed', 'failed', 'cancelled', 'payloads'];
const OF_TENANT: Kind[] = ['executions', 'executionPayloads', 'deliveries', 'deliveryBodies', 'archive'];
const OF_ALL: Kind[] = [...OF_TENANT, 'audit', 'alerts'];

/** Where a time stands: with a queue, or by itself. */
interface Place {
  queue?: (typeof QUEUES)[number];
  kind: Kind;
}

/** What is kept for how long, of all tenants or of one, and how to change a time; that is nothing where it may not be. */
function useRetention(tenant: string | undefined) {
  const me = useMe();
  const mayRead = useCan('retention.read');
  const maySet = useCan('retention.set') && me?.tenant == null;
  const path = { tenant: tenant ?? '' };
  const isOfAll = tenant === undefined;
  const all = useGet('/v1/retention', {}, { enabled: mayRead && isOfAll });
  const own = useGet('/v1/tenants/{tenant}/retention', { path }, { enabled: mayRead && !isOfAll });
  const putAll = useAct('put', '/v1/retention', { done: t.retention.saved });
  const putOwn = useAct('put', '/v1/tenants/{tenant}/retention', { done: t.retention.saved });
  const save = ({ queue, kind }: Place, time: string | null) => {
    const body = queue ? { [queue]: { [kind]: time } } : { [kind]: time };
    if (isOfAll) putAll.mutate({ body });
    else putOwn.mutate({ path, body });
  };
  const { data, error } = isOfAll ? all : own;
  return { data, error, mayRead, save: maySet ? save : null };
}

/** How long finished things are kept, of all tenants or of one. */
export function RetentionCard({ tenant }: { tenant?: string }) {
  const { data, error, mayRead, save } = useRetention(tenant);
  if (!mayRead) return null;
  const things = tenant === undefined ? OF_ALL : OF_TENANT;
  const cellOf = (place: Place) =>
    data && <TimeCell key={setAt(data, place) ?? ''} retention={data} place={place} onSave={save} />;
  return (
    <Card title={t.retention.title} flush>
      {error && !data && <Failed error={error} />}
      <p className="px-4 pt-3 text-[13px] text-soft">{t.retention.intro}</p>
      <div className="thin-scroll overflow-x-auto" tabIndex={0} role="region" aria-label={t.retention.title}>
        <table className="w-full text-left">
          <thead>
            <tr className="border-b border-line text-[13px] text-soft">
              <th scope="col" className="px-4 py-2 font-medium">
                {t.jobs.queue}
              </th>
              {OF_JOBS.map((kind) => (
                <th key={kind} scope="col" className="px-3 font-medium">
                  {t.retention.kinds[kind]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {QUEUES.map((queue) => (
              <tr key={queue} className="border-b border-line">
                <th scope="row" className="px-4 py-1.5 font-normal">
                  {t.queues[queue] ?? queue}
                </th>
                {OF_JOBS.map((kind) => (
                  <td key={kind} className="px-3 py-1">
                    {cellOf({ queue, kind })}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl className="grid gap-x-6 gap-y-2 p-4 sm:grid-cols-2">
        {things.map((kind) => (
          <div key={kind}>
            <dt className="text-[13px] text-soft">{t.retention.kinds[kind]}</dt>
            <dd>{cellOf({ kind })}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

type Times = Partial<Record<string, unknown>>;

function at(times: Times | undefined, { queue, kind }: Place): string | null {
  const holder = queue ? (times?.[queue] as Times | undefined) : times;
  return (holder?.[kind] as string | null | undefined) ?? null;
}

const setAt = (retention: Retention, place: Place) => at(retention as Times, place);

interface CellProps {
  retention: Retention;
  place: Place;
  onSave: ((place: Place, time: string | null) => void) | null;
}

/** A time, where it comes from, and what applies where that is rounded. */
function TimeCell({ retention, place, onSave }: CellProps) {
  const value = setAt(retention, place);
  const effective = at(retention.effective, place);
  const source = at(retention.source, place);
  const [draft, setDraft] = useState(value ?? '');
  const isChanged = draft !== (value ?? '');
  const label = `${t.retention.kinds[place.kind]}${place.queue ? ` ${t.queues[place.queue]}` : ''}`;
  const side = source && (
    <Tag tone={source === 'settings' ? 'rest' : 'busy'}>{t.retention.sources[source] ?? source}</Tag>
  );
  const rounded = effective && effective !== value && (
    <span className="block text-[13px] text-soft">{t.retention.effective(effective)}</span>
  );
  if (!onSave) {
    return (
      <span>
        {value ?? t.retention.asTheirs} {side} {rounded}
      </span>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(place, draft.trim() || null);
      }}
    >
      <span className="flex items-center gap-2">
        <input
          className="field nums w-20 py-0.5"
          aria-label={label}
          placeholder="–"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        {isChanged ? (
          <Button small look="main" type="submit">
            {t.common.save}
          </Button>
        ) : (
          side
        )}
      </span>
      {rounded}
    </form>
  );
}
