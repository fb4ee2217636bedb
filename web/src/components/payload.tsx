import { useEffect, useRef, useState } from 'react';
import { addressOf } from '../api/client';
import { omittedOf, PAYLOAD_MAX, readBeginning, readWhole, type Omitted } from '../api/payloads';
import { byteSize } from '../lib/bytes';
import { parseJson } from '../lib/json';
import { t } from '../messages/en';
import { Button, Failed } from './basics';
import { JsonView } from './json-view';

/** So much is shown of a payload that is not loaded whole. */
const BEGINNING_BYTES = 16 * 1024;

interface PayloadProps {
  label: string;
  /** The value, where it came along. */
  value: unknown;
  /** What was left out of the answer, and which of it this is. */
  omitted?: readonly Omitted[] | null | undefined;
  field: string;
}

/** A payload. Large ones are loaded when somebody asks for them, in part or whole, or saved without being shown. */
export function Payload({ label, value, omitted, field }: PayloadProps) {
  const left = omittedOf(omitted, field);
  return left ? (
    <LeftOut key={left.href + left.sha256} left={left} label={label} />
  ) : (
    <JsonView value={value} label={label} />
  );
}

type Shown = { beginning: string } | { whole: unknown } | { error: unknown } | null;

function LeftOut({ left, label }: { left: Omitted; label: string }) {
  const [shown, setShown] = useState<Shown>(null);
  const [busy, setBusy] = useState<'beginning' | 'whole' | null>(null);
  const running = useRef<AbortController | null>(null);
  const load = async (what: 'beginning' | 'whole') => {
    running.current?.abort();
    const mine = (running.current = new AbortController());
    setBusy(what);
    const { href } = left;
    let next: Shown;
    try {
      next =
        what === 'whole'
          ? { whole: parseJson(await readWhole(href, mine.signal)) }
          : { beginning: await readBeginning(href, BEGINNING_BYTES, mine.signal) };
    } catch (error) {
      next = { error };
    }
    if (mine.signal.aborted) return;
    setShown(next);
    setBusy(null);
  };
  // Small ones are only left out where many objects are read together.
  const isSmall = left.bytes <= PAYLOAD_MAX;
  useEffect(() => {
    if (isSmall) void load('whole');
    return () => running.current?.abort();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  if (shown && 'whole' in shown) return <JsonView value={shown.whole} label={label} wasAsked />;
  const isBegun = shown !== null && 'beginning' in shown;
  return (
    <div className="space-y-2" data-omitted={left.field}>
      <div className="flex flex-wrap items-center gap-2">
        <span className="mr-1 text-soft" title={`SHA-256 ${left.sha256}`}>
          {isBegun
            ? t.json.beginningOf(byteSize(BEGINNING_BYTES), byteSize(left.bytes))
            : t.json.notLoaded(byteSize(left.bytes))}
        </span>
        {!isBegun && (
          <Button small busy={busy === 'beginning'} onClick={() => void load('beginning')}>
            {t.json.beginning}
          </Button>
        )}
        <Button small busy={busy === 'whole'} onClick={() => void load('whole')}>
          {t.json.loadAll}
        </Button>
        <a
          className="rounded-lg border border-strong bg-card px-2 py-0.5 text-[13px] font-medium hover:bg-raised"
          href={addressOf(left.href)}
          download={`${left.href.split('/').slice(3).join('-')}.json`}
        >
          {t.json.download}
        </a>
      </div>
      {shown && 'error' in shown && <Failed error={shown.error} />}
      {isBegun && (
        <pre
          role="group"
          aria-label={label}
          tabIndex={0}
          className="thin-scroll max-h-96 overflow-auto font-mono text-[13px] break-all whitespace-pre-wrap"
        >
          {shown.beginning}
          <span className="text-soft">…</span>
        </pre>
      )}
    </div>
  );
}
