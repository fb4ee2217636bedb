import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, type Schemas } from '../api/client';
import { writeJson } from '../lib/json';
import { t } from '../messages/en';
import { Button, Card, Empty, Failed } from './basics';
import { Time } from './time';

type Line = Schemas['StoredLogLine'];

const PAGE = 500;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const TONES: Record<string, string> = { warn: 'text-warn', error: 'text-bad', debug: 'text-soft' };

interface LogProps {
  /** Whose lines: those of a job, or of all jobs of an execution. */
  of: { job: string } | { execution: string };
  /** The attempts to choose from. */
  attempts?: number[];
  /** Whether nothing is shown where nothing was logged. */
  hideEmpty?: boolean;
}

/** What handlers logged while they worked: filtered by level and attempt, read on at its end. */
export function Log({ of, attempts = [], hideEmpty = false }: LogProps) {
  const [level, setLevel] = useState('');
  const [attempt, setAttempt] = useState('');
  const isJob = 'job' in of;
  const path = isJob ? '/v1/jobs/{id}/logs' : '/v1/executions/{id}/logs';
  const id = isJob ? of.job : of.execution;
  const query = { ...(level ? { level } : {}), ...(attempt ? { attempt: Number(attempt) } : {}) };
  const log = useInfiniteQuery({
    queryKey: [path, { path: { id }, query }],
    queryFn: ({ pageParam, signal }) =>
      call('get', path, {
        path: { id },
        query: { ...query, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) } as never,
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? null,
  });
  const lines = log.data?.pages.flatMap(({ items }) => items) ?? [];
  const { list, onScroll } = useEnd(lines.length);
  if (hideEmpty && lines.length === 0 && !level && !attempt) return null;
  return (
    <Card
      title={t.job.log}
      side={
        <span className="flex gap-2">
          {attempts.length > 1 && (
            <Choice
              label={t.log.attempt}
              value={attempt}
              options={attempts.map((number) => [String(number), t.job.attempt(number)])}
              onChange={setAttempt}
            />
          )}
          <Choice
            label={t.log.level}
            value={level}
            options={LEVELS.map((name) => [name, t.log.from(name)])}
            onChange={setLevel}
          />
        </span>
      }
      flush
    >
      {log.error && <Failed error={log.error} />}
      {!log.error && lines.length === 0 && !log.isPending && (
        <Empty title={t.log.empty}>{t.log.emptyBody}</Empty>
      )}
      {lines.length > 0 && (
        <ol
          ref={list}
          onScroll={onScroll}
          className="thin-scroll max-h-[26rem] overflow-y-auto px-4 py-2 font-mono text-[13px]"
          tabIndex={0}
          aria-label={t.job.log}
        >
          {lines.map((line) => (
            <LogLine key={`${line.jobId} ${line.attempt} ${line.line}`} line={line} withNode={!isJob} />
          ))}
        </ol>
      )}
      {log.hasNextPage && (
        <div className="flex justify-center border-t border-line p-2">
          <Button look="quiet" busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            {t.common.more}
          </Button>
        </div>
      )}
    </Card>
  );
}

/** Keeps the end in sight while lines come, for whoever has scrolled to it. */
function useEnd(count: number) {
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(false);
  const onScroll = () => {
    const box = list.current;
    if (box) isAtEnd.current = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
  };
  useEffect(() => {
    if (list.current && isAtEnd.current) list.current.scrollTop = list.current.scrollHeight;
  }, [count]);
  return { list, onScroll };
}

function LogLine({ line, withNode }: { line: Line; withNode: boolean }) {
  return (
    <li
      className="break-words whitespace-pre-wrap [contain-intrinsic-size:auto_1.25rem] [content-visibility:auto]"
      data-level={line.level}
    >
      <span className="text-soft">
        <Time at={line.at} /> {withNode && line.nodeId ? `${line.nodeId} ` : ''}#{line.attempt}{' '}
      </span>
      <span className={TONES[line.level] ?? ''}>{line.message ?? t.log.hidden}</span>
      {line.fields && <span className="text-soft"> {writeJson(line.fields)}</span>}
    </li>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      className="field w-auto py-0.5 text-[13px]"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{t.common.all}</option>
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}
