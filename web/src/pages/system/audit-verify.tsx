import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { toastError } from '../../api/hooks';
import { useMe } from '../../api/me';
import { Button } from '../../components/basics';
import { t } from '../../messages/en';

type Verification = Schemas['AuditVerification'];

/** Recomputes the whole hash chain, part by part, and says where it is broken. */
export function VerifyChain() {
  const me = useMe();
  const [rows, setRows] = useState<number | null>(null);
  const [result, setResult] = useState<{ rows: number; last: Verification } | null>(null);
  // Only a key of no tenant sees the whole chain.
  if (!me || me.tenant) return null;
  const verify = async () => {
    let done = 0;
    setResult(null);
    setRows(0);
    try {
      let from: number | undefined;
      for (;;) {
        const part = await call('get', '/v1/audit/verify', { query: from ? { from } : {} });
        done += part.rows;
        setRows(done);
        if (!part.ok || part.rows === 0 || part.last.seq >= part.head.seq) {
          setResult({ rows: done, last: part });
          break;
        }
        from = part.last.seq + 1;
      }
    } catch (error) {
      toastError(error);
    } finally {
      setRows(null);
    }
  };
  const bad = result?.last.firstBad;
  return (
    <>
      {result && (
        <span role="status" className={`text-[13px] ${result.last.ok ? 'text-ok' : 'font-medium text-bad'}`}>
          {bad
            ? t.audit.broken(bad.seq, t.audit.problems[bad.problem] ?? bad.problem)
            : t.audit.verified(result.rows, result.last.head.seq)}
        </span>
      )}
      <Button busy={rows !== null} onClick={() => void verify()}>
        {rows === null ? t.audit.verify : t.audit.verifying(rows)}
      </Button>
    </>
  );
}
