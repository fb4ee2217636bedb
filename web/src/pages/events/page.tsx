import { useState } from 'react';
import { useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty, Mono, PageHead } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { ListHead } from '../../components/list-head';
import { useSelection } from '../../components/selection';
import { List } from '../../components/table';
import { Tabs } from '../../components/tabs';
import { cli } from '../../lib/commands';
import { t } from '../../messages/en';
import { Bulk } from '../batches/bulk';
import { DELIVERY_COLUMNS } from '../deliveries/list';
import { SendEvent } from './send';
import { Triggers } from './triggers';

const FIELDS: FilterField[] = [
  { name: 'eventType', label: t.events.name },
  { name: 'status', label: t.jobs.status, values: ['accepted', 'held', 'matched', 'unmatched', 'parked'] },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'from', label: t.dead.from },
  { name: 'to', label: t.dead.to },
];

/** Events, and the triggers that start workflows for them. */
export function Page() {
  const [filters, change] = useFilters();
  const maySend = useCan('events.send');
  const [isSending, setSending] = useState(false);
  const isTriggers = filters['view'] === 'triggers';
  return (
    <>
      <PageHead title={t.events.title} intro={t.events.intro}>
        <Tabs
          label={t.events.views}
          tabs={[
            ['events', t.events.received],
            ['triggers', t.events.triggers],
          ]}
          value={isTriggers ? 'triggers' : 'events'}
          onChange={(view) => change({ view: view === 'triggers' ? 'triggers' : undefined })}
        />
        {maySend && (
          <Button look="main" icon="play" onClick={() => setSending(true)}>
            {t.events.send}
          </Button>
        )}
      </PageHead>
      {isTriggers ? <Triggers /> : <Received />}
      <Dialog
        title={t.events.send}
        intro={t.events.sendIntro}
        open={isSending}
        onClose={() => setSending(false)}
        wide
      >
        <SendEvent onDone={() => setSending(false)} />
      </Dialog>
    </>
  );
}

function Received() {
  const [filters] = useFilters();
  const mayOperate = useCan('deliveries.replay');
  const query = { ...pick(filters, ['eventType', 'status', 'tenant', 'from', 'to']), source: 'event' };
  const selection = useSelection();
  const list = useLiveList('/v1/deliveries', { query: query as never, idOf: (delivery) => delivery.id });
  return (
    <>
      <FilterBar fields={FIELDS} />
      <ListHead path="/v1/deliveries" query={query} name="events">
        <Bulk kind="deliveries" query={query} selection={selection} />
      </ListHead>
      <List
        label={t.events.received}
        list={list}
        columns={DELIVERY_COLUMNS}
        idOf={(delivery) => delivery.id}
        selection={mayOperate ? selection : undefined}
        empty={
          <Empty title={t.events.empty}>
            {t.events.emptyBody} <Mono>{cli('event', 'send', 'order.paid', '--data', '{"order":7}')}</Mono>
          </Empty>
        }
      />
    </>
  );
}
