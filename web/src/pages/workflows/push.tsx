import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, call } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useFilters } from '../../app/filters';
import { Button, Card, Failed, PageHead } from '../../components/basics';
import { Code } from '../../components/code';
import { isRecord, writeJson } from '../../lib/json';
import { t } from '../../messages/en';

const EXAMPLE = `name: hello
version: 1
input:
  type: object
  required: [name]
  properties:
    name: {type: string}
nodes:
  - id: greet
    type: TRANSFORM
    output: {text: "Hello, \${input.name}"}
output: {text: "\${nodes.greet.output.text}"}
`;

const CHECK_MS = 500;

/** Writes a definition, checks it while it is typed, and registers it as a version. */
export function Page() {
  const [{ from }] = useFilters();
  const { data: base } = useGet(
    '/v1/workflows/{name}',
    { path: { name: from ?? '' } },
    { enabled: from !== undefined },
  );
  if (from && !base) return null;
  return (
    <Editor
      key={from ?? ''}
      start={base ? nextVersion(base.definition, base.version) : EXAMPLE}
      original={base ? writeJson(base.definition, 2) : undefined}
    />
  );
}

function nextVersion(definition: unknown, version: number): string {
  return writeJson(isRecord(definition) ? { ...definition, version: version + 1 } : definition, 2);
}

type Check =
  | { state: 'checking' }
  | { state: 'valid'; name: string; version: number }
  | { state: 'invalid'; error: unknown };

function Editor({ start, original }: { start: string; original: string | undefined }) {
  const [text, setText] = useState(start);
  const [check, setCheck] = useState<Check>({ state: 'checking' });
  const navigate = useNavigate();
  const isJson = text.trimStart().startsWith('{');
  const body = { type: isJson ? 'application/json' : 'application/yaml', body: text };
  const push = useAct('post', '/v1/workflows', {
    done: (answer) => t.workflows.registered(answer.name, answer.version),
    quiet: true,
    onDone: (answer) =>
      void navigate({
        to: `/workflows/${answer.name}` as never,
        search: { version: String(answer.version) } as never,
      }),
  });
  useEffect(() => {
    setCheck({ state: 'checking' });
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const type = text.trimStart().startsWith('{') ? 'application/json' : 'application/yaml';
      call('post', '/v1/workflows', {
        query: { validate: true },
        text: { type, body: text },
        signal: stop.signal,
      }).then(
        ({ name, version }) => setCheck({ state: 'valid', name, version }),
        (error: unknown) => !stop.signal.aborted && setCheck({ state: 'invalid', error }),
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return (
    <>
      <PageHead
        crumbs={{ to: '/workflows', label: t.workflows.title }}
        title={t.workflows.push}
        intro={t.workflows.pushIntro}
      >
        <Button
          look="main"
          busy={push.isPending}
          disabled={check.state !== 'valid'}
          onClick={() => push.mutate({ text: body })}
        >
          {check.state === 'valid' ? t.workflows.register(check.name, check.version) : t.workflows.push}
        </Button>
      </PageHead>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <Code
          label={t.workflows.definition}
          language={isJson ? 'json' : 'yaml'}
          value={text}
          onChange={setText}
          {...(original && isJson ? { original } : {})}
        />
        <Card title={t.workflows.check}>
          <div aria-live="polite">
            {check.state === 'checking' && <p className="text-soft">{t.workflows.checking}</p>}
            {check.state === 'valid' && (
              <p className="text-ok">{t.workflows.valid(check.name, check.version)}</p>
            )}
            {check.state === 'invalid' && <Failed error={check.error} />}
            {push.error instanceof ApiError && check.state === 'valid' && <Failed error={push.error} />}
          </div>
        </Card>
      </div>
    </>
  );
}
