import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { Field } from '../../components/basics';
import { Checkbox, Form, SelectField, Submit, TextField } from '../../components/form';
import { listOf } from '../../lib/text';
import { t } from '../../messages/en';

type Rule = Schemas['AlertRule'];
type Scope = keyof typeof t.alerts.scopeFields;

const METRICS = [
  'oldest_age',
  'wait_p99',
  'depth',
  'error_rate',
  'delivery_rejected_rate',
  'schedule_late',
  'limit_held',
  'dead_letter_growth',
  'no_worker',
  'disk_used',
  'log_bytes',
  'broker_away',
  'type_held',
];
const SCOPES = Object.keys(t.alerts.scopeFields) as Scope[];

/** A threshold as the server takes it: a number where it is one, else a duration. */
function threshold(text: string): number | string {
  return /^[0-9.]+$/.test(text) ? Number(text) : text;
}

export function RuleForm({ rule, onDone }: { rule: Rule | null; onDone: () => void }) {
  const [name, setName] = useState(rule?.name ?? '');
  const [metric, setMetric] = useState(rule?.metric ?? 'depth');
  const [side, setSide] = useState<'above' | 'below'>(
    rule?.below !== undefined && rule.below !== null ? 'below' : 'above',
  );
  const [value, setValue] = useState(String(rule?.above ?? rule?.below ?? ''));
  const [clearAt, setClearAt] = useState(String(rule?.clearAt ?? ''));
  const [hold, setHold] = useState(rule?.for ?? '0s');
  const [window_, setWindow] = useState(rule?.window ?? '');
  const [severity, setSeverity] = useState(rule?.severity ?? 'warning');
  const [routes, setRoutes] = useState(rule?.routes.join(', ') ?? '');
  const [scope, setScope] = useState<Partial<Record<Scope, string>>>(
    () => Object.fromEntries(Object.entries(rule?.scope ?? {}).filter(([, each]) => each)) as never,
  );
  const [enabled, setEnabled] = useState(rule?.enabled ?? true);
  const put = useAct('put', '/v1/alerts/rules/{name}', { done: t.alerts.ruleSaved, quiet: true, onDone });
  const submit = () => {
    const names = listOf(routes);
    put.mutate({
      path: { name },
      body: {
        metric,
        [side]: threshold(value.trim()),
        ...(clearAt.trim() ? { clearAt: threshold(clearAt.trim()) } : {}),
        for: hold || '0s',
        severity,
        enabled,
        ...(window_ ? { window: window_ } : {}),
        ...(names.length > 0 ? { routes: names } : {}),
        scope: Object.fromEntries(Object.entries(scope).filter(([, each]) => each)),
      } as Schemas['AlertRuleRequest'],
    });
  };
  return (
    <Form onSubmit={submit}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label={t.alerts.name} required disabled={rule !== null} value={name} onChange={setName} />
        <SelectField label={t.alerts.metric} value={metric} onChange={setMetric}>
          {METRICS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <Field label={t.alerts.threshold} hint={t.alerts.thresholdHint}>
          <span className="flex gap-2">
            <select
              className="field w-auto"
              aria-label={t.alerts.side}
              value={side}
              onChange={(event) => setSide(event.target.value as 'above' | 'below')}
            >
              <option value="above">{t.alerts.sideAbove}</option>
              <option value="below">{t.alerts.sideBelow}</option>
            </select>
            <input
              className="field"
              required
              aria-label={t.alerts.threshold}
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          </span>
        </Field>
        <TextField
          label={t.alerts.clearAt}
          hint={t.alerts.clearAtHint}
          value={clearAt}
          onChange={setClearAt}
        />
        <TextField label={t.alerts.forLabel} hint={t.alerts.forHint} value={hold} onChange={setHold} />
        <TextField label={t.alerts.window} hint={t.alerts.windowHint} value={window_} onChange={setWindow} />
        <SelectField label={t.alerts.severity} value={severity} onChange={setSeverity}>
          {Object.entries(t.alerts.severities).map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField label={t.alerts.routes} hint={t.alerts.routesHint} value={routes} onChange={setRoutes} />
      </div>
      <fieldset className="grid gap-3 sm:grid-cols-3">
        <legend className="mb-1 text-[13px] font-medium">{t.alerts.scope}</legend>
        {SCOPES.map((each) => (
          <Field key={each} label={t.alerts.scopeFields[each]}>
            <input
              className="field"
              value={scope[each] ?? ''}
              onChange={(event) => setScope((old) => ({ ...old, [each]: event.target.value }))}
            />
          </Field>
        ))}
      </fieldset>
      <Checkbox checked={enabled} onChange={setEnabled}>
        {t.alerts.enabled}
      </Checkbox>
      <Submit error={put.error} busy={put.isPending} />
    </Form>
  );
}
