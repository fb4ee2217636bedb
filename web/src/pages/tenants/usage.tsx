import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Failed, Field, Loading } from '../../components/basics';
import { Form } from '../../components/form';
import { Dialog } from '../../components/dialog';
import { Time } from '../../components/time';
import { byteSize } from '../../lib/bytes';
import { t } from '../../messages/en';

type Resource = keyof typeof t.tenants.resources;
type Figure = Schemas['UsageFigure'];

const RESOURCES = Object.keys(t.tenants.resources) as Resource[];
const EVERY_MS = 10_000;

function amount(resource: Resource, value: number): string {
  return resource.endsWith('Bytes') ? byteSize(value) : value.toLocaleString('en');
}

/** What a tenant uses of what it may use. */
export function Usage({ tenant }: { tenant: string }) {
  const { data, error } = useGet('/v1/tenants/{tenant}/usage', { path: { tenant } }, { every: EVERY_MS });
  const maySet = useCan('tenants.quota');
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title={t.tenants.usage}
      side={
        <span className="flex items-center gap-3 text-[13px] text-soft">
          {data && (
            <span>
              {t.tenants.asOf} <Time at={data.asOf} />
            </span>
          )}
          {maySet && (
            <Button small onClick={() => setOpen(true)}>
              {t.tenants.setQuotas}
            </Button>
          )}
        </span>
      }
    >
      {error && !data && <Failed error={error} />}
      {!data && !error && <Loading />}
      {data && (
        <ul className="space-y-3">
          {RESOURCES.map((resource) => (
            <UsageBar key={resource} resource={resource} figure={data[resource]} />
          ))}
        </ul>
      )}
      <Dialog
        title={t.tenants.setQuotas}
        intro={t.tenants.quotaHint}
        open={isOpen}
        onClose={() => setOpen(false)}
      >
        {isOpen && <QuotaForm tenant={tenant} onDone={() => setOpen(false)} />}
      </Dialog>
    </Card>
  );
}

function UsageBar({ resource, figure }: { resource: Resource; figure: Figure }) {
  const { used, exact, quota } = figure;
  const hasQuota = quota !== null && quota !== undefined;
  const part = hasQuota ? Math.min(100, Math.round((used / Math.max(1, quota)) * 100)) : 0;
  const tone = part >= 90 ? 'bg-bad' : part >= 70 ? 'bg-warn' : 'bg-ok';
  return (
    <li data-resource={resource}>
      <div className="flex flex-wrap justify-between gap-2">
        <span>{t.tenants.resources[resource]}</span>
        <span className="nums">
          {exact ? amount(resource, used) : t.tenants.atLeast(amount(resource, used))}
          <span className="text-soft"> / {hasQuota ? amount(resource, quota) : t.common.unlimited}</span>
        </span>
      </div>
      {hasQuota && (
        <div
          className="mt-1 h-1.5 overflow-hidden rounded-full bg-raised"
          role="img"
          aria-label={t.tenants.ofQuota(part)}
        >
          <div className={`h-full rounded-full ${tone}`} style={{ width: `${part}%` }} />
        </div>
      )}
    </li>
  );
}

function QuotaForm({ tenant, onDone }: { tenant: string; onDone: () => void }) {
  const { data } = useGet('/v1/tenants/{tenant}/quotas', { path: { tenant } });
  const [changes, setChanges] = useState<Partial<Record<Resource, string>>>({});
  const put = useAct('put', '/v1/tenants/{tenant}/quotas', {
    done: t.tenants.quotasSaved,
    quiet: true,
    onDone,
  });
  if (!data) return <Loading />;
  const shown = (resource: Resource) =>
    changes[resource] ?? (data[resource] === null ? 'unlimited' : String(data[resource] ?? ''));
  const submit = () => {
    const body = Object.fromEntries(
      Object.entries(changes).map(([resource, text]) => [
        resource,
        text.trim() === '' ? null : /^\d+$/.test(text.trim()) ? Number(text) : text.trim(),
      ]),
    );
    put.mutate({ path: { tenant }, body: body as never });
  };
  return (
    <Form onSubmit={submit}>
      {RESOURCES.map((resource) => (
        <Field key={resource} label={t.tenants.resources[resource]}>
          <input
            className="field"
            pattern="[0-9]*|unlimited"
            value={shown(resource)}
            onChange={(event) => setChanges((old) => ({ ...old, [resource]: event.target.value }))}
          />
        </Field>
      ))}
      {put.error && <Failed error={put.error} />}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={put.isPending} disabled={Object.keys(changes).length === 0}>
          {t.common.save}
        </Button>
      </div>
    </Form>
  );
}
