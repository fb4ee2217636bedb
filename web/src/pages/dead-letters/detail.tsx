import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { PAYLOAD_MAX } from '../../api/payloads';
import { Button, Card, FactList, Loading, Mono, PageHead } from '../../components/basics';
import { Form, Submit, TextField } from '../../components/form';
import { Attributes, hasAttributes } from '../../components/attributes';
import { CopyMenu, Id } from '../../components/copy';
import { Dialog } from '../../components/dialog';
import { Go } from '../../components/go';
import { ObjectFailed } from '../../components/object-failed';
import { Payload } from '../../components/payload';
import { Status, Tag } from '../../components/status';
import { Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { cli } from '../../lib/commands';
import { incidentOfLetter } from '../../lib/incident';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { Attempts, ErrorCard } from '../jobs/detail';
import { AuditSlice } from '../system/audit-entry';
import { Requeue } from './requeue';

type DeadLetter = Schemas['DeadLetter'];

const LIST = { to: '/dead-letters', label: t.dead.title };

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: letter, error } = useGet('/v1/dead-letters/{id}', {
    path: { id },
    query: { maxPayload: PAYLOAD_MAX },
  });
  if (error && !letter) return <ObjectFailed error={error} name={id} list={LIST} />;
  if (!letter) return <Loading />;
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {letter.jobType} <Status status={letter.status} />
          </span>
        }
        intro={<Id id={letter.id} />}
      >
        <Actions letter={letter} />
      </PageHead>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <div className="min-w-0 space-y-4">
          <ErrorCard error={letter.error} />
          <Card title={t.job.data}>
            <Payload value={letter.data} omitted={letter.omitted} field="data" label={t.job.data} />
          </Card>
        </div>
        <div className="min-w-0 space-y-4">
          <Attempts attempts={letter.attempts ?? []} />
          <Card title={t.job.facts}>
            <FactList
              facts={[
                [t.dead.reason, t.dead.reasons[letter.reason] ?? letter.reason],
                [
                  t.dead.fingerprint,
                  <Go key="f" to="/dead-letters" search={{ view: 'list', fingerprint: letter.fingerprint }}>
                    <Mono>{letter.fingerprint}</Mono>
                  </Go>,
                ],
                [
                  t.jobs.id,
                  <Go key="j" to={`/jobs/${letter.jobId}`}>
                    <Mono>{shortId(letter.jobId)}</Mono>
                  </Go>,
                ],
                [t.jobs.queue, t.queues[letter.queue] ?? letter.queue],
                [t.jobs.tenant, letter.tenant],
                [t.jobs.priority, letter.priority],
                [
                  t.jobs.workflow,
                  letter.workflow && <WorkflowLink name={letter.workflow} tenant={letter.tenant} />,
                ],
                [
                  t.jobs.execution,
                  letter.executionId && (
                    <Go
                      to={`/executions/${letter.executionId}`}
                      search={letter.nodeId ? { node: letter.nodeId } : {}}
                    >
                      <Mono>{shortId(letter.executionId)}</Mono>
                    </Go>
                  ),
                ],
                [t.jobs.node, letter.nodeId],
                [
                  t.job.attributes,
                  hasAttributes(letter.attributes) && (
                    <Attributes key="a" of={letter.attributes} to="/dead-letters" view="list" />
                  ),
                ],
                [t.dead.died, <Time key="d" at={letter.diedAt} full />],
                [t.dead.resolved, letter.resolvedAt && <Time at={letter.resolvedAt} full />],
                [t.dead.archiveReason, letter.archiveReason && <Tag>{letter.archiveReason}</Tag>],
              ]}
            />
          </Card>
          <AuditSlice subject={letter.id} />
        </div>
      </div>
    </>
  );
}

function Actions({ letter }: { letter: DeadLetter }) {
  const mayRequeue = useCan('deadLetters.requeue');
  const mayArchive = useCan('deadLetters.archive');
  const [shown, setShown] = useState<'requeue' | 'archive' | null>(null);
  const close = () => setShown(null);
  const isOpen = letter.status === 'open';
  return (
    <>
      {mayRequeue && isOpen && (
        <Button look="main" icon="refresh" onClick={() => setShown('requeue')}>
          {t.dead.editAndRequeue}
        </Button>
      )}
      {mayArchive && isOpen && <Button onClick={() => setShown('archive')}>{t.dead.archive}</Button>}
      <CopyMenu
        json={letter}
        path={`/v1/dead-letters/${letter.id}`}
        command={cli('dlq', 'show', letter.id)}
        more={[{ label: t.copy.incident, text: () => incidentOfLetter(letter, location.href) }]}
      />
      <Dialog
        title={t.dead.requeueTitle}
        intro={t.dead.requeueIntro}
        open={shown === 'requeue'}
        onClose={close}
        wide
      >
        <Requeue letter={letter} onDone={close} />
      </Dialog>
      <Dialog title={t.dead.archiveTitle} open={shown === 'archive'} onClose={close}>
        <ArchiveForm id={letter.id} onDone={close} />
      </Dialog>
    </>
  );
}

function ArchiveForm({ id, onDone }: { id: string; onDone: () => void }) {
  const [reason, setReason] = useState('');
  const archive = useAct('post', '/v1/dead-letters/{id}/archive', {
    done: t.dead.archived,
    quiet: true,
    onDone,
  });
  return (
    <Form onSubmit={() => archive.mutate({ path: { id }, body: { reason } })}>
      <TextField
        label={t.dead.archiveReason}
        hint={t.dead.archiveHint}
        required
        value={reason}
        onChange={setReason}
      />
      <Submit error={archive.error} busy={archive.isPending}>
        {t.dead.archive}
      </Submit>
    </Form>
  );
}
