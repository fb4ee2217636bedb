import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useLiveList } from '../../api/hooks';
import { Button, Empty, Mono } from '../../components/basics';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Once } from '../../components/once';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../messages/en';
import { KeyForm } from './key-form';

type Key = Schemas['ApiKey'];

/** The scopes of a key in a line; the whole role where there are none. */
function scopesOf(key: Key): string {
  if (!key.scopes || key.scopes.length === 0) return t.settings.wholeRole;
  return key.scopes
    .map(({ actions, ...names }) => {
      const limits = Object.entries(names)
        .filter(([, values]) => values && values.length > 0)
        .map(([name, values]) => `${name} ${(values as string[]).join(', ')}`);
      return [actions.join(', '), ...limits].join(' · ');
    })
    .join('; ');
}

/** API keys: what each may do, when it was last used, and until when it holds. */
export function Keys() {
  const list = useLiveList('/v1/api-keys', { idOf: (key) => key.id });
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const revoke = useAct('delete', '/v1/api-keys/{id}', { done: t.settings.revoked });
  const rotate = useAct('post', '/v1/api-keys/{id}/rotate', {
    done: t.settings.rotated,
    onDone: (answer) => setSecret((answer as { key?: string | null }).key ?? null),
  });
  const columns: Column<Key>[] = [
    { id: 'name', head: t.settings.name, cell: (key) => <strong className="font-medium">{key.name}</strong> },
    { id: 'prefix', head: t.settings.key, from: 'sm', cell: (key) => <Mono>{key.prefix}…</Mono> },
    {
      id: 'role',
      head: t.settings.role,
      cell: (key) => (
        <span className="flex flex-wrap gap-1">
          <Tag>{key.role}</Tag>
          {!key.payloads && <Tag>{t.settings.noPayloads}</Tag>}
        </span>
      ),
    },
    {
      id: 'scopes',
      head: t.settings.scopes,
      from: 'xl',
      cell: (key) => <span className="line-clamp-2 max-w-md text-[13px] text-soft">{scopesOf(key)}</span>,
    },
    { id: 'tenant', head: t.jobs.tenant, from: 'md', cell: (key) => key.tenant ?? t.common.all },
    {
      id: 'used',
      head: t.settings.lastUsed,
      align: 'right',
      cell: (key) =>
        key.lastUsedAt ? <Time at={key.lastUsedAt} /> : <span className="text-soft">{t.settings.never}</span>,
    },
    {
      id: 'expires',
      head: t.settings.expires,
      from: 'lg',
      align: 'right',
      cell: (key) => (key.expiresAt ? <Time at={key.expiresAt} /> : <span className="text-soft">–</span>),
    },
    {
      id: 'do',
      head: <span className="sr-only">{t.settings.revoke}</span>,
      align: 'right',
      cell: (key) =>
        key.revokedAt ? (
          <Status status="revoked" label={t.settings.revokedWord} />
        ) : (
          <span className="flex flex-wrap justify-end gap-2">
            <ConfirmButton
              small
              label={t.settings.rotate}
              title={t.settings.rotateTitle(key.name)}
              body={t.settings.rotateBody}
              onConfirm={() => rotate.mutate({ path: { id: key.id }, body: {} as never })}
            />
            <ConfirmButton
              small
              look="danger"
              label={t.settings.revoke}
              title={t.settings.revokeTitle(key.name)}
              body={t.settings.revokeBody}
              onConfirm={() => revoke.mutate({ path: { id: key.id } })}
            />
          </span>
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
        empty={<Empty title={t.settings.noKeys}>{t.settings.noKeysBody}</Empty>}
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
      <Dialog title={t.settings.rotated} open={secret !== null} onClose={() => setSecret(null)}>
        {secret && <Once intro={t.settings.keyOnce} text={secret} />}
      </Dialog>
    </section>
  );
}
