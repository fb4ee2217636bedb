import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button, Card, Failed, Loading, Mono } from '../../components/basics';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { t } from '../../messages/en';
import { Labels, Severity } from './alerts';
import { RuleForm } from './rule-form';

type Rule = Schemas['AlertRule'];

/** A threshold as it was written. */
function condition(rule: Rule): string {
  const isAbove = rule.above !== undefined && rule.above !== null;
  const side = isAbove ? t.alerts.above(String(rule.above)) : t.alerts.below(String(rule.below));
  return rule.for === '0s' ? side : `${side} ${t.alerts.for(rule.for)}`;
}

function scopeOf(rule: Rule): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rule.scope).filter(([, value]) => value !== null && value !== undefined),
  ) as Record<string, string>;
}

const EVERY_MS = 10_000;

export function Rules() {
  const mayWrite = useCan('alerts.write');
  const [edited, setEdited] = useState<Rule | 'new' | null>(null);
  const { data, error } = useGet('/v1/alerts/rules', {}, { every: EVERY_MS });
  const items = data?.items;
  const remove = useAct('delete', '/v1/alerts/rules/{name}', { done: t.alerts.ruleRemoved });
  const columns: Column<Rule>[] = [
    {
      id: 'name',
      head: t.alerts.rule,
      cell: (rule) => (
        <span className="flex flex-wrap items-center gap-2">
          <strong className="font-medium">{rule.name}</strong>
          {!rule.enabled && <Tag>{t.alerts.off}</Tag>}
        </span>
      ),
    },
    { id: 'metric', head: t.alerts.metric, from: 'md', cell: (rule) => <Mono>{rule.metric}</Mono> },
    { id: 'when', head: t.alerts.condition, cell: condition },
    {
      id: 'severity',
      head: t.alerts.severity,
      from: 'sm',
      cell: (rule) => <Severity severity={rule.severity} />,
    },
    {
      id: 'scope',
      head: t.alerts.scope,
      from: 'lg',
      cell: (rule) => {
        const scope = scopeOf(rule);
        return Object.keys(scope).length > 0 ? <Labels labels={scope} /> : t.alerts.everything;
      },
    },
    { id: 'routes', head: t.alerts.sendsTo, from: 'md', cell: (rule) => rule.routes.join(', ') },
    {
      id: 'do',
      head: <span className="sr-only">{t.alerts.edit}</span>,
      align: 'right',
      cell: (rule) =>
        mayWrite && (
          <span className="flex flex-wrap justify-end gap-2">
            <Button small onClick={() => setEdited(rule)}>
              {t.alerts.edit}
            </Button>
            <ConfirmButton
              small
              look="danger"
              label={t.alerts.remove}
              title={t.alerts.removeRule(rule.name)}
              body={t.alerts.removeRuleBody}
              onConfirm={() => remove.mutate({ path: { name: rule.name } })}
            />
          </span>
        ),
    },
  ];
  return (
    <>
      {mayWrite && (
        <div className="mb-2 flex justify-end">
          <Button icon="plus" look="main" onClick={() => setEdited('new')}>
            {t.alerts.newRule}
          </Button>
        </div>
      )}
      {error && !items && <Failed error={error} />}
      {!items && !error && <Loading />}
      {items && (
        <Card flush>
          <Table label={t.alerts.tabs.rules} rows={items} columns={columns} idOf={(rule) => rule.name} />
        </Card>
      )}
      <Dialog
        title={edited && edited !== 'new' ? t.alerts.editRule(edited.name) : t.alerts.newRule}
        open={edited !== null}
        onClose={() => setEdited(null)}
        wide
      >
        {edited && <RuleForm rule={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />}
      </Dialog>
    </>
  );
}
