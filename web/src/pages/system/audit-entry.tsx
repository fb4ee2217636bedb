import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Card, FactList, Mono } from '../../components/basics';
import { Code } from '../../components/code';
import { Dialog } from '../../components/dialog';
import { Go } from '../../components/go';
import { JsonView } from '../../components/json-view';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { writeJson } from '../../lib/json';
import { auditQueryOf } from '../../lib/query';
import { t } from '../../messages/en';

type Line = Schemas['AuditLine'];

const has = (value: unknown) => value !== undefined && value !== null;

/** An entry with everything that is known about it, and what it changed. */
export function AuditEntry({ line }: { line: Line }) {
  return (
    <div className="space-y-4">
      <FactList
        columns={3}
        facts={[
          [t.audit.at, <Time key="at" at={line.at} full />],
          [t.audit.subject, <Mono key="s">{line.subject}</Mono>],
          [t.audit.actor, <Mono key="a">{line.actor}</Mono>],
          [t.jobs.tenant, line.tenant],
          [t.audit.outcome, line.outcome && (t.audit.outcomes[line.outcome] ?? line.outcome)],
          [t.audit.reason, line.reason],
          [t.audit.door, line.door && (t.audit.doors[line.door] ?? line.door)],
          [t.audit.address, line.address],
          [t.audit.client, line.userAgent],
          [t.audit.request, line.requestId && <Mono>{line.requestId}</Mono>],
          [t.audit.batch, line.batch && <Go to={`/batches/${line.batch}`}>{shortId(line.batch)}</Go>],
          [t.audit.seq, has(line.seq) ? String(line.seq) : t.audit.notSealed],
          [t.audit.hash, line.hash && <Mono>{line.hash}</Mono>],
        ]}
      />
      {(has(line.before) || has(line.after)) && (
        <section>
          <h3 className="mb-1 font-medium">{t.audit.changed}</h3>
          <Code
            label={t.audit.changed}
            value={writeJson(line.after ?? null, 2)}
            original={writeJson(line.before ?? null, 2)}
          />
        </section>
      )}
      {has(line.detail) && (
        <section>
          <h3 className="mb-1 font-medium">{t.audit.detail}</h3>
          <JsonView value={line.detail} label={t.audit.detail} />
        </section>
      )}
    </div>
  );
}

const SLICE = 6;

interface SliceProps {
  /** Which entries: those about an object, of an action, or that a query finds. */
  of: { subject: string } | { action: string } | { q: string };
  title: string;
  /** Whether the object of each entry is named. */
  withSubject?: boolean;
}

/** The newest of some entries of the audit log, each with what it changed. */
export function AuditList({ of, title, withSubject = false }: SliceProps) {
  const mayRead = useCan('audit.read');
  const [shown, setShown] = useState<Line | null>(null);
  const { data } = useGet('/v1/audit', { query: { ...of, limit: SLICE } }, { enabled: mayRead });
  if (!mayRead || !data) return null;
  return (
    <Card
      title={title}
      side={
        <Go to="/audit" search={of} className="link text-[13px]">
          {t.audit.sliceAll}
        </Go>
      }
    >
      {data.items.length === 0 && (
        <p className="text-soft">{data.nextCursor ? t.audit.sliceShort : t.audit.sliceEmpty}</p>
      )}
      <ul className="space-y-1.5">
        {data.items.map((line) => (
          <li key={line.id} className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className={line.outcome === 'refused' ? 'text-bad' : ''}>
              <button type="button" className="hover:underline" onClick={() => setShown(line)}>
                {line.action}
              </button>{' '}
              {withSubject && <Mono>{shortId(line.subject)}</Mono>}{' '}
              <span className="text-[13px] text-soft" title={line.actor}>
                {shortId(line.actor)}
                {line.door && ` · ${t.audit.doors[line.door] ?? line.door}`}
              </span>
            </span>
            <span className="text-[13px] text-soft">
              <Time at={line.at} />
            </span>
          </li>
        ))}
      </ul>
      <Dialog
        title={shown?.action ?? ''}
        open={shown !== null}
        onClose={() => setShown(null)}
        wide
        keeps={false}
      >
        {shown && <AuditEntry line={shown} />}
      </Dialog>
    </Card>
  );
}

/** The entries of the audit log that are about one object. */
export function AuditSlice({ subject }: { subject: string }) {
  return <AuditList of={{ subject }} title={t.audit.slice} />;
}

/** The entries of the audit log that are about a workflow or one of its versions. */
export function WorkflowAuditSlice({ workflow }: { workflow: string }) {
  return <AuditList of={{ q: auditQueryOf(workflow) }} title={t.audit.slice} withSubject />;
}
