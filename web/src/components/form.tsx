import type { ComponentProps, ReactNode } from 'react';
import { t } from '../messages/en';
import { Button, Failed, Field } from './basics';

type Labelled = { label: string; hint?: ReactNode; error?: string | undefined };

/** A form that its button sends. */
export function Form({
  className = 'space-y-3',
  onSubmit,
  children,
}: {
  className?: string;
  onSubmit: () => void;
  children: ReactNode;
}) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** Why a form was refused, and the button that sends it. */
export function Submit({
  error,
  busy,
  children = t.common.save,
}: {
  error: unknown;
  busy: boolean;
  children?: ReactNode;
}) {
  return (
    <>
      {error ? <Failed error={error} /> : null}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={busy}>
          {children}
        </Button>
      </div>
    </>
  );
}

/** A line of text under its label. What else is given is the input's. */
export function TextField({
  label,
  hint,
  error,
  mono,
  onChange,
  ...input
}: Labelled & { mono?: boolean; value: string; onChange: (value: string) => void } & Omit<
    ComponentProps<'input'>,
    'className' | 'onChange' | 'value'
  >) {
  return (
    <Field label={label} hint={hint} error={error}>
      <input
        {...input}
        className={mono ? 'field font-mono' : 'field'}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** A choice under its label; the options are its children. */
export function SelectField<T extends string>({
  label,
  hint,
  error,
  required,
  value,
  onChange,
  children,
}: Labelled & { required?: boolean; value: T; onChange: (value: T) => void; children: ReactNode }) {
  return (
    <Field label={label} hint={hint} error={error}>
      <select
        className="field"
        required={required}
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {children}
      </select>
    </Field>
  );
}

/** A box to tick, with what that means behind it. */
export function Checkbox({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        className="size-4 accent-(--accent)"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  );
}
