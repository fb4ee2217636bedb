import type { Schemas } from '../../api/client';
import { useSetLimits } from '../../api/limits';
import { useCan } from '../../api/me';
import { Card } from '../../components/basics';
import { ConfirmButton } from '../../components/dialog';
import { Table, type Column } from '../../components/table';
import { overridesOf, type Override } from '../../lib/limits';
import { rateText } from '../../lib/rate';
import { t } from '../../messages/en';
import { LimitLink } from './limit-link';

const nameOf = ({ tenant, workflow, jobType }: Override) => t.limits.overrideOf(tenant, workflow, jobType);

const COLUMNS: Column<Override>[] = [
  {
    id: 'of',
    head: t.limits.overrideFor,
    cell: (row) => <LimitLink place={row}>{nameOf(row)}</LimitLink>,
  },
  { id: 'queue', head: t.jobs.queue, from: 'sm', cell: ({ queue }) => t.queues[queue] ?? queue },
  {
    id: 'max',
    head: t.limits.fields.maxConcurrent,
    align: 'right',
    cell: ({ maxConcurrent }) =>
      maxConcurrent === undefined ? '–' : (maxConcurrent?.toLocaleString('en') ?? t.common.unlimited),
  },
  {
    id: 'rate',
    head: t.limits.rateFields.rate,
    align: 'right',
    cell: ({ rate }) => rateText(rate) || '–',
  },
  {
    id: 'reset',
    head: <span className="sr-only">{t.limits.reset}</span>,
    align: 'right',
    cell: (row) => <Reset row={row} />,
  },
];

/** The tenants, workflows and job types that have limits of their own, so that nobody has to look for them one by one. */
export function Overrides({ limits }: { limits: Record<string, Schemas['QueueLimits']> }) {
  const { rows, total } = overridesOf(limits);
  return (
    <Card
      title={t.limits.overrides}
      side={
        rows.length > 0 && (
          <span className="nums text-[13px] text-soft" data-overrides={total}>
            {t.limits.overrideCount(rows.length, total)}
          </span>
        )
      }
      flush
    >
      {rows.length === 0 ? (
        <p className="p-4 text-soft">{t.limits.noOverrides}</p>
      ) : (
        <Table label={t.limits.overrides} rows={rows} columns={COLUMNS} idOf={({ id }) => id} />
      )}
    </Card>
  );
}

/** Gives back the default to whatever has a limit of its own. */
function Reset({ row }: { row: Override }) {
  const mayReset = useCan(row.workflow ? 'workflows.limit' : 'limits.set');
  const { set, isPending } = useSetLimits(t.limits.saved);
  if (!mayReset) return null;
  return (
    <ConfirmButton
      small
      label={t.limits.reset}
      title={t.limits.resetTitle(nameOf(row))}
      body={t.limits.resetBody}
      busy={isPending}
      onConfirm={() => set(row, row.queue, null)}
    />
  );
}
