import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Button, Card, Failed, Loading, Mono } from '../../components/basics';
import { JsonView } from '../../components/json-view';
import { Tag } from '../../components/status';
import { t } from '../../messages/en';

type Check = Schemas['DoctorCheck'];

/** Looking costs some queries, and little of it changes quickly. */
const EVERY_MS = 60_000;
const TONES: Record<string, 'ok' | 'warn' | 'bad'> = { ok: 'ok', warn: 'warn', fail: 'bad' };
const ORDER = ['fail', 'warn', 'ok', 'skipped'];

/** What `trunkline doctor` finds, the worst first: for administrators of the whole deployment. */
export function Doctor() {
  const me = useMe();
  const mayRead = me !== undefined && !me.tenant && me.can.includes('doctor.read');
  const { data, error } = useGet('/v1/doctor', {}, { every: EVERY_MS, enabled: mayRead });
  if (!mayRead) return null;
  const checks = [...(data?.checks ?? [])].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  const bad = checks.filter(({ status }) => status === 'fail' || status === 'warn').length;
  return (
    <Card title={t.doctor.title} side={data && <Summary bad={bad} />} flush>
      {error && !data && <Failed error={error} />}
      {!data && !error && <Loading />}
      <ul>
        {checks.map((check) => (
          <CheckRow key={check.check} check={check} />
        ))}
      </ul>
    </Card>
  );
}

function Summary({ bad }: { bad: number }) {
  return <span className={bad > 0 ? 'text-warn' : 'text-ok'}>{t.doctor.summary(bad)}</span>;
}

function CheckRow({ check }: { check: Check }) {
  const [isOpen, setOpen] = useState(false);
  const evidence = check.evidence ?? [];
  return (
    <li className="border-b border-line px-4 py-2 last:border-0" data-check={check.check}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="w-24">
          <Tag tone={TONES[check.status] ?? 'rest'}>{t.doctor.statuses[check.status] ?? check.status}</Tag>
        </span>
        <span className="w-28 font-medium">{t.doctor.checks[check.check] ?? check.check}</span>
        <span className="min-w-0 flex-1 basis-64 break-words text-soft">{check.detail}</span>
        {evidence.length > 0 && (
          <Button small look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t.doctor.evidence(evidence.length)}
          </Button>
        )}
      </div>
      {check.fix && (
        <p className="mt-1 break-words">
          <span className="text-soft">{t.doctor.fix} </span>
          <Mono>{check.fix}</Mono>
        </p>
      )}
      {isOpen && (
        <div className="mt-2">
          <JsonView value={evidence} label={t.doctor.evidence(evidence.length)} />
        </div>
      )}
    </li>
  );
}
