import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Card, Failed, Mono } from '../../components/basics';
import { ConfirmButton } from '../../components/dialog';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../messages/en';

type Key = Schemas['PayloadKey'];

const COLUMNS: Column<Key>[] = [
  { id: 'id', head: t.encryption.key, cell: ({ id }) => <Mono>{id}</Mono> },
  { id: 'with', head: t.encryption.sealedWith, from: 'sm', cell: ({ sealedWith }) => sealedWith },
  {
    id: 'state',
    head: t.encryption.state,
    cell: ({ usable, current }) =>
      usable ? (
        <Tag tone={current ? 'ok' : 'rest'}>{current ? t.encryption.current : t.encryption.earlier}</Tag>
      ) : (
        <Tag tone="bad">{t.encryption.unusable}</Tag>
      ),
  },
  {
    id: 'since',
    head: t.encryption.since,
    from: 'sm',
    align: 'right',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** Whether the payloads of a tenant are encrypted, and with which keys. The keys themselves are never shown. */
export function Encryption({ tenant }: { tenant: string }) {
  const mayRead = useCan('tenants.read');
  const mayEncrypt = useCan('tenants.encrypt');
  const { data, error } = useGet(
    '/v1/tenants/{tenant}/encryption',
    { path: { tenant } },
    { enabled: mayRead },
  );
  if (!mayRead) return null;
  return (
    <Card
      title={t.encryption.title}
      side={
        data && (
          <span className="flex items-center gap-2" data-encrypted={data.enabled}>
            <Tag tone={data.enabled ? 'ok' : 'rest'}>{data.enabled ? t.encryption.on : t.encryption.off}</Tag>
            {mayEncrypt && <Change tenant={tenant} isOn={data.enabled} />}
          </span>
        )
      }
      flush
    >
      {error && !data && <Failed error={error} />}
      {data && data.keys.length > 0 && (
        <Table label={t.encryption.title} rows={data.keys} columns={COLUMNS} idOf={({ id }) => id} />
      )}
      <p className="px-4 py-2.5 text-[13px] text-soft">{t.encryption.hint}</p>
    </Card>
  );
}

function Change({ tenant, isOn }: { tenant: string; isOn: boolean }) {
  const path = { tenant };
  const put = useAct('put', '/v1/tenants/{tenant}/encryption', {
    done: ({ enabled }) => (enabled ? t.encryption.enabled : t.encryption.disabled),
  });
  const rotate = useAct('post', '/v1/tenants/{tenant}/encryption/rotate', { done: t.encryption.rotated });
  if (!isOn) {
    return (
      <ConfirmButton
        small
        label={t.encryption.enable}
        title={t.encryption.enableTitle(tenant)}
        body={t.encryption.enableBody}
        busy={put.isPending}
        onConfirm={() => put.mutate({ path, body: { enabled: true } })}
      />
    );
  }
  return (
    <>
      <ConfirmButton
        small
        label={t.encryption.rotate}
        title={t.encryption.rotateTitle(tenant)}
        body={t.encryption.rotateBody}
        busy={rotate.isPending}
        onConfirm={() => rotate.mutate({ path })}
      />
      <ConfirmButton
        small
        look="danger"
        label={t.encryption.disable}
        title={t.encryption.disableTitle(tenant)}
        body={t.encryption.disableBody}
        busy={put.isPending}
        onConfirm={() => put.mutate({ path, body: { enabled: false } })}
      />
    </>
  );
}
