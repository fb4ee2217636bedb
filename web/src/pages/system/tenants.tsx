import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Empty, Failed, PageHead } from '../../components/basics';
import { Form } from '../../components/form';
import { Go } from '../../components/go';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../messages/en';

type Tenant = Schemas['Tenant'];

const COLUMNS: Column<Tenant>[] = [
  {
    id: 'name',
    head: t.jobs.tenant,
    cell: (tenant) => (
      <Go to={`/tenants/${tenant.name}`} className="link font-medium">
        {tenant.name}
      </Go>
    ),
  },
  {
    id: 'see',
    head: t.tenants.see,
    cell: (tenant) => (
      <span className="flex flex-wrap gap-x-3">
        <Go to="/jobs" search={{ tenant: tenant.name }}>
          {t.nav.jobs}
        </Go>
        <Go to="/executions" search={{ tenant: tenant.name }}>
          {t.nav.executions}
        </Go>
        <Go to="/dead-letters" search={{ tenant: tenant.name }}>
          {t.nav.deadLetters}
        </Go>
        <Go to="/limits" search={{ tenant: tenant.name }}>
          {t.nav.limits}
        </Go>
      </span>
    ),
  },
  {
    id: 'created',
    head: t.tenants.firstUsed,
    align: 'right',
    cell: (tenant) => <Time at={tenant.createdAt} />,
  },
];

export function Page() {
  const list = useLiveList('/v1/tenants', { idOf: (tenant) => tenant.name });
  const mayCreate = useCan('tenants.create');
  const [name, setName] = useState('');
  const create = useAct('post', '/v1/tenants', {
    done: t.tenants.created,
    quiet: true,
    onDone: () => {
      setName('');
      list.fresh.show();
    },
  });
  return (
    <>
      <PageHead title={t.tenants.title} intro={t.tenants.intro}>
        {mayCreate && (
          <Form className="flex gap-2" onSubmit={() => create.mutate({ body: { name } })}>
            <input
              className="field w-48"
              required
              aria-label={t.tenants.name}
              placeholder={t.tenants.name}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <Button type="submit" icon="plus" busy={create.isPending}>
              {t.tenants.create}
            </Button>
          </Form>
        )}
      </PageHead>
      {create.error && (
        <div className="mb-3">
          <Failed error={create.error} />
        </div>
      )}
      <List
        label={t.tenants.title}
        list={list}
        columns={COLUMNS}
        idOf={(tenant) => tenant.name}
        empty={<Empty title={t.tenants.empty}>{t.tenants.emptyBody}</Empty>}
      />
    </>
  );
}
