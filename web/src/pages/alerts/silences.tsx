import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Empty, Failed, Loading, Mono } from '../../components/basics';
import { Form, Submit, TextField } from '../../components/form';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { Labels } from './alerts';

type Silence = Schemas['Silence'];

interface DialogProps {
  open: boolean;
  rule: string;
  labels: Record<string, string>;
  onClose: () => void;
}

/** Keeps alerts from being sent for a time. */
export function SilenceDialog({ open, rule, labels, onClose }: DialogProps) {
  return (
    <Dialog title={t.alerts.silenceTitle} intro={t.alerts.silenceIntro} open={open} onClose={onClose}>
      {open && <SilenceForm rule={rule} labels={labels} onDone={onClose} />}
    </Dialog>
  );
}

function SilenceForm({
  rule,
  labels,
  onDone,
}: Omit<DialogProps, 'open' | 'onClose'> & { onDone: () => void }) {
  const [span, setSpan] = useState('2h');
  const [reason, setReason] = useState('');
  const [ruleName, setRuleName] = useState(rule);
  const add = useAct('post', '/v1/alerts/silences', { done: t.alerts.silenced_, quiet: true, onDone });
  return (
    <Form
      onSubmit={() =>
        add.mutate({ body: { for: span, reason, labels, ...(ruleName ? { rule: ruleName } : {}) } })
      }
    >
      <TextField label={t.alerts.rule} hint={t.alerts.ruleHint} value={ruleName} onChange={setRuleName} />
      {Object.keys(labels).length > 0 && <Labels labels={labels} />}
      <TextField
        label={t.alerts.duration}
        hint={t.alerts.durationHint}
        required
        value={span}
        onChange={setSpan}
      />
      <TextField
        label={t.alerts.reason}
        hint={t.alerts.reasonHint}
        required
        value={reason}
        onChange={setReason}
      />
      <Submit error={add.error} busy={add.isPending}>
        {t.alerts.silence}
      </Submit>
    </Form>
  );
}

const EVERY_MS = 10_000;

export function Silences() {
  const mayWrite = useCan('alerts.write');
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useGet('/v1/alerts/silences', {}, { every: EVERY_MS });
  const items = data?.items;
  const end = useAct('delete', '/v1/alerts/silences/{id}', { done: t.alerts.ended_ });
  const columns: Column<Silence>[] = [
    {
      id: 'rule',
      head: t.alerts.rule,
      cell: (silence) => <strong className="font-medium">{silence.rule ?? t.alerts.anyRule}</strong>,
    },
    {
      id: 'labels',
      head: t.alerts.labels,
      from: 'md',
      cell: (silence) => <Labels labels={silence.labels} />,
    },
    { id: 'reason', head: t.alerts.reason, cell: (silence) => silence.reason },
    {
      id: 'by',
      head: t.alerts.by,
      from: 'lg',
      cell: (silence) => <Mono>{shortId(silence.createdBy)}</Mono>,
    },
    { id: 'until', head: t.alerts.until, align: 'right', cell: (silence) => <Time at={silence.until} /> },
    {
      id: 'end',
      head: <span className="sr-only">{t.alerts.end}</span>,
      align: 'right',
      cell: (silence) =>
        mayWrite && (
          <ConfirmButton
            small
            label={t.alerts.end}
            title={t.alerts.end}
            body={t.alerts.silenceIntro}
            onConfirm={() => end.mutate({ path: { id: silence.id } })}
          />
        ),
    },
  ];
  return (
    <>
      {mayWrite && (
        <div className="mb-2 flex justify-end">
          <Button icon="plus" look="main" onClick={() => setOpen(true)}>
            {t.alerts.newSilence}
          </Button>
        </div>
      )}
      {error && !items && <Failed error={error} />}
      {!items && !error && <Loading />}
      {items && (
        <Card flush>
          {items.length === 0 ? (
            <Empty title={t.alerts.noSilences}>{t.alerts.noSilencesBody}</Empty>
          ) : (
            <Table
              label={t.alerts.tabs.silences}
              rows={items}
              columns={columns}
              idOf={(silence) => silence.id}
            />
          )}
        </Card>
      )}
      <SilenceDialog open={isOpen} rule="" labels={{}} onClose={() => setOpen(false)} />
    </>
  );
}
