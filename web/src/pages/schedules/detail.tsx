import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet, useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Empty, FactList, Loading, Mono, PageHead } from '../../components/basics';
import { CopyMenu } from '../../components/copy';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Go } from '../../components/go';
import { JsonView } from '../../components/json-view';
import { ObjectFailed } from '../../components/object-failed';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { cli } from '../../lib/commands';
import { shortId } from '../../lib/ids';
import { duration } from '../../lib/time';
import { t } from '../../messages/en';
import { BackfillForm } from './backfill';
import { ScheduleForm } from './form';
import { Slots } from './slots';
import { AuditSlice } from '../system/audit-entry';

type Schedule = Schemas['Schedule'];
type Run = Schemas['ScheduleRun'];

const RUN_COLUMNS: Column<Run>[] = [
  { id: 'slot', head: t.schedules.slot, cell: (run) => <Time at={run.scheduledFor} full /> },
  { id: 'status', head: t.jobs.status, cell: (run) => <Status status={run.status} /> },
  {
    id: 'reason',
    head: t.schedules.reason,
    from: 'sm',
    cell: (run) => t.schedules.reasons[run.reason] ?? run.reason,
  },
  { id: 'late', head: t.schedules.late, from: 'md', align: 'right', cell: (run) => duration(run.lateMs) },
  {
    id: 'skip',
    head: t.schedules.skipped,
    from: 'md',
    cell: (run) => run.skipReason && (t.schedules.skipReasons[run.skipReason] ?? run.skipReason),
  },
  {
    id: 'execution',
    head: t.jobs.execution,
    align: 'right',
    cell: (run) =>
      run.executionId && (
        <Go to={`/executions/${run.executionId}`}>
          <Mono>{shortId(run.executionId)}</Mono>
        </Go>
      ),
  },
];

const LIST = { to: '/schedules', label: t.schedules.title };

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: schedule, error } = useGet('/v1/schedules/{id}', { path: { id } });
  const { data: preview } = useGet('/v1/schedules/{id}/preview', { path: { id }, query: { count: 10 } });
  const runs = useLiveList('/v1/schedules/{id}/runs', {
    path: { id },
    idOf: (run) => run.scheduledFor + run.reason,
  });
  if (error && !schedule) return <ObjectFailed error={error} name={id} list={LIST} />;
  if (!schedule) return <Loading />;
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {schedule.name} <Status status={schedule.paused ? 'paused' : 'active'} />
          </span>
        }
        intro={schedule.description}
      >
        <Actions schedule={schedule} />
      </PageHead>
      {schedule.warnings.length > 0 && (
        <ul className="mb-4 list-disc rounded-xl border border-line bg-warn-tint py-2.5 pr-4 pl-8 text-warn">
          {schedule.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <section className="min-w-0">
          <h2 className="mb-2 font-semibold">{t.schedules.runs}</h2>
          <List
            label={t.schedules.runs}
            list={runs}
            columns={RUN_COLUMNS}
            idOf={(run) => run.scheduledFor + run.reason}
            empty={<Empty title={t.schedules.noRuns}>{t.schedules.noRunsBody}</Empty>}
          />
        </section>
        <div className="min-w-0 space-y-4">
          {preview && (
            <Card title={t.schedules.nextSlots}>
              <Slots preview={preview} timezone={schedule.timezone} />
            </Card>
          )}
          <Card title={t.job.facts}>
            <FactList
              facts={[
                [t.jobs.workflow, <WorkflowLink key="w" name={schedule.workflow} tenant={schedule.tenant} />],
                [t.schedules.cron, schedule.cron && <Mono>{schedule.cron}</Mono>],
                [t.schedules.every, schedule.every && <Mono>{schedule.every}</Mono>],
                [t.schedules.zone, schedule.timezone],
                [t.schedules.misfire, schedule.misfire],
                [t.schedules.catchUp, schedule.catchUpWindow],
                [t.schedules.overlap, schedule.overlap],
                [t.schedules.jitter, schedule.jitter],
                [t.jobs.priority, schedule.priority],
                [t.jobs.tenant, <Tag key="t">{schedule.tenant}</Tag>],
                [t.schedules.startAt, schedule.startAt && <Time at={schedule.startAt} full />],
                [t.schedules.endAt, schedule.endAt && <Time at={schedule.endAt} full />],
                [t.job.created, <Time key="cr" at={schedule.createdAt} full />],
              ]}
            />
          </Card>
          {schedule.input !== undefined && schedule.input !== null && (
            <Card title={t.execution.input}>
              <JsonView value={schedule.input} label={t.execution.input} />
            </Card>
          )}
          <AuditSlice subject={schedule.id} />
        </div>
      </div>
    </>
  );
}

function Actions({ schedule }: { schedule: Schedule }) {
  const mayChange = useCan('schedules.write');
  const mayRun = useCan('schedules.run');
  const navigate = useNavigate();
  const [shown, setShown] = useState<'edit' | 'backfill' | null>(null);
  const path = { id: schedule.id };
  const run = useAct('post', '/v1/schedules/{id}/run', { done: t.schedules.ran });
  const pause = useAct('post', '/v1/schedules/{id}/pause', { done: t.schedules.pausedNow });
  const resume = useAct('post', '/v1/schedules/{id}/resume', { done: t.schedules.resumedNow });
  const remove = useAct('delete', '/v1/schedules/{id}', {
    done: t.schedules.removed,
    leaves: true,
    onDone: () => void navigate({ to: '/schedules' as never }),
  });
  const close = () => setShown(null);
  return (
    <>
      {mayRun && (
        <Button look="main" icon="play" busy={run.isPending} onClick={() => run.mutate({ path })}>
          {t.schedules.runNow}
        </Button>
      )}
      {mayRun && <Button onClick={() => setShown('backfill')}>{t.schedules.backfill}</Button>}
      {mayChange && (
        <>
          {schedule.paused ? (
            <Button icon="play" busy={resume.isPending} onClick={() => resume.mutate({ path })}>
              {t.overview.resume}
            </Button>
          ) : (
            <Button icon="pause" busy={pause.isPending} onClick={() => pause.mutate({ path })}>
              {t.overview.pause}
            </Button>
          )}
          <Button onClick={() => setShown('edit')}>{t.schedules.edit}</Button>
          <ConfirmButton
            look="danger"
            label={t.schedules.remove}
            title={t.schedules.removeTitle(schedule.name)}
            body={t.schedules.removeBody}
            onConfirm={() => remove.mutate({ path })}
          />
        </>
      )}
      <CopyMenu
        json={schedule}
        path={`/v1/schedules/${schedule.id}`}
        command={cli('schedule', 'show', schedule.id)}
      />
      <Dialog title={t.schedules.edit} open={shown === 'edit'} onClose={close} wide>
        <ScheduleForm schedule={schedule} onDone={close} />
      </Dialog>
      <Dialog
        title={t.schedules.backfill}
        intro={t.schedules.backfillIntro}
        open={shown === 'backfill'}
        onClose={close}
      >
        <BackfillForm schedule={schedule} onDone={close} />
      </Dialog>
    </>
  );
}
