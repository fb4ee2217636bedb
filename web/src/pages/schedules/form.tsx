import { useEffect, useState } from 'react';
import { ApiError, call, type Schemas } from '../../api/client';
import { useAct, useAll, useGet } from '../../api/hooks';
import { Button, Failed, Field } from '../../components/basics';
import { Form, SelectField, TextField } from '../../components/form';
import { Code } from '../../components/code';
import { parseExactJson, writeJson } from '../../lib/json';
import { inputSchemaOf } from '../../lib/schema';
import { msOf } from '../../lib/time';
import { messageOf } from '../../lib/text';
import { t } from '../../messages/en';
import { Slots } from './slots';

type Schedule = Schemas['Schedule'];
type Request = Schemas['ScheduleRequest'];

const PREVIEW_MS = 400;

/** A schedule to make or to change, with what it will do in words while it is typed. */
export function ScheduleForm({ schedule, onDone }: { schedule?: Schedule; onDone: () => void }) {
  const [name, setName] = useState(schedule?.name ?? '');
  const [workflow, setWorkflow] = useState(schedule?.workflow ?? '');
  const [cron, setCron] = useState(schedule?.cron ?? schedule?.every ?? '0 9 * * 1-5');
  const [timezone, setTimezone] = useState(
    schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const [misfire, setMisfire] = useState<Request['misfire']>(schedule?.misfire ?? 'latest');
  const [overlap, setOverlap] = useState<Request['overlap']>(schedule?.overlap ?? 'skip');
  const [catchUpWindow, setWindow] = useState(schedule?.catchUpWindow ?? '1h');
  const [input, setInput] = useState(writeJson(schedule?.input ?? {}, 2));
  const [fault, setFault] = useState('');
  const of = schedule ? { tenant: schedule.tenant } : {};
  const { items: workflows } = useAll('/v1/workflows', { query: of });
  const { data: latest } = useGet(
    '/v1/workflows/{name}',
    { path: { name: workflow }, query: of },
    { enabled: workflow !== '' },
  );
  const options = { done: t.schedules.saved, quiet: true, onDone };
  const create = useAct('post', '/v1/schedules', options);
  const change = useAct('put', '/v1/schedules/{id}', options);
  const submit = () => {
    let value;
    try {
      value = input.trim() === '' ? undefined : parseExactJson(input);
    } catch (error) {
      setFault(messageOf(error));
      return;
    }
    setFault('');
    const body: Request = {
      name,
      workflow,
      ...timingOf(cron),
      timezone,
      misfire,
      overlap,
      catchUpWindow,
      ...(value === undefined ? {} : { input: value }),
      ...(schedule
        ? {
            priority: schedule.priority,
            jitter: schedule.jitter,
            paused: schedule.paused,
            tenant: schedule.tenant,
          }
        : {}),
      ...(schedule?.anchor && timingOf(cron).every ? { anchor: schedule.anchor } : {}),
      ...(schedule?.startAt ? { startAt: schedule.startAt } : {}),
      ...(schedule?.endAt ? { endAt: schedule.endAt } : {}),
    };
    if (schedule) change.mutate({ path: { id: schedule.id }, body });
    else create.mutate({ body });
  };
  const error = create.error ?? change.error;
  return (
    <Form className="grid gap-4 lg:grid-cols-2" onSubmit={submit}>
      <div className="space-y-3">
        <TextField label={t.schedules.name} required value={name} onChange={setName} />
        <SelectField label={t.jobs.workflow} required value={workflow} onChange={setWorkflow}>
          <option value="" />
          {[...new Set([...(workflow ? [workflow] : []), ...(workflows ?? []).map((each) => each.name)])].map(
            (each) => (
              <option key={each}>{each}</option>
            ),
          )}
        </SelectField>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label={t.schedules.cronOrEvery}
            hint={t.schedules.cronHint}
            mono
            required
            value={cron}
            onChange={setCron}
          />
          <TextField label={t.schedules.zone} required list="zones" value={timezone} onChange={setTimezone} />
          <datalist id="zones">
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </datalist>
          <Field label={t.schedules.misfire} hint={t.schedules.misfireHint}>
            <select
              className="field"
              value={misfire ?? ''}
              onChange={(event) => setMisfire(event.target.value as Request['misfire'])}
            >
              {['skip', 'latest', 'all'].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </Field>
          <TextField
            label={t.schedules.catchUp}
            hint={t.schedules.catchUpHint}
            value={catchUpWindow}
            onChange={setWindow}
          />
          <Field label={t.schedules.overlap} hint={t.schedules.overlapHint}>
            <select
              className="field"
              value={overlap ?? ''}
              onChange={(event) => setOverlap(event.target.value as Request['overlap'])}
            >
              {['allow', 'skip', 'queueOne', 'cancelPrevious'].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </Field>
        </div>
        <Field label={t.execution.input}>
          <Code
            label={t.execution.input}
            value={input}
            onChange={setInput}
            schema={inputSchemaOf(latest?.definition)}
          />
        </Field>
        {fault && <p className="text-bad">{fault}</p>}
        {error && <Failed error={error} />}
        <Button look="main" type="submit" busy={create.isPending || change.isPending}>
          {t.common.save}
        </Button>
      </div>
      <PreviewOf cron={cron} timezone={timezone} />
    </Form>
  );
}

/** A cron expression, or an interval such as `90s`. */
function timingOf(text: string): { cron: string; every?: never } | { every: string; cron?: never } {
  const trimmed = text.trim();
  return msOf(trimmed) === null ? { cron: text } : { every: trimmed };
}

function PreviewOf({ cron, timezone }: { cron: string; timezone: string }) {
  const [preview, setPreview] = useState<Schemas['Preview'] | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call('post', '/v1/schedules/preview', {
        body: { ...timingOf(cron), timezone, count: 10 },
        signal: stop.signal,
      }).then(
        (answer) => {
          setPreview(answer);
          setError(null);
        },
        (failure: unknown) => failure instanceof ApiError && setError(failure),
      );
    }, PREVIEW_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [cron, timezone]);
  return (
    <div className="rounded-xl border border-line p-4" aria-live="polite">
      {error !== null ? <Failed error={error} /> : preview && <Slots preview={preview} timezone={timezone} />}
    </div>
  );
}
