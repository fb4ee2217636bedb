import { call, type Schemas } from '../../api/client';
import { useGet, useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Bars } from '../../components/bars';
import { Card, Empty } from '../../components/basics';
import { Go } from '../../components/go';
import { ListHead } from '../../components/list-head';
import { useSelection } from '../../components/selection';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Tabs } from '../../components/tabs';
import { Time } from '../../components/time';
import { t } from '../../messages/en';
import { Bulk } from '../batches/bulk';
import { Decide } from './decide';

type Group = Schemas['DeadLetterGroup'];

const STATES = ['open', 'resolved', 'ignored', 'all'] as const;
const FILTER_NAMES = [
  'queue',
  'jobType',
  'workflow',
  'tenant',
  'fingerprint',
  'reason',
  'status',
  'from',
  'to',
] as const;

const COLUMNS: Column<Group>[] = [
  {
    id: 'error',
    head: t.job.error,
    cell: (group) => (
      <>
        <Go
          to="/dead-letters"
          search={{ view: 'list', fingerprint: group.fingerprint }}
          className="line-clamp-2 max-w-2xl font-mono text-[13px] break-all text-bad hover:underline"
        >
          {group.error.message}
        </Go>
        <Standing group={group} short />
      </>
    ),
  },
  {
    id: 'code',
    head: t.dead.code,
    from: 'xl',
    cell: (group) => group.error.code && <Tag tone="bad">{group.error.code}</Tag>,
  },
  { id: 'type', head: t.jobs.type, from: 'sm', cell: (group) => group.jobType },
  { id: 'count', head: t.dead.count, align: 'right', cell: (group) => <strong>{group.count}</strong> },
  { id: 'trend', head: t.issues.trend, from: 'md', cell: (group) => <Trend group={group} /> },
  { id: 'tenants', head: t.issues.tenants, from: 'xl', cell: (group) => <Tenants group={group} /> },
  {
    id: 'first',
    head: t.dead.first,
    from: 'lg',
    align: 'right',
    cell: (group) => <Time at={group.firstAt} />,
  },
  { id: 'last', head: t.dead.last, align: 'right', cell: (group) => <Time at={group.lastAt} /> },
  {
    id: 'decide',
    head: <span className="sr-only">{t.issues.decide}</span>,
    from: 'sm',
    align: 'right',
    cell: (group) => <Decide group={group} />,
  },
];

const idOf = (group: Group) => group.fingerprint + group.jobType;

/** A filter names no more errors. */
const ERRORS_MAX = 50;

/** The server gives no more groups, and the list has no further pages. */
const GROUPS_MAX = 500;

/** The errors of all groups that match, of which the list may show a part. */
async function fingerprintsOf(query: Record<string, string | undefined>): Promise<string> {
  const request = { query: { ...query, limit: GROUPS_MAX } };
  const { items } = await call('get', '/v1/dead-letters/groups', request as never);
  const found = new Set(items.map(({ fingerprint }) => fingerprint));
  if (found.size > ERRORS_MAX || items.length === GROUPS_MAX)
    throw new Error(t.bulk.tooManyErrors(ERRORS_MAX));
  return [...found].join(',');
}

/** Open dead letters by error, those that somebody has to look at first. */
export function Groups() {
  const [filters, change] = useFilters();
  const state = filters['state'] ?? 'open';
  const query = pick(filters, FILTER_NAMES);
  const selection = useSelection();
  const asked = { ...query, ...(state === 'all' ? {} : { state }) };
  const list = useLiveList('/v1/dead-letters/groups', { query: asked as never, idOf });
  // Bulk operations know no states of groups: they get the errors.
  const everyError = async () => ({ ...query, fingerprint: await fingerprintsOf(asked) });
  return (
    <>
      <ListHead path="/v1/dead-letters/groups" query={query} name="dead-letter-groups">
        <Tabs
          label={t.issues.views}
          tabs={STATES.map((each) => [each, t.issues.tabs[each]])}
          value={state}
          onChange={(next) => change({ state: next === 'open' ? undefined : next })}
        />
        {list.rows.length > 0 && (
          <Bulk
            kind="deadLetters"
            query={asked}
            queryOfAll={state === 'all' ? undefined : everyError}
            selection={selection}
          />
        )}
      </ListHead>
      <List
        label={t.dead.groups}
        list={list}
        columns={COLUMNS}
        idOf={idOf}
        empty={
          state === 'open' ? (
            <Empty title={t.issues.emptyOpen}>
              {t.dead.emptyBody} {t.issues.emptyOpenBody}
            </Empty>
          ) : (
            <Empty title={t.issues.emptyState}>{t.issues.emptyStateBody}</Empty>
          )
        }
      />
    </>
  );
}

/** The error that the listed dead letters have in common, with what was decided about it. */
export function Issue({ fingerprint }: { fingerprint: string }) {
  const { data } = useGet('/v1/dead-letters/groups', { query: { fingerprint } });
  return data?.items.map((group) => (
    <Card
      key={idOf(group)}
      className="mb-3"
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          {group.jobType} <Status status={group.state} label={t.issues.states[group.state] ?? group.state} />
        </span>
      }
      side={<Decide group={group} />}
    >
      <div
        data-issue={group.fingerprint}
        className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2"
      >
        <div className="min-w-0 flex-1 basis-72">
          <p className="line-clamp-4 font-mono text-[13px] break-words text-bad">{group.error.message}</p>
          <Standing group={group} />
        </div>
        <div className="space-y-1 text-right">
          <Trend group={group} />
          <p className="nums text-[13px] text-soft">
            {t.dead.first} <Time at={group.firstAt} /> · {t.dead.last} <Time at={group.lastAt} />
          </p>
          <Tenants group={group} />
        </div>
      </div>
    </Card>
  ));
}

function Trend({ group }: { group: Group }) {
  const total = group.trend.reduce((sum, count) => sum + count, 0);
  return <Bars values={group.trend} label={t.issues.trendOf(total, group.trend.at(-1) ?? 0)} />;
}

function Tenants({ group }: { group: Group }) {
  const rest = group.tenantCount - 3;
  return (
    <span className="flex flex-wrap gap-1">
      {group.tenants.slice(0, 3).map(({ tenant, count }) => (
        <Tag key={tenant}>
          {tenant} {count}
        </Tag>
      ))}
      {rest > 0 && <span className="text-[13px] text-soft">+ {t.issues.tenantsOf(rest)}</span>}
    </span>
  );
}

/** What was decided, by whom and why. Nothing for an error about which nobody decided anything. */
function Standing({ group, short = false }: { group: Group; short?: boolean }) {
  const { state, until, note, decidedBy, decidedAt, reopened } = group;
  if (!decidedAt) return null;
  return (
    <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-[13px] text-soft">
      {reopened && (
        <span title={t.issues.reopenedHint}>
          <Tag tone="warn">{t.issues.reopened}</Tag>
        </span>
      )}
      {!reopened && short && state !== 'open' && <Tag>{t.issues.states[state]}</Tag>}
      {!reopened && until?.instant && (
        <span>
          {t.issues.until} <Time at={until.instant} />
        </span>
      )}
      {!reopened && typeof until?.count === 'number' && <span>{t.issues.untilCount(until.count)}</span>}
      {!reopened && until?.workflow && typeof until.version === 'number' && (
        <span>{t.issues.untilVersion(until.workflow, until.version)}</span>
      )}
      {note && <span className="break-words text-ink">“{note}”</span>}
      {!short && decidedBy && (
        <span>
          {t.issues.decidedBy(decidedBy)} <Time at={decidedAt} />
        </span>
      )}
    </p>
  );
}
