import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useLiveList } from '../../api/hooks';
import { useMay } from '../../api/session';
import { setPreference, usePreferences } from '../../app/preferences';
import { Button, Card, Empty, Failed, Field, Mono, PageHead } from '../../components/basics';
import { CopyButton } from '../../components/copy';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { isZone } from '../../lib/time';
import { t } from '../../messages/en';

type Key = Schemas['ApiKey'];
const ROLES: Key['role'][] = ['admin', 'operator', 'client', 'worker', 'viewer'];

export function Page() {
  const mayAdminister = useMay('administer');
  return (
    <>
      <PageHead title={t.settings.title} intro={t.settings.intro} />
      <div className="space-y-6">
        <ZoneCard />
        {mayAdminister && <Keys />}
      </div>
    </>
  );
}

function ZoneCard() {
  const { zone } = usePreferences();
  const [text, setText] = useState(zone === 'local' ? '' : zone);
  const isWrong = text !== '' && !isZone(text);
  return (
    <Card title={t.settings.zone}>
      <form
        className="flex max-w-xl flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWrong) setPreference('zone', text || 'local');
        }}
      >
        <div className="min-w-56 flex-1">
          <Field label={t.settings.zoneName} error={isWrong ? t.settings.zoneWrong : undefined}>
            <input
              className="field"
              list="all-zones"
              placeholder="Europe/Berlin"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <datalist id="all-zones">
            {Intl.supportedValuesOf('timeZone').map((each) => (
              <option key={each}>{each}</option>
            ))}
          </datalist>
        </div>
        <Button type="submit" look="main" disabled={isWrong}>
          {t.common.save}
        </Button>
      </form>
      <p className="mt-2 text-[13px] text-soft">{t.settings.zoneHint}</p>
    </Card>
  );
}

function Keys() {
  const list = useLiveList('/v1/api-keys', { idOf: (key) => key.id });
  const [isOpen, setOpen] = useState(false);
  const revoke = useAct('delete', '/v1/api-keys/{id}', { done: t.settings.revoked });
  const columns: Column<Key>[] = [
    { id: 'name', head: t.settings.name, cell: (key) => <strong className="font-medium">{key.name}</strong> },
    { id: 'prefix', head: t.settings.key, cell: (key) => <Mono>{key.prefix}…</Mono> },
    { id: 'role', head: t.settings.role, cell: (key) => <Tag>{key.role}</Tag> },
    { id: 'tenant', head: t.jobs.tenant, from: 'md', cell: (key) => key.tenant ?? t.common.all },
    {
      id: 'created',
      head: t.jobs.created,
      from: 'md',
      align: 'right',
      cell: (key) => <Time at={key.createdAt} />,
    },
    {
      id: 'revoke',
      head: <span className="sr-only">{t.settings.revoke}</span>,
      align: 'right',
      cell: (key) =>
        key.revokedAt ? (
          <Status status="revoked" label={t.settings.revokedWord} />
        ) : (
          <ConfirmButton
            small
            look="danger"
            label={t.settings.revoke}
            title={t.settings.revokeTitle(key.name)}
            body={t.settings.revokeBody}
            onConfirm={() => revoke.mutate({ path: { id: key.id } })}
          />
        ),
    },
  ];
  return (
    <section>
      <div className="mb-2 flex items-center justify-between gap-2">
        <h2 className="font-semibold">{t.settings.keys}</h2>
        <Button icon="plus" look="main" onClick={() => setOpen(true)}>
          {t.settings.createKey}
        </Button>
      </div>
      <List
        label={t.settings.keys}
        list={list}
        columns={columns}
        idOf={(key) => key.id}
        empty={<Empty title={t.settings.noKeys} />}
      />
      <Dialog
        title={t.settings.createKey}
        open={isOpen}
        onClose={() => {
          setOpen(false);
          list.fresh.show();
        }}
      >
        <KeyForm />
      </Dialog>
    </section>
  );
}

function KeyForm() {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Key['role']>('viewer');
  const [tenant, setTenant] = useState('');
  const create = useAct('post', '/v1/api-keys', { quiet: true });
  const secret = create.data?.key;
  if (secret) {
    return (
      <div className="space-y-2">
        <p>{t.settings.keyOnce}</p>
        <p className="flex items-center gap-1 rounded-lg bg-raised p-2">
          <Mono>{secret}</Mono>
          <CopyButton text={secret} />
        </p>
      </div>
    );
  }
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate({ body: { name, role, ...(tenant ? { tenant } : {}) } });
      }}
    >
      <Field label={t.settings.name}>
        <input className="field" required value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t.settings.role} hint={t.settings.roleHints[role]}>
        <select
          className="field"
          value={role}
          onChange={(event) => setRole(event.target.value as Key['role'])}
        >
          {ROLES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </Field>
      <Field label={t.jobs.tenant} hint={t.settings.tenantHint}>
        <input className="field" value={tenant} onChange={(event) => setTenant(event.target.value)} />
      </Field>
      {create.error && <Failed error={create.error} />}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={create.isPending}>
          {t.settings.createKey}
        </Button>
      </div>
    </form>
  );
}
