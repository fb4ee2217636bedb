import { useState } from 'react';
import { useFilters } from '../app/filters';
import type { Filters } from '../app/router';
import { t } from '../messages/en';
import { Icon } from './icons';

export interface FilterField {
  name: string;
  label: string;
  /** What it may be; anything where absent. */
  values?: readonly string[];
}

/** Reads `name:value name:"two words"`. What names no field is returned as the rest. */
export function parseQuery(text: string, names: readonly string[]): { filters: Filters; rest: string[] } {
  const filters: Filters = {};
  const rest: string[] = [];
  for (const match of text.matchAll(/(?:([\w-]+):)?(?:"([^"]*)"|(\S+))/g)) {
    const name = names.find((candidate) => candidate.toLowerCase() === match[1]?.toLowerCase());
    const value = match[2] ?? match[3] ?? '';
    if (name) filters[name] = value;
    else if (match[0]) rest.push(match[0]);
  }
  return { filters, rest };
}

/** Filters as chips that can be changed and removed, and a field that takes more of them. All of it is in the address. */
export function FilterBar({ fields }: { fields: FilterField[] }) {
  const [filters, change] = useFilters();
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const set = fields.filter(({ name }) => filters[name]);
  const add = () => {
    const { filters: found, rest } = parseQuery(
      text,
      fields.map(({ name }) => name),
    );
    const wrong = Object.entries(found).find(([name, value]) => {
      const values = fields.find((field) => field.name === name)?.values;
      return values && !values.includes(value ?? '');
    });
    if (rest.length > 0)
      setFault(
        t.filters.unknown(
          rest[0]!,
          fields.map(({ name }) => name),
        ),
      );
    else if (wrong)
      setFault(t.filters.wrongValue(wrong[0], fields.find(({ name }) => name === wrong[0])!.values!));
    else {
      change(found);
      setText('');
      setFault('');
    }
  };
  return (
    <div className="mb-3">
      <div className="flex flex-wrap items-center gap-1.5 rounded-xl border border-line bg-card p-1.5">
        <span className="pl-1.5 text-soft">
          <Icon name="search" />
        </span>
        {set.map((field) => (
          <Chip
            key={field.name}
            field={field}
            value={filters[field.name]!}
            onChange={(value) => change({ [field.name]: value })}
          />
        ))}
        <form
          className="flex min-w-56 flex-1"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim()) add();
          }}
        >
          <input
            data-search
            list="filter-suggestions"
            className="min-w-0 flex-1 bg-transparent px-1.5 py-1 outline-none placeholder:text-soft"
            aria-label={t.filters.label}
            placeholder={t.filters.placeholder}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setFault('');
            }}
          />
          <datalist id="filter-suggestions">
            {suggestions(fields, filters).map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </form>
        {set.length > 0 && (
          <button
            type="button"
            className="px-2 text-[13px] text-soft hover:text-ink"
            onClick={() => change(Object.fromEntries(set.map(({ name }) => [name, undefined])))}
          >
            {t.filters.clear}
          </button>
        )}
      </div>
      {fault && (
        <p role="alert" className="mt-1 text-[13px] text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

function suggestions(fields: FilterField[], filters: Filters): string[] {
  return fields
    .filter(({ name }) => !filters[name])
    .flatMap(({ name, values }) => values?.map((value) => `${name}:${value}`) ?? [`${name}:`]);
}

function Chip({
  field,
  value,
  onChange,
}: {
  field: FilterField;
  value: string;
  onChange: (value: string | undefined) => void;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const apply = () => {
    if (draft !== null && draft !== value) onChange(draft || undefined);
    setDraft(null);
  };
  return (
    <span className="inline-flex items-center gap-1 rounded-lg bg-tint py-0.5 pr-1 pl-2 text-[13px]">
      <span className="text-soft">{field.label}</span>
      {field.values ? (
        <select
          aria-label={field.label}
          className="bg-transparent font-medium"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {(field.values.includes(value) ? field.values : [value, ...field.values]).map((each) => (
            <option key={each} value={each} className="bg-card">
              {each}
            </option>
          ))}
        </select>
      ) : (
        <input
          aria-label={field.label}
          className="bg-transparent font-medium"
          size={Math.min(36, Math.max(3, (draft ?? value).length))}
          value={draft ?? value}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={apply}
          onKeyDown={(event) => event.key === 'Enter' && apply()}
        />
      )}
      <button
        type="button"
        aria-label={t.filters.remove(field.label)}
        className="rounded p-0.5 hover:bg-raised"
        onClick={() => onChange(undefined)}
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}
