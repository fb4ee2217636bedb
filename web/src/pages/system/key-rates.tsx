import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { usePreferences } from '../../app/preferences';
import { Button, Card, Failed, Field, Mono } from '../../components/basics';
import { Form, TextField } from '../../components/form';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Table, type Column } from '../../components/table';
import { rateText, readRate, type Rate } from '../../lib/rate';
import { t } from '../../messages/en';

type KeyRate = Schemas['KeyRate'];

const EVERY_MS = 10_000;

const COLUMNS: Column<KeyRate>[] = [
  { id: 'key', head: t.keyRates.key, cell: ({ key }) => <Mono>{key}</Mono> },
  { id: 'tenant', head: t.jobs.tenant, from: 'sm', cell: ({ tenant }) => tenant },
  { id: 'rate', head: t.keyRates.rate, align: 'right', cell: ({ rate }) => rateText(rate as Rate) },
  {
    id: 'max',
    head: t.limits.fields.maxConcurrent,
    align: 'right',
    cell: ({ maxConcurrent }) => maxConcurrent ?? t.common.unlimited,
  },
  {
    id: 'remove',
    head: <span className="sr-only">{t.keyRates.remove}</span>,
    align: 'right',
    cell: (rate) => <Remove rate={rate} />,
  },
];

/** Rates of keys that enqueues and nodes name, each key counted by itself. */
export function KeyRates() {
  const mayOperate = useCan('limits.set');
  const { tenant } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const query = tenant ? { tenant } : {};
  const { data, error } = useGet('/v1/rates', { query }, { every: EVERY_MS });
  return (
    <Card
      title={t.keyRates.title}
      side={
        mayOperate && (
          <Button small icon="plus" onClick={() => setOpen(true)}>
            {t.keyRates.set}
          </Button>
        )
      }
      flush
    >
      {error && !data && <Failed error={error} />}
      {data?.items.length === 0 && <p className="p-4 text-soft">{t.keyRates.none}</p>}
      {data && data.items.length > 0 && (
        <Table
          label={t.keyRates.title}
          rows={data.items}
          columns={COLUMNS}
          idOf={(rate) => `${rate.tenant} ${rate.key}`}
        />
      )}
      <Dialog title={t.keyRates.set} intro={t.keyRates.intro} open={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <RateForm onDone={() => setOpen(false)} />}
      </Dialog>
    </Card>
  );
}

function Remove({ rate: { key, tenant } }: { rate: KeyRate }) {
  const mayOperate = useCan('limits.set');
  const remove = useAct('delete', '/v1/rates/{key}', { done: t.keyRates.removed });
  if (!mayOperate) return null;
  return (
    <ConfirmButton
      small
      label={t.keyRates.remove}
      title={t.keyRates.removeTitle(key)}
      body={t.keyRates.removeBody}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ path: { key }, query: { tenant } })}
    />
  );
}

function RateForm({ onDone }: { onDone: () => void }) {
  const { tenant: chosen } = usePreferences();
  const [key, setKey] = useState('');
  const [rate, setRate] = useState('');
  const [most, setMost] = useState('');
  const [tenant, setTenant] = useState(chosen);
  const put = useAct('put', '/v1/rates/{key}', { done: t.keyRates.saved, quiet: true, onDone });
  const read = readRate(rate);
  return (
    <Form
      onSubmit={() => {
        if (!read) return;
        put.mutate({
          path: { key },
          ...(tenant ? { query: { tenant } } : {}),
          body: { rate: read as never, ...(most ? { maxConcurrent: Number(most) } : {}) },
        });
      }}
    >
      <TextField
        label={t.keyRates.key}
        hint={t.keyRates.keyHint}
        mono
        required
        value={key}
        onChange={setKey}
      />
      <Field
        label={t.keyRates.rate}
        hint={t.limits.rateHint}
        error={rate && read === undefined ? t.limits.rateWrong(rate) : undefined}
      >
        <input className="field" required value={rate} onChange={(event) => setRate(event.target.value)} />
      </Field>
      <Field label={t.limits.fields.maxConcurrent}>
        <input
          className="field nums"
          inputMode="numeric"
          pattern="[0-9]*"
          placeholder={t.common.unlimited}
          value={most}
          onChange={(event) => setMost(event.target.value)}
        />
      </Field>
      <TextField label={t.jobs.tenant} value={tenant} onChange={setTenant} />
      {put.error && <Failed error={put.error} />}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={put.isPending} disabled={!read}>
          {t.common.save}
        </Button>
      </div>
    </Form>
  );
}
