import { useMemo, useState } from 'react';
import { isRecord, parseExactJson, writeJson, type Json } from '../lib/json';
import {
  exampleOf,
  faultsOf,
  fieldsOf,
  hasExample,
  readField,
  startOf,
  type FormField,
  type JsonSchema,
} from '../lib/schema';
import { t } from '../messages/en';
import { Button, Failed, Field } from './basics';
import { Code } from './code';

interface SchemaFormProps {
  schema: JsonSchema | null | undefined;
  /** What the button says. */
  label: string;
  busy: boolean;
  error: unknown;
  start?: Json;
  onSubmit: (value: Json) => void;
}

/**
 * A form made from a JSON Schema, or JSON where there is none or somebody prefers it. A field says what is wrong with it once it was
 * typed in, the others when the form is sent.
 */
export function SchemaForm({ schema, label, busy, error, start, onSubmit }: SchemaFormProps) {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [asJson, setAsJson] = useState(fields === null);
  const [value, setValue] = useState<Record<string, Json>>(() => ({
    ...startOf(schema),
    ...(start as Record<string, Json> | undefined),
  }));
  const [text, setText] = useState(() => writeJson(value, 2));
  const [shown, setShown] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const parsed = useMemo(() => {
    if (!asJson) return { value: value as Json, fault: null };
    try {
      return { value: text.trim() === '' ? null : parseExactJson(text), fault: null };
    } catch (failure) {
      return { value: null, fault: String(failure instanceof Error ? failure.message : failure) };
    }
  }, [asJson, text, value]);
  const faults = parsed.fault ? [] : faultsOf(parsed.value, schema);
  const fill = () => {
    const example = exampleOf(schema);
    setText(writeJson(example, 2));
    if (isRecord(example)) setValue(example);
  };
  const toggle = () => {
    if (asJson && fields) {
      if (parsed.fault || typeof parsed.value !== 'object' || parsed.value === null) return;
      setValue(parsed.value as Record<string, Json>);
    } else setText(writeJson(value, 2));
    setAsJson(!asJson);
  };
  return (
    <form
      className="space-y-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setShown(true);
        if (!parsed.fault && faults.length === 0) onSubmit(parsed.value);
      }}
    >
      {asJson || !fields ? (
        <Code label={t.form.json} value={text} onChange={setText} schema={schema} />
      ) : (
        fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={value[field.name]}
            fault={shown || touched.has(field.name) ? faultOf(field, faults, value) : undefined}
            onChange={(next) => {
              setTouched((old) => new Set(old).add(field.name));
              setValue((old) => {
                const rest = Object.fromEntries(Object.entries(old).filter(([name]) => name !== field.name));
                return next === undefined ? rest : { ...rest, [field.name]: next };
              });
            }}
          />
        ))
      )}
      {parsed.fault && <p className="text-bad">{parsed.fault}</p>}
      {shown && faults.length > 0 && (
        <ul role="alert" className="list-disc pl-5 text-[13px] text-bad">
          {faults.slice(0, 10).map((fault) => (
            <li key={fault.pointer + fault.message}>
              <code className="font-mono">{fault.pointer || '/'}</code> {fault.message}
            </li>
          ))}
        </ul>
      )}
      {error !== null && error !== undefined && <Failed error={error} />}
      <div className="flex items-center gap-2">
        <Button look="main" type="submit" busy={busy}>
          {label}
        </Button>
        {fields && (
          <Button look="quiet" onClick={toggle}>
            {asJson ? t.form.asForm : t.form.asJson}
          </Button>
        )}
        {hasExample(schema) && (
          <Button look="quiet" onClick={fill}>
            {t.form.example}
          </Button>
        )}
      </div>
    </form>
  );
}

function faultOf(
  field: FormField,
  faults: { pointer: string; message: string }[],
  value: Record<string, Json>,
): string | undefined {
  if (field.isRequired && value[field.name] === undefined) return t.form.required;
  return faults.find(({ pointer }) => pointer === `/${field.name}` || pointer.startsWith(`/${field.name}/`))
    ?.message;
}

function FieldInput({
  field,
  value,
  fault,
  onChange,
}: {
  field: FormField;
  value: Json | undefined;
  fault: string | undefined;
  onChange: (value: Json | undefined) => void;
}) {
  const text = value === undefined ? '' : typeof value === 'string' ? value : writeJson(value);
  const common = { 'aria-invalid': fault !== undefined, placeholder: field.example };
  const read = (next: string) => onChange(readField(field, next));
  if (field.kind === 'boolean') {
    return (
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-(--accent)"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span className="font-medium">{field.title}</span>
        {field.hint && <span className="text-[13px] text-soft">{field.hint}</span>}
      </label>
    );
  }
  return (
    <Field label={field.isRequired ? `${field.title} *` : field.title} hint={field.hint} error={fault}>
      {field.kind === 'choice' ? (
        <select
          className="field"
          value={text}
          onChange={(event) =>
            onChange(
              field.choices.find(
                (choice) => (typeof choice === 'string' ? choice : writeJson(choice)) === event.target.value,
              ),
            )
          }
        >
          <option value="">–</option>
          {field.choices.map((choice) => {
            const name = typeof choice === 'string' ? choice : writeJson(choice);
            return <option key={name}>{name}</option>;
          })}
        </select>
      ) : field.kind === 'long-text' || field.kind === 'json' ? (
        <textarea
          className="field font-mono"
          rows={3}
          {...common}
          value={text}
          onChange={(event) => read(event.target.value)}
        />
      ) : (
        <input
          className="field"
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          {...common}
          value={text}
          onChange={(event) => read(event.target.value)}
        />
      )}
    </Field>
  );
}
