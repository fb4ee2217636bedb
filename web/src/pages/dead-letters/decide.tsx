import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Field } from '../../components/basics';
import { Form, SelectField, Submit, TextField } from '../../components/form';
import { Dialog } from '../../components/dialog';
import { msOf } from '../../lib/time';
import { t } from '../../messages/en';

type Group = Schemas['DeadLetterGroup'];
type Decision = 'resolve' | 'ignore' | 'reopen';

const TEXTS: Record<Decision, { label: string; title: string; intro: string }> = {
  resolve: { label: t.issues.resolve, title: t.issues.resolveTitle, intro: t.issues.resolveIntro },
  ignore: { label: t.issues.ignore, title: t.issues.ignoreTitle, intro: t.issues.ignoreIntro },
  reopen: { label: t.issues.reopen, title: t.issues.reopenTitle, intro: t.issues.reopenIntro },
};

/** The buttons by which operators say what is to become of an error. */
export function Decide({ group }: { group: Group }) {
  const mayDecide = useCan('deadLetters.resolve');
  const [decision, setDecision] = useState<Decision | null>(null);
  if (!mayDecide) return null;
  const choices: Decision[] = group.state === 'open' ? ['resolve', 'ignore'] : ['reopen'];
  return (
    <span className="inline-flex gap-1.5">
      {choices.map((choice) => (
        <Button key={choice} small onClick={() => setDecision(choice)}>
          {TEXTS[choice].label}
        </Button>
      ))}
      <Dialog
        title={decision ? TEXTS[decision].title : ''}
        intro={decision ? TEXTS[decision].intro : ''}
        open={decision !== null}
        onClose={() => setDecision(null)}
      >
        {decision && <DecisionForm group={group} decision={decision} onDone={() => setDecision(null)} />}
      </Dialog>
    </span>
  );
}

/** The workflow in which a group died last, with its latest version and the one after that. Nothing for jobs of no workflow. */
function useVersions(fingerprint: string, enabled: boolean) {
  const { data: letters } = useGet('/v1/dead-letters', { query: { fingerprint, limit: 1 } }, { enabled });
  const letter = letters?.items[0];
  const name = letter?.workflow ?? '';
  const { data: latest } = useGet(
    '/v1/workflows/{name}',
    { path: { name }, query: { tenant: letter?.tenant ?? '' } },
    { enabled: enabled && name !== '' },
  );
  return latest && { workflow: name, numbers: [latest.version + 1, latest.version] };
}

interface FormProps {
  group: Group;
  decision: Decision;
  onDone: () => void;
}

function DecisionForm({ group, decision, onDone }: FormProps) {
  const [note, setNote] = useState('');
  const [span, setSpan] = useState('');
  const [count, setCount] = useState('');
  const [version, setVersion] = useState('');
  const versions = useVersions(group.fingerprint, decision === 'ignore');
  const options = (done: string) => ({ done, quiet: true, onDone });
  const path = { fingerprint: group.fingerprint };
  const resolve = useAct('post', '/v1/dead-letters/groups/{fingerprint}/resolve', options(t.issues.resolved));
  const reopen = useAct(
    'post',
    '/v1/dead-letters/groups/{fingerprint}/reopen',
    options(t.issues.reopenedNow),
  );
  const ignore = useAct('post', '/v1/dead-letters/groups/{fingerprint}/ignore', options(t.issues.ignored));
  const submit = () => {
    const kept = note ? { note } : {};
    if (decision === 'resolve') resolve.mutate({ path, body: kept });
    else if (decision === 'reopen') reopen.mutate({ path, body: kept });
    else {
      const until = {
        ...(span ? { instant: new Date(Date.now() + msOf(span)!).toISOString() } : {}),
        ...(count ? { count: Number(count) } : {}),
        ...(version && versions ? { workflow: versions.workflow, version: Number(version) } : {}),
      };
      ignore.mutate({ path, body: { ...kept, ...(span || count || version ? { until } : {}) } });
    }
  };
  const error = resolve.error ?? reopen.error ?? ignore.error;
  return (
    <Form onSubmit={submit}>
      <p className="line-clamp-3 rounded-lg bg-raised px-3 py-2 font-mono text-[13px] break-words text-bad">
        {group.error.message}
      </p>
      {decision === 'ignore' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField label={t.issues.ignoreFor} value={span} onChange={setSpan}>
            {Object.entries(t.issues.spans).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t.issues.ignoreCount}
            hint={t.issues.ignoreCountHint}
            inputMode="numeric"
            pattern="[0-9]*"
            value={count}
            onChange={setCount}
          />
          {versions && (
            <SelectField
              label={t.issues.ignoreVersion}
              hint={t.issues.ignoreVersionHint}
              value={version}
              onChange={setVersion}
            >
              <option value="">{t.issues.noVersion}</option>
              {versions.numbers.map((number) => (
                <option key={number} value={String(number)}>
                  {t.issues.untilVersion(versions.workflow, number)}
                </option>
              ))}
            </SelectField>
          )}
        </div>
      )}
      <Field label={t.issues.note} hint={t.issues.noteHint}>
        <textarea
          className="field"
          rows={2}
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </Field>
      <Submit error={error} busy={resolve.isPending || reopen.isPending || ignore.isPending}>
        {TEXTS[decision].label}
      </Submit>
    </Form>
  );
}
