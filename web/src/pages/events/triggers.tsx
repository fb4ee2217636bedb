import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty, Mono } from '../../components/basics';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Go } from '../../components/go';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { rateText, type Rate } from '../../lib/rate';
import { t } from '../../messages/en';
import { requestOf, TriggerForm } from './trigger-form';

type Trigger = Schemas['EventTrigger'];

/** When it starts other than once for each event. */
function pacesOf({ debounce, throttle, batch }: Trigger): string[] {
  return [
    ...(debounce ? [t.events.debounced(debounce.period)] : []),
    ...(throttle ? [t.events.throttled(rateText(throttle.rate as Rate))] : []),
    ...(batch ? [t.events.batched(batch.maxSize, batch.timeout)] : []),
  ];
}

/** The triggers of events. */
export function Triggers() {
  const [filters] = useFilters();
  const mayWrite = useCan('triggers.write');
  const [edited, setEdited] = useState<Trigger | 'new' | null>(null);
  const list = useLiveList('/v1/triggers', {
    query: pick(filters, ['tenant']) as never,
    idOf: (trigger) => trigger.id,
  });
  const shown = list.fresh.show;
  const replace = useAct('put', '/v1/triggers/{id}', {
    done: (trigger) => (trigger.paused ? t.events.paused : t.events.resumed),
    onDone: shown,
  });
  const remove = useAct('delete', '/v1/triggers/{id}', { done: t.events.removed, onDone: shown });
  const columns: Column<Trigger>[] = [
    {
      id: 'name',
      head: t.events.trigger,
      cell: (trigger) => <strong className="font-medium">{trigger.name}</strong>,
    },
    {
      id: 'events',
      head: t.events.patterns,
      cell: (trigger) => (
        <span className="flex flex-wrap gap-1">
          {trigger.events.map((event) => (
            <Tag key={event}>{event}</Tag>
          ))}
          {pacesOf(trigger).map((pace) => (
            <Tag key={pace} tone="busy">
              {pace}
            </Tag>
          ))}
        </span>
      ),
    },
    {
      id: 'filter',
      head: t.events.filter,
      from: 'lg',
      cell: (trigger) => trigger.filter && <Mono>{trigger.filter}</Mono>,
    },
    {
      id: 'workflow',
      head: t.jobs.workflow,
      cell: (trigger) => (
        <Go to={`/workflows/${trigger.workflow}`}>
          {trigger.workflow}
          {trigger.version ? ` v${trigger.version}` : ''}
        </Go>
      ),
    },
    { id: 'tenant', head: t.jobs.tenant, from: 'xl', cell: (trigger) => trigger.tenant },
    {
      id: 'status',
      head: t.jobs.status,
      from: 'md',
      cell: (trigger) => <Status status={trigger.paused ? 'paused' : 'active'} />,
    },
    {
      id: 'do',
      head: <span className="sr-only">{t.events.edit}</span>,
      align: 'right',
      cell: (trigger) =>
        mayWrite && (
          <span className="flex flex-wrap justify-end gap-2">
            <Button
              small
              icon={trigger.paused ? 'play' : 'pause'}
              onClick={() =>
                replace.mutate({
                  path: { id: trigger.id },
                  body: { ...requestOf(trigger), paused: !trigger.paused },
                })
              }
            >
              {trigger.paused ? t.overview.resume : t.overview.pause}
            </Button>
            <Button small onClick={() => setEdited(trigger)}>
              {t.events.edit}
            </Button>
            <ConfirmButton
              small
              look="danger"
              label={t.events.remove}
              title={t.events.removeTitle(trigger.name)}
              body={t.events.removeBody}
              onConfirm={() => remove.mutate({ path: { id: trigger.id } })}
            />
          </span>
        ),
    },
  ];
  return (
    <>
      {mayWrite && (
        <div className="mb-2 flex justify-end">
          <Button icon="plus" onClick={() => setEdited('new')}>
            {t.events.newTrigger}
          </Button>
        </div>
      )}
      <List
        label={t.events.triggers}
        list={list}
        columns={columns}
        idOf={(trigger) => trigger.id}
        empty={<Empty title={t.events.noTriggers}>{t.events.noTriggersBody}</Empty>}
      />
      <Dialog
        title={edited && edited !== 'new' ? t.events.editTrigger(edited.name) : t.events.newTrigger}
        open={edited !== null}
        onClose={() => setEdited(null)}
        wide
      >
        {edited && (
          <TriggerForm
            trigger={edited === 'new' ? null : edited}
            onDone={() => {
              setEdited(null);
              shown();
            }}
          />
        )}
      </Dialog>
    </>
  );
}
