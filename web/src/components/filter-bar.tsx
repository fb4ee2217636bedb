import { useState } from 'react';
import { useFilters } from '../app/filters';
import { termsOf, withoutTerm, withTerm } from '../lib/query';
import { parseQuery } from '../lib/views';
import type { Filters } from '../app/router';
import { t } from '../messages/en';
import { Icon } from './icons';
import { SearchField } from './search-field';
import { Views } from './views';

export interface FilterField {
  name: string;
  label: string;
  /** What it may be; anything where absent. */
  values?: readonly string[];
}

interface FilterBarProps {
  fields: FilterField[];
  /** Whether what names no field is a term of the list's query, such as `-tag:vip` or `created:>=now-1h`. */
  query?: boolean;
  /** Whether the server completes what is typed; as `query` where absent. */
  completed?: boolean;
  /** The list, as the server names it for completion and saved views; neither where absent. */
  list?: string;
  /** Filters of a view that have no chip, such as a state that tabs choose. */
  more?: readonly string[];
}

/** Filters of every list that have no chip of their own. */
const ALWAYS = ['from', 'to'];

/** Filters as chips that can be changed and removed, and a field that takes more of them. All of it is in the address. */
export function FilterBar({ fields, query = false, completed = query, list, more = [] }: FilterBarProps) {
  const [filters, change] = useFilters();
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const set = fields.filter(({ name }) => filters[name]);
  const terms = query ? termsOf(filters['q'] ?? '') : [];
  const names = fields.map(({ name }) => name);
  const add = () => {
    const { filters: found, rest } = parseQuery(text, names, query);
    const wrong = Object.entries(found).find(([name, value]) => {
      const values = fields.find((field) => field.name === name)?.values;
      return values && !(value ?? '').split(',').every((each) => values.includes(each));
    });
    if (rest.length > 0 && !query) setFault(t.filters.unknown(rest[0]!, names));
    else if (wrong)
      setFault(t.filters.wrongValue(wrong[0], fields.find(({ name }) => name === wrong[0])!.values!));
    else {
      change({ ...found, ...(rest.length > 0 ? { q: [...terms, ...rest].join(' ') } : {}) });
      setText('');
      setFault('');
    }
  };
  const clear = () =>
    change({ ...Object.fromEntries(set.map(({ name }) => [name, undefined])), q: undefined });
  return (
    <div className="mb-3">
      <div className="flex flex-wrap items-center gap-1.5 rounded-xl border border-line bg-card p-1.5">
        <span className="pl-1.5 text-soft">
          <Icon name="search" />
        </span>
        {set.map((field) => (
          <Chip
            key={field.name}
            label={field.label}
            {...(field.values ? { values: field.values } : {})}
            value={filters[field.name]!}
            onChange={(value) => change({ [field.name]: value })}
          />
        ))}
        {terms.map((term, index) => (
          <Chip
            key={`${index} ${term}`}
            label=""
            value={term}
            onChange={(value) =>
              change({
                q: value ? withTerm(filters['q']!, index, value) : withoutTerm(filters['q']!, index),
              })
            }
          />
        ))}
        <SearchField
          label={t.filters.label}
          placeholder={
            query
              ? (t.filters.queryPlaceholders[list ?? ''] ?? t.filters.queryPlaceholder)
              : t.filters.placeholder(names[0] ?? '')
          }
          list={completed ? list : undefined}
          known={suggestions(fields, filters)}
          text={text}
          onText={(next) => {
            setText(next);
            setFault('');
          }}
          onSubmit={() => text.trim() && add()}
        />
        {set.length + terms.length > 0 && (
          <button type="button" className="px-2 text-[13px] text-soft hover:text-ink" onClick={clear}>
            {t.filters.clear}
          </button>
        )}
        {list && <Views list={list} names={[...new Set([...names, ...ALWAYS, ...more])]} />}
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

interface ChipProps {
  /** Empty for a term of the query, which names itself. */
  label: string;
  values?: readonly string[];
  value: string;
  onChange: (value: string | undefined) => void;
}

function Chip({ label, values, value, onChange }: ChipProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const apply = () => {
    if (draft !== null && draft !== value) onChange(draft || undefined);
    setDraft(null);
  };
  const name = label || t.filters.term;
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-lg bg-tint py-0.5 pr-1 pl-2 text-[13px]">
      {label && <span className="text-soft">{label}</span>}
      {values && !value.includes(',') ? (
        <select
          aria-label={name}
          className="bg-transparent font-medium"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {(values.includes(value) ? values : [value, ...values]).map((each) => (
            <option key={each} value={each} className="bg-card">
              {each}
            </option>
          ))}
        </select>
      ) : (
        <input
          aria-label={name}
          className={`min-w-0 bg-transparent font-medium ${label ? '' : 'font-mono'}`}
          size={Math.min(36, Math.max(3, (draft ?? value).length))}
          value={draft ?? value}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={apply}
          onKeyDown={(event) => event.key === 'Enter' && apply()}
        />
      )}
      <button
        type="button"
        aria-label={t.filters.remove(label || value)}
        className="rounded p-0.5 hover:bg-raised"
        onClick={() => onChange(undefined)}
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}
