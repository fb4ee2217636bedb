import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet, useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Empty, FactList, Loading, Mono, PageHead } from '../../components/basics';
import { Form, Submit, TextField } from '../../components/form';
import { CopyButton, CopyMenu } from '../../components/copy';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { ObjectFailed } from '../../components/object-failed';
import { Tag } from '../../components/status';
import { List } from '../../components/table';
import { Countdown, Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { cli } from '../../lib/commands';
import { t } from '../../messages/en';
import { DELIVERY_COLUMNS } from '../deliveries/list';
import { AuditSlice } from '../system/audit-entry';
import { EditWebhook } from './edit';
import { Signature, WebhookStatus } from './list';

type Webhook = Schemas['Webhook'];

const LIST = { to: '/webhooks', label: t.webhooks.title };

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: webhook, error } = useGet('/v1/webhooks/{id}', { path: { id } });
  const deliveries = useLiveList('/v1/webhooks/{id}/deliveries', {
    path: { id },
    idOf: (delivery) => delivery.id,
  });
  if (error && !webhook) return <ObjectFailed error={error} name={id} list={LIST} />;
  if (!webhook) return <Loading />;
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {webhook.name} <Tag>{webhook.provider}</Tag> <WebhookStatus webhook={webhook} />
          </span>
        }
        intro={
          <span className="inline-flex items-center gap-1">
            <Mono>{webhook.fullUrl ?? webhook.url}</Mono>
            <CopyButton text={webhook.fullUrl ?? webhook.url} />
          </span>
        }
      >
        <Actions webhook={webhook} />
      </PageHead>
      {webhook.warnings.map((warning) => (
        <p key={warning} className="mb-3 rounded-xl border border-line bg-warn-tint px-4 py-2.5 text-warn">
          {warning}
        </p>
      ))}
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <section className="min-w-0">
          <h2 className="mb-2 font-semibold">{t.deliveries.title}</h2>
          <List
            label={t.deliveries.title}
            list={deliveries}
            columns={DELIVERY_COLUMNS}
            idOf={(delivery) => delivery.id}
            empty={<Empty title={t.deliveries.empty}>{t.deliveries.emptyBody}</Empty>}
          />
        </section>
        <div className="min-w-0 space-y-4">
          <Card title={t.webhooks.triggers}>
            {webhook.triggers.length === 0 && <p className="text-soft">{t.webhooks.noTriggers}</p>}
            <ul className="space-y-3">
              {webhook.triggers.map((trigger) => (
                <li key={trigger.id ?? trigger.workflow}>
                  <WorkflowLink name={trigger.workflow} tenant={webhook.tenant} />
                  {trigger.events?.map((event) => (
                    <Tag key={event}>{event}</Tag>
                  ))}
                  {trigger.filter && (
                    <p className="mt-0.5">
                      <Mono>{trigger.filter}</Mono>
                    </p>
                  )}
                </li>
              ))}
            </ul>
          </Card>
          <Secrets webhook={webhook} />
          <Card title={t.job.facts}>
            <FactList
              facts={[
                [t.webhooks.signature, <Signature key="s" webhook={webhook} />],
                [t.webhooks.dedupe, JSON.stringify(webhook.dedupe.on ?? 'auto').replaceAll('"', '')],
                [t.webhooks.maxBody, `${webhook.maxBodyEffective / 1024} KiB`],
                [
                  t.webhooks.rate,
                  webhook.rateLimit && `${webhook.rateLimit.requests} / ${webhook.rateLimit.per}`,
                ],
                [t.webhooks.respondWith, webhook.respondWith],
                [t.jobs.tenant, webhook.tenant],
                [t.job.created, <Time key="c" at={webhook.createdAt} full />],
                [t.webhooks.updated, <Time key="u" at={webhook.updatedAt} full />],
              ]}
            />
          </Card>
          <AuditSlice subject={webhook.id} />
        </div>
      </div>
    </>
  );
}

function Secrets({ webhook }: { webhook: Webhook }) {
  if (!webhook.secrets || webhook.secrets.length === 0) return null;
  return (
    <Card title={t.webhooks.secrets}>
      <ul className="space-y-2">
        {webhook.secrets.map((secret) => (
          <li key={secret.id} className="flex flex-wrap items-baseline justify-between gap-2">
            <span>
              {t.webhooks.purposes[secret.purpose] ?? secret.purpose}{' '}
              {!secret.openable && <Tag tone="bad">{t.webhooks.notOpenable}</Tag>}
            </span>
            <span className="text-[13px] text-soft">
              {secret.expiresAt ? (
                <>
                  <Countdown to={secret.expiresAt} label={t.webhooks.oldHolds} /> ({t.webhooks.expires}{' '}
                  <Time at={secret.expiresAt} full />)
                </>
              ) : (
                <>
                  {t.webhooks.since} <Time at={secret.createdAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const mayOperate = useCan('webhooks.write');
  const [shown, setShown] = useState<'edit' | 'rotate' | null>(null);
  const close = () => setShown(null);
  const path = { id: webhook.id };
  const test = useAct('post', '/v1/webhooks/{id}/test', { done: t.webhooks.tested });
  const pause = useAct('post', '/v1/webhooks/{id}/pause', { done: t.webhooks.pausedNow });
  const resume = useAct('post', '/v1/webhooks/{id}/resume', { done: t.webhooks.resumedNow });
  const navigate = useNavigate();
  const remove = useAct('delete', '/v1/webhooks/{id}', {
    done: t.webhooks.removed,
    leaves: true,
    onDone: () => void navigate({ to: '/webhooks' as never }),
  });
  return (
    <>
      {mayOperate && (
        <>
          <Button look="main" icon="play" busy={test.isPending} onClick={() => test.mutate({ path })}>
            {t.webhooks.test}
          </Button>
          {webhook.paused ? (
            <Button icon="play" busy={resume.isPending} onClick={() => resume.mutate({ path })}>
              {t.overview.resume}
            </Button>
          ) : (
            <Button icon="pause" busy={pause.isPending} onClick={() => pause.mutate({ path })}>
              {t.overview.pause}
            </Button>
          )}
          <Button onClick={() => setShown('edit')}>{t.webhooks.edit}</Button>
          {webhook.verified && (
            <Button onClick={() => setShown('rotate')}>
              {webhook.lacksSecret ? t.webhooks.setSecret : t.webhooks.rotate}
            </Button>
          )}
          <ConfirmButton
            look="danger"
            label={t.webhooks.remove}
            title={t.webhooks.removeTitle(webhook.name)}
            body={t.webhooks.removeBody}
            busy={remove.isPending}
            onConfirm={() => remove.mutate({ path })}
          />
        </>
      )}
      <CopyMenu
        json={webhook}
        path={`/v1/webhooks/${webhook.id}`}
        command={cli('webhook', 'show', webhook.id)}
      />
      <Dialog
        title={t.webhooks.rotate}
        intro={t.webhooks.rotateIntro}
        open={shown === 'rotate'}
        onClose={close}
      >
        <RotateForm webhook={webhook} />
      </Dialog>
      <Dialog
        title={t.webhooks.editTitle(webhook.name)}
        intro={t.webhooks.editIntro}
        open={shown === 'edit'}
        onClose={close}
        wide
      >
        {shown === 'edit' && <EditWebhook webhook={webhook} onDone={close} />}
      </Dialog>
    </>
  );
}

/** Makes a new secret, which is shown this once. The old one holds during the overlap. */
function RotateForm({ webhook }: { webhook: Webhook }) {
  const [overlap, setOverlap] = useState('24h');
  const [secret, setSecret] = useState('');
  const rotate = useAct('post', '/v1/webhooks/{id}/rotate-secret', { done: t.webhooks.rotated, quiet: true });
  if (rotate.isSuccess) {
    const made = rotate.data.secret;
    return (
      <div className="space-y-2">
        <p>{made ? t.webhooks.secretOnce : t.webhooks.rotated}</p>
        {made && (
          <p className="flex items-center gap-1 rounded-lg bg-raised p-2">
            <Mono>{made}</Mono>
            <CopyButton text={made} />
          </p>
        )}
      </div>
    );
  }
  return (
    <Form
      onSubmit={() =>
        rotate.mutate({ path: { id: webhook.id }, body: { overlap, ...(secret ? { secret } : {}) } })
      }
    >
      <TextField
        label={t.webhooks.overlap}
        hint={t.webhooks.overlapHint}
        required
        value={overlap}
        onChange={setOverlap}
      />
      <TextField
        label={t.webhooks.ownSecret}
        hint={t.webhooks.ownSecretHint}
        mono
        type="password"
        autoComplete="off"
        value={secret}
        onChange={setSecret}
      />
      <Submit error={rotate.error} busy={rotate.isPending}>
        {t.webhooks.rotate}
      </Submit>
    </Form>
  );
}
