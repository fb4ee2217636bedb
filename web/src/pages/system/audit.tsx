import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { Empty, Mono, PageHead } from '../../components/basics';
import { Go } from '../../components/go';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { pageOfId, shortId } from '../../lib/ids';
import { writeJson } from '../../lib/json';
import { t } from '../../messages/en';

type Line = Schemas['AuditLine'];

const COLUMNS: Column<Line>[] = [
  { id: 'at', head: t.audit.at, cell: (line) => <Time at={line.at} full /> },
  {
    id: 'action',
    head: t.audit.action,
    cell: (line) => <strong className="font-medium">{line.action}</strong>,
  },
  {
    id: 'subject',
    head: t.audit.subject,
    cell: (line) => {
      const page = pageOfId(line.subject);
      const text = <Mono>{shortId(line.subject)}</Mono>;
      return page ? (
        <Go to={page} title={line.subject}>
          {text}
        </Go>
      ) : (
        <span title={line.subject}>{text}</span>
      );
    },
  },
  {
    id: 'actor',
    head: t.audit.actor,
    from: 'sm',
    cell: (line) => (
      <span title={line.actor}>
        <Mono>{shortId(line.actor)}</Mono>
      </span>
    ),
  },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (line) => line.tenant ?? '–' },
  {
    id: 'detail',
    head: t.audit.detail,
    from: 'md',
    cell: (line) =>
      line.detail !== undefined &&
      line.detail !== null && (
        <span className="line-clamp-2 max-w-xl font-mono text-[13px] break-all text-soft">
          {writeJson(line.detail)}
        </span>
      ),
  },
];

export function Page() {
  const list = useLiveList('/v1/audit', { idOf: (line) => line.id });
  return (
    <>
      <PageHead title={t.audit.title} intro={t.audit.intro} />
      <List
        label={t.audit.title}
        list={list}
        columns={COLUMNS}
        idOf={(line) => line.id}
        empty={<Empty title={t.audit.empty} />}
      />
    </>
  );
}
