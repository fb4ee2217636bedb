import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty, Mono, PageHead } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { cli } from '../../lib/commands';
import { t } from '../../messages/en';
import { WebhookForm } from './form';

type Webhook = Schemas['Webhook'];

const FIELDS: FilterField[] = [{ name: 'tenant', label: t.jobs.tenant }];

/** Whether it takes deliveries: one whose provider signs them refuses all as long as it has no secret. */
export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  if (webhook.paused) return <Status status="paused" />;
  return webhook.lacksSecret ? (
    <Status status="rejected" label={t.webhooks.refusesAll} />
  ) : (
    <Status status="active" />
  );
}

/** Whether deliveries are verified, or cannot be. */
export function Signature({ webhook }: { webhook: Webhook }) {
  if (webhook.lacksSecret) return <span className="text-bad">{t.webhooks.noSecret}</span>;
  return webhook.verified ? t.webhooks.verified : <span className="text-warn">{t.webhooks.unverified}</span>;
}

const COLUMNS: Column<Webhook>[] = [
  {
    id: 'name',
    head: t.webhooks.name,
    cell: (webhook) => (
      <Go to={`/webhooks/${webhook.id}`} className="link font-medium">
        {webhook.name}
      </Go>
    ),
  },
  { id: 'provider', head: t.webhooks.provider, cell: (webhook) => <Tag>{webhook.provider}</Tag> },
  {
    id: 'verified',
    head: t.webhooks.signature,
    from: 'sm',
    cell: (webhook) => <Signature webhook={webhook} />,
  },
  {
    id: 'triggers',
    head: t.webhooks.triggers,
    from: 'md',
    cell: (webhook) => webhook.triggers.map(({ workflow }) => workflow).join(', ') || '–',
  },
  {
    id: 'status',
    head: t.jobs.status,
    cell: (webhook) => <WebhookStatus webhook={webhook} />,
  },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (webhook) => webhook.tenant },
  {
    id: 'updated',
    head: t.webhooks.updated,
    from: 'lg',
    align: 'right',
    cell: (webhook) => <Time at={webhook.updatedAt} />,
  },
];

export function Page() {
  const [filters] = useFilters();
  const mayWrite = useCan('webhooks.write');
  const [isOpen, setOpen] = useState(false);
  const list = useLiveList('/v1/webhooks', {
    query: pick(filters, ['tenant']),
    idOf: (webhook) => webhook.id,
  });
  return (
    <>
      <PageHead title={t.webhooks.title} intro={t.webhooks.intro}>
        {mayWrite && (
          <Button look="main" icon="plus" onClick={() => setOpen(true)}>
            {t.webhooks.create}
          </Button>
        )}
      </PageHead>
      <FilterBar fields={FIELDS} list="webhooks" />
      <List
        label={t.webhooks.title}
        list={list}
        columns={COLUMNS}
        idOf={(webhook) => webhook.id}
        empty={
          <Empty title={t.webhooks.empty}>
            {t.webhooks.emptyBody} <Mono>{cli('webhook', 'create', '--help')}</Mono>
          </Empty>
        }
      />
      <Dialog title={t.webhooks.create} open={isOpen} onClose={() => setOpen(false)} wide>
        {isOpen && <WebhookForm />}
      </Dialog>
    </>
  );
}
