import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Mono } from '../../components/basics';
import { Form, Submit, TextField } from '../../components/form';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { listOf } from '../../lib/text';
import { t } from '../../messages/en';

type Pin = Schemas['BuildPin'];

const EVERY_MS = 10_000;

const COLUMNS: Column<Pin>[] = [
  { id: 'type', head: t.pins.jobType, cell: ({ jobType }) => <Mono>{jobType}</Mono> },
  {
    id: 'builds',
    head: t.pins.builds,
    cell: ({ builds }) => (
      <span className="flex flex-wrap gap-1">
        {builds.map((build) => (
          <Tag key={build}>{build}</Tag>
        ))}
      </span>
    ),
  },
  { id: 'tenant', head: t.pins.tenant, from: 'sm', cell: ({ tenant }) => tenant ?? t.common.all },
  { id: 'by', head: t.pins.by, from: 'md', cell: ({ source }) => t.pins.sources[source] ?? source },
  {
    id: 'since',
    head: t.declared.since,
    from: 'sm',
    align: 'right',
    cell: ({ since }) => <Time at={since} />,
  },
  {
    id: 'unpin',
    head: <span className="sr-only">{t.pins.unpin}</span>,
    align: 'right',
    cell: (pin) => <Unpin pin={pin} />,
  },
];

/** Which job types only workers of certain builds take. */
export function Pins() {
  const mayRead = useCan('builds.read');
  const mayPin = useCan('builds.pin');
  const [isOpen, setOpen] = useState(false);
  const { data } = useGet('/v1/builds', {}, { every: EVERY_MS, enabled: mayRead });
  if (!data) return null;
  return (
    <Card
      title={t.pins.title}
      side={
        mayPin && (
          <Button small icon="plus" onClick={() => setOpen(true)}>
            {t.pins.pin}
          </Button>
        )
      }
      flush
    >
      {data.items.length === 0 ? (
        <p className="p-4 text-soft">{t.pins.none}</p>
      ) : (
        <Table label={t.pins.title} rows={data.items} columns={COLUMNS} idOf={idOf} />
      )}
      <Dialog title={t.pins.title} intro={t.pins.intro} open={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <PinForm onDone={() => setOpen(false)} />}
      </Dialog>
    </Card>
  );
}

const idOf = ({ jobType, tenant }: Pin) => `${jobType} ${tenant ?? ''}`;

/** The call that is about a pin: of one tenant, or of all. */
function callOf({ jobType, tenant }: Pick<Pin, 'jobType' | 'tenant'>) {
  return { path: { jobType }, ...(tenant ? { query: { tenant } } : {}) };
}

function Unpin({ pin }: { pin: Pin }) {
  const mayPin = useCan('builds.pin');
  const unpin = useAct('delete', '/v1/job-types/{jobType}/builds', { done: t.pins.unpinned });
  if (!mayPin) return null;
  return (
    <ConfirmButton
      small
      label={t.pins.unpin}
      title={t.pins.unpinTitle(pin.jobType)}
      body={t.pins.unpinBody}
      busy={unpin.isPending}
      onConfirm={() => unpin.mutate(callOf(pin))}
    />
  );
}

function PinForm({ onDone }: { onDone: () => void }) {
  const [jobType, setJobType] = useState('');
  const [builds, setBuilds] = useState('');
  const [tenant, setTenant] = useState('');
  const pin = useAct('put', '/v1/job-types/{jobType}/builds', { done: t.pins.pinned, quiet: true, onDone });
  const names = listOf(builds);
  return (
    <Form
      onSubmit={() =>
        pin.mutate({ ...callOf({ jobType, tenant: tenant.trim() || null }), body: { builds: names } })
      }
    >
      <TextField label={t.pins.jobType} required value={jobType} onChange={setJobType} />
      <TextField
        label={t.pins.builds}
        hint={t.pins.buildsHint}
        mono
        required
        value={builds}
        onChange={setBuilds}
      />
      <TextField label={t.pins.tenant} hint={t.pins.tenantHint} value={tenant} onChange={setTenant} />
      <Submit error={pin.error} busy={pin.isPending}>
        {t.pins.pin}
      </Submit>
    </Form>
  );
}

/** Takes away what keeps a job from workers of other builds: the pin of its tenant, or else that of all. */
export function UnpinFor({ jobType, tenant }: { jobType: string; tenant: string }) {
  const mayPin = useCan('builds.pin');
  const { data } = useGet('/v1/builds', { query: { tenant } }, { enabled: mayPin });
  const unpin = useAct('delete', '/v1/job-types/{jobType}/builds', { done: t.pins.unpinned });
  const pins = data?.items.filter((pin) => pin.jobType === jobType) ?? [];
  const pin = pins.find((each) => each.tenant === tenant) ?? pins.find((each) => !each.tenant);
  if (!mayPin || !pin) return null;
  return (
    <Button look="main" busy={unpin.isPending} onClick={() => unpin.mutate(callOf(pin))}>
      {t.why.unpin}
    </Button>
  );
}
